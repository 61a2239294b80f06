/** The resources that an execution of a manifest holds for a given size of input. */
import type { Manifest } from '../manifest/manifest.ts';
import type { HeldResources } from '../recipe/type-revisions.ts';

/** Rounds up, ignoring errors of binary fractions: 1.1 x 10 is 11. */
function wholeAmount(amount: number): number {
  return Math.ceil(Number(amount.toFixed(6)));
}

/** The minimum for every job: cpus in cores, mem and disk in MiB. */
const LEAST = { cpus: 0.25, mem: 128, disk: 0, gpus: 0 } as const;

/**
 * `inputMib`: whole MiB of the input files. A scalar with a multiplier is rounded up to a whole number. Disk includes
 * the input; shared memory is not held, see `sharedMemMib`.
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

/** limit: MiB that every engine and runtime can still express in bytes. */
const SHARED_MEMORY_MIB_MAX = 2 ** 40;

/**
 * MiB of shared memory for the task, rounded up; 0: the executor's default. It is the size of the container's
 * `/dev/shm`, not a resource of a node: data in it counts as memory of the task.
 */
export function sharedMemMib(manifest: Manifest, inputMib: number): number {
  const scalar = manifest.job.resources.scalar.find(({ name }) => name.toLowerCase() === 'sharedmem');
  if (scalar === undefined) return 0;
  const amount = wholeAmount((scalar.inputMultiplier ?? 0) * inputMib + scalar.value);
  return Math.min(amount, SHARED_MEMORY_MIB_MAX);
}
