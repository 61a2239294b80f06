/**
 * Assigns graphics processors of the host to executions: the coordinator accounts for their number, and this maps it to
 * devices that no two tasks share.
 */
export class GpuSlots {
  readonly #count: number;
  readonly #lent = new Map<number, readonly number[]>();

  /** `count`: devices 0 to count - 1. */
  constructor(count: number) {
    this.#count = count;
  }

  /** Whether the host has no devices. */
  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Devices for an execution, the same ones as long as it holds them. undefined if too few are free. */
  lend(executionId: number, wanted: number): readonly number[] | undefined {
    const held = this.#lent.get(executionId);
    if (held !== undefined) return held;
    const taken = new Set([...this.#lent.values()].flat());
    const free = Array.from({ length: this.#count }, (_, device) => device).filter(
      (device) => !taken.has(device),
    );
    if (free.length < wanted) return undefined;
    const devices = free.slice(0, wanted);
    this.#lent.set(executionId, devices);
    return devices;
  }

  /** After a restart: the execution already holds these. */
  adopt(executionId: number, devices: readonly number[]): void {
    if (devices.length > 0) this.#lent.set(executionId, devices);
  }

  /** Repeatable. */
  giveBack(executionId: number): void {
    this.#lent.delete(executionId);
  }
}
