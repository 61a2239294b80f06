/** The resources that an execution of a manifest holds, by the size of its input. */
import type { Manifest } from '../manifest/manifest.ts';
import type { HeldResources } from '../recipe/type-revisions.ts';

/** Rounded up, but for what binary fractions put on top: 1.1 x 10 is 11. */
export function wholeAmount(amount: number): number {
  return Math.ceil(Number(amount.toFixed(6)));
}

/** What every job gets at least: cpus in cores, mem and disk in MiB. */
const LEAST = { cpus: 0.25, mem: 128, disk: 0, gpus: 0 } as const;

/**
 * `inputMib`: whole MiB of the input files. A scalar with a multiplier is rounded up to a whole number. Disk holds
 * the input on top of what the manifest asks for; shared memory is not held: see `sharedMemMib`.
 */
export function heldResources(manifest: Manifest, inputMib: number): HeldResources {
  const amounts: Record<string, number> = { ...LEAST };
  for (const { name, value, inputMultiplier } of manifest.job.resources.scalar) {
    const key = name.toLowerCase();
    if (key === 'sharedmem') continue;
    const amount = inputMultiplier === undefined ? value : wholeAmount(inputMultiplier * inputMib + value);
    amounts[key] = Math.max(amount, amounts[key] ?? 0);
  }
  amounts.disk = (amounts.disk ?? 0) + inputMib;
  return { resources: amounts, inputMib };
}

/** limit: MiB whose bytes every engine and runtime can still read. */
const SHARED_MEMORY_MIB_MAX = 2 ** 40;

/**
 * MiB of shared memory that the task gets, rounded up; 0: what its executor gives to all. It is a size of the container
 * (`/dev/shm`), nothing a node offers: what is written there counts as memory of the task.
 */
export function sharedMemMib(manifest: Manifest, inputMib: number): number {
  const scalar = manifest.job.resources.scalar.find(({ name }) => name.toLowerCase() === 'sharedmem');
  if (scalar === undefined) return 0;
  const amount = wholeAmount((scalar.inputMultiplier ?? 0) * inputMib + scalar.value);
  return Math.min(amount, SHARED_MEMORY_MIB_MAX);
}
