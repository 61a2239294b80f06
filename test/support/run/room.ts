/** Whether this machine has room for another test file: processors that idle, and memory. */
import { type CpuInfo, cpus } from 'node:os';

/** The part of the time that processors have to idle. What a file does at its start takes most of it. */
const IDLE_MIN = 0.15;
/** A file with a browser and a service of its own holds most of this. */
const MEMORY_BYTES_MIN = 2 * 1024 ** 3;

export interface Machine {
  cpus(): readonly Pick<CpuInfo, 'times'>[];
  availableMemory(): number;
}

const THIS_MACHINE: Machine = { cpus, availableMemory: () => process.availableMemory() };

export class Room {
  readonly #machine: Machine;
  #before: { readonly idle: number; readonly all: number };

  constructor(machine: Machine = THIS_MACHINE) {
    this.#machine = machine;
    this.#before = this.#timesOf();
  }

  /** Looks at the time since it was asked last. */
  isThere(): boolean {
    const [before, now] = [this.#before, this.#timesOf()];
    this.#before = now;
    const passed = now.all - before.all;
    return (
      passed > 0 &&
      (now.idle - before.idle) / passed >= IDLE_MIN &&
      this.#machine.availableMemory() >= MEMORY_BYTES_MIN
    );
  }

  #timesOf(): { readonly idle: number; readonly all: number } {
    let [idle, all] = [0, 0];
    for (const { times } of this.#machine.cpus()) {
      idle += times.idle;
      all += times.idle + times.user + times.nice + times.sys + times.irq;
    }
    return { idle, all };
  }
}
