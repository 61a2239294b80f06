/**
 * Files beside those of the lanes, while processors idle: most tests wait most of their time, and how many keep the
 * processors busy differs from minute to minute, and from machine to machine.
 */
import { Room } from './room.ts';

/** Long enough that what a file takes at its start is seen before another is begun. */
const LOOK_MS = 5_000;
// limit: files at once beside those of the lanes.
const FURTHER_MAX = 4;
/** The lane of files that mostly wait. */
const LANE = 1;

export class FurtherFiles {
  readonly #running = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;

  constructor(
    runNext: (lane: number) => Promise<unknown>,
    room: Pick<Room, 'isThere'> = new Room(),
    lookMs = LOOK_MS,
  ) {
    this.#timer = setInterval(() => {
      // Asked each time, because it looks at the time since.
      if (!room.isThere() || this.#running.size >= FURTHER_MAX) return;
      const one = runNext(LANE).then(() => {
        this.#running.delete(one);
      });
      this.#running.add(one);
    }, lookMs);
  }

  /** Begins no more. Resolves when those that run have ended. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#running);
  }
}
