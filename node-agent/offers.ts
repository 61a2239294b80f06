/**
 * What the agent offers to jobs in all: what the host has, or what the configuration says instead; and what
 * is wrong with it. An offer is what the host is good for with its tasks on it: what runs is counted by the
 * coordinator.
 */
import type { Amounts, NodeCondition, Offer } from '../src/domain/node/agent-messages.ts';
import { countCpus } from './fingerprint/cpu.ts';
import { measureDisk } from './fingerprint/disk.ts';
import { countGpus } from './fingerprint/gpu.ts';
import { measureMemoryMib } from './fingerprint/memory.ts';

const LOW_DISK_MIB = 1_024;
/** Free space moves all the time; a smaller change is not told. */
const DISK_STEP_MIB = 512;

export class Offers {
  readonly #folder: string;
  readonly #configured: Amounts;
  readonly #errors = new Map<string, NodeCondition>();
  readonly #warnings = new Map<string, NodeCondition>();
  #fixed: Amounts = {};
  #amounts: Amounts = {};
  #sequence = 0;
  #isDraining = false;
  /** Called when there is something new to tell. */
  onChange: () => void = () => undefined;

  constructor(folder: string, configured: Amounts) {
    this.#folder = folder;
    this.#configured = configured;
  }

  async measure(): Promise<void> {
    const [cpus, mem, gpus] = await Promise.all([countCpus(), measureMemoryMib(), countGpus()]);
    this.#fixed = { cpus, mem, gpus };
    await this.refresh();
  }

  /** Looks at what changes: the free space. */
  async refresh(): Promise<void> {
    const disk = await measureDisk(this.#folder);
    const isLow = disk.freeMib < LOW_DISK_MIB;
    this.raise('LOW_DISK', isLow ? `${disk.freeMib} MiB are free where tasks work` : undefined);
    const known = this.#amounts.disk ?? Number.NEGATIVE_INFINITY;
    const offered = Math.abs(disk.offeredMib - known) < DISK_STEP_MIB ? known : disk.offeredMib;
    const amounts = { ...this.#fixed, disk: offered, ...this.#configured };
    if (JSON.stringify(amounts) === JSON.stringify(this.#amounts)) return;
    this.#amounts = amounts;
    this.onChange();
  }

  get resources(): Amounts {
    return this.#amounts;
  }

  /** Sets (with a description) or clears an error: the node is DEGRADED while there is one. */
  raise(name: keyof typeof ERRORS, description: string | undefined): void {
    this.#set(this.#errors, name, ERRORS[name], description);
  }

  /** Sets or clears a warning: something to look at, while the node takes tasks as ever. */
  warn(name: keyof typeof WARNINGS, description: string | undefined): void {
    this.#set(this.#warnings, name, WARNINGS[name], description);
  }

  #set(
    conditions: Map<string, NodeCondition>,
    name: string,
    title: string,
    description: string | undefined,
  ): void {
    if (conditions.get(name)?.description === description) return;
    if (description === undefined) conditions.delete(name);
    else conditions.set(name, { name, title, description });
    this.onChange();
  }

  drain(): void {
    this.#isDraining = true;
    this.onChange();
  }

  /** Replaces what was offered before. Nothing while the agent drains. */
  next(): Offer {
    this.#sequence += 1;
    return {
      type: 'offer',
      sequence: this.#sequence,
      resources: this.#isDraining ? {} : this.#amounts,
      errors: [...this.#errors.values()],
      warnings: [...this.#warnings.values()],
    };
  }
}

const ERRORS = {
  LOW_DISK: 'Low Disk Space',
  SPOOL: 'Spool Not Writable',
  BAD_DAEMON: 'Container Runtime Not Responding',
} as const;

const WARNINGS = {
  LEFTOVERS: 'Leftovers Of Tasks',
} as const;
