/**
 * A process of the simulated world: a clock that stands still while the process is stopped and for ever once it is
 * killed. What it had asked for continues without it; the answer finds nobody.
 */
import type { Clock } from '../../src/kernel/mod.ts';
import { EPOCH_MS, type SimTime } from './sim-time.ts';

/** How far a host's wall clock is off. */
export interface WallClock {
  offMs: number;
}

export class SimProcess implements Clock {
  readonly time: SimTime;
  readonly name: string;
  isDead = false;
  /** The clock of its host, which outlives the process. */
  readonly wall: WallClock;
  #isStopped = false;
  #held: (() => void)[] = [];

  constructor(time: SimTime, name: string, wall: WallClock = { offMs: 0 }) {
    this.time = time;
    this.name = name;
    this.wall = wall;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  nowMs(): number {
    return EPOCH_MS + this.time.nowMs + this.wall.offMs;
  }

  monotonicMs(): number {
    return this.time.nowMs;
  }

  timer(afterMs: number, run: () => void): () => void {
    let isCanceled = false;
    this.time.after(afterMs, () => this.#when(() => isCanceled || run()));
    return () => {
      isCanceled = true;
    };
  }

  soon(run: () => void): void {
    this.time.after(0, () => this.#when(run));
  }

  /** Resolves with what `make` makes after a while, if the process still lives. */
  later<T>(afterMs: number, make: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.timer(afterMs, () => {
        try {
          resolve(make());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  kill(): void {
    this.isDead = true;
    this.#held = [];
  }

  /** SIGSTOP. */
  stop(): void {
    this.#isStopped = true;
  }

  /** SIGCONT: all that was due meanwhile comes at once, late. */
  goOn(): void {
    this.#isStopped = false;
    for (const run of this.#held.splice(0)) this.time.after(0, () => this.#when(run));
  }

  #when(run: () => void): void {
    if (this.isDead) return;
    if (this.#isStopped) this.#held.push(run);
    else run();
  }
}
