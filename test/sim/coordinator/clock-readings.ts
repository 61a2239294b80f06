/** How long coordinators went without a reading of the database's clock: until the next one they go by the last. */
export class ClockReadings {
  /** When each read it last, by coordinator. */
  readonly #lastMs = new Map<string, number>();
  #gaps: { readonly ms: number; readonly endedMs: number }[] = [];

  begin(self: string, nowMs: number): void {
    this.#lastMs.set(self, nowMs);
  }

  read(self: string, nowMs: number): void {
    this.end(self, nowMs);
    this.begin(self, nowMs);
  }

  /** It reads no more, and what it said before may still arrive. */
  end(self: string, nowMs: number): void {
    const lastMs = this.#lastMs.get(self);
    if (lastMs !== undefined) this.#gaps.push({ ms: nowMs - lastMs, endedMs: nowMs });
    this.#lastMs.delete(self);
  }

  /** The longest, of those that last and of those that ended since. */
  longestMs(nowMs: number, sinceMs: number): number {
    this.#gaps = this.#gaps.filter(({ endedMs }) => endedMs >= sinceMs);
    const lasting = [...this.#lastMs.values()].map((ms) => nowMs - ms);
    return Math.max(0, ...lasting, ...this.#gaps.map(({ ms }) => ms));
  }
}
