/**
 * The agent's total resources for jobs, which are those of the host or the configured ones, and the host's errors and
 * warnings. An offer includes the resources of running tasks, which the coordinator subtracts.
 */
import { availableParallelism } from 'node:os';
import type { Amounts, HostReport, NodeCondition, Offer } from '../src/domain/node/agent-messages.ts';
import { countCpus } from './fingerprint/cpu.ts';
import { measureDisk } from './fingerprint/disk.ts';
import { countGpus } from './fingerprint/gpu.ts';
import { measureMemory } from './fingerprint/memory.ts';

const LOW_DISK_MIB = 1_024;
/** Smaller changes of the free space are not reported. */
const DISK_STEP_MIB = 512;

/** The number of ended executions waiting for their clean-up that causes a warning. */
const CLEANUPS_MAX = 100;

/** The agent's own work for the node. */
export interface NodeWork {
  /** Executions that wait for their image. */
  readonly pulls: number;
  /** Ended executions whose folders are still needed, because they are not acknowledged. */
  readonly endedCount: number;
  /** Folders that are being removed. */
  readonly removals: number;
}

const NO_WORK: NodeWork = { pulls: 0, endedCount: 0, removals: 0 };

export class Offers {
  readonly #folder: string;
  readonly #configured: Amounts;
  readonly #errors = new Map<string, NodeCondition>();
  readonly #warnings = new Map<string, NodeCondition>();
  #fixed: Amounts = {};
  #amounts: Amounts = {};
  /** The total amounts of the host, offered or not. */
  #whole: Amounts = {};
  #host: HostReport = { resources: {}, tasks: [] };
  #sequence = 0;
  #isDraining = false;
  /** Called when there is something new to report. */
  onChange: () => void = () => undefined;

  constructor(folder: string, configured: Amounts) {
    this.#folder = folder;
    this.#configured = configured;
  }

  async measure(): Promise<void> {
    const [cpus, memory, gpus] = await Promise.all([countCpus(), measureMemory(), countGpus()]);
    this.#fixed = { cpus, mem: memory.offeredMib, gpus };
    this.#whole = { cpus: availableParallelism(), mem: memory.totalMib, gpus };
    await this.refresh();
  }

  /** Measures the free space and the agent's own work. */
  async refresh({ pulls, endedCount, removals }: NodeWork = NO_WORK): Promise<void> {
    const disk = await measureDisk(this.#folder);
    const isLow = disk.freeMib < LOW_DISK_MIB;
    const low = `${disk.freeMib} MiB are free in ${this.#folder}, where tasks work; ${LOW_DISK_MIB} are needed`;
    this.raise('LOW_DISK', isLow ? low : undefined);
    const known = this.#amounts.disk ?? Number.NEGATIVE_INFINITY;
    const offered = Math.abs(disk.offeredMib - known) < DISK_STEP_MIB ? known : disk.offeredMib;
    const amounts = { ...this.#fixed, disk: offered, ...this.#configured };
    const isSlow = endedCount >= CLEANUPS_MAX;
    this.warn('SLOW_CLEANUP', isSlow ? `${endedCount} executions wait for their clean-up` : undefined);
    const tasks = [
      { type: 'image-pull', count: pulls },
      { type: 'cleanup', count: removals },
    ].filter(({ count }) => count > 0);
    const host = { resources: { ...this.#whole, disk: disk.totalMib }, tasks, taskFolder: this.#folder };
    const isSame = JSON.stringify([amounts, host]) === JSON.stringify([this.#amounts, this.#host]);
    this.#amounts = amounts;
    this.#host = host;
    if (!isSame) this.onChange();
  }

  /** What is offered: nothing while the agent drains. */
  get resources(): Amounts {
    return this.#isDraining ? {} : this.#amounts;
  }

  /** Sets (with a description) or clears an error: the node is DEGRADED while it has one. */
  raise(name: keyof typeof ERRORS, description: string | undefined): void {
    this.#set(this.#errors, name, ERRORS[name], description);
  }

  /** Sets or clears a warning: the node still accepts tasks. */
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

  /** Replaces the previous offer. */
  next(): Offer {
    this.#sequence += 1;
    return {
      type: 'offer',
      sequence: this.#sequence,
      resources: this.resources,
      errors: [...this.#errors.values()],
      warnings: [...this.#warnings.values()],
      host: this.#host,
    };
  }
}

const ERRORS = {
  LOW_DISK: 'Low Disk Space',
  SPOOL: 'Spool Not Writable',
  BAD_DAEMON: 'Container Runtime Not Responding',
} as const;

const WARNINGS = {
  NO_EXECUTOR: 'No Executor Works',
  LEFTOVERS: 'Leftovers Of Tasks',
  SLOW_CLEANUP: 'Slow Cleanup',
} as const;
