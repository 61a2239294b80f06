/**
 * The watermark of this process's file-system events, and whether some may have been lost. One for all directories that
 * a process watches, because the runtime reads the events of all of them from one queue.
 *
 * The watermark is a wall-clock time such that every earlier event has been delivered: it is read in a timer, and valid
 * once the event loop has polled after that, which a `setImmediate` shows. A file that was born before the watermark,
 * and whose first event comes now, was therefore not created under this name but moved here.
 *
 * Node does not report an overflow of the kernel's queue. The queue must have been nearly full then, so a poll that
 * delivers a quarter of its capacity counts as a flood, after which nothing is concluded from events until the
 * directories have been listed again.
 */
import { readFileSync } from 'node:fs';
import type { MonitorClock } from './monitor-clock.ts';

const TICK_MS = 20;
/**
 * If the wall clock moves this much relative to the monotonic one, it has been set: earlier times are not comparable.
 */
const STEP_MS = 5;
const QUEUE_FILE = '/proc/sys/fs/inotify/max_queued_events';
const QUEUE_DEFAULT = 16_384;

export class EventWatermark {
  readonly #clock: MonitorClock;
  readonly #floodCount: number;
  readonly #onFlood = new Set<() => void>();
  #watermarkMs: number | undefined;
  #clockOffsetMs: number | undefined;
  #eventsInPoll = 0;
  #cancelTick: (() => void) | undefined;

  /** `floodCount`: events in one poll of the event loop that count as a flood. */
  constructor(clock: MonitorClock, floodCount = Math.max(1, Math.floor(queueSize() / 4))) {
    this.#clock = clock;
    this.#floodCount = floodCount;
  }

  /** Every event before this wall-clock time has been delivered; undefined while that is unknown. */
  get watermarkMs(): number | undefined {
    return this.#watermarkMs;
  }

  /** Registers a directory: `onFlood` is called when events may have been lost. The result unregisters it. */
  join(onFlood: () => void): () => void {
    this.#onFlood.add(onFlood);
    if (this.#cancelTick === undefined) this.#tick();
    return () => {
      this.#onFlood.delete(onFlood);
      if (this.#onFlood.size > 0) return;
      this.#cancelTick?.();
      this.#cancelTick = undefined;
      this.#watermarkMs = undefined;
      this.#clockOffsetMs = undefined;
    };
  }

  /** Call this for each event as it is delivered. */
  noteEvent(): void {
    this.#eventsInPoll += 1;
    if (this.#eventsInPoll === 1) setImmediate(() => this.#endPoll());
    if (this.#eventsInPoll !== this.#floodCount) return;
    for (const onFlood of this.#onFlood) onFlood();
  }

  #endPoll(): void {
    this.#eventsInPoll = 0;
  }

  #tick(): void {
    const nowMs = this.#clock.nowMs();
    const offsetMs = nowMs - this.#clock.monotonicMs();
    const isSteady = this.#clockOffsetMs !== undefined && Math.abs(offsetMs - this.#clockOffsetMs) < STEP_MS;
    this.#clockOffsetMs = offsetMs;
    if (!isSteady) this.#watermarkMs = undefined;
    setImmediate(() => {
      if (isSteady && this.#cancelTick !== undefined) this.#watermarkMs = nowMs;
    });
    this.#cancelTick = this.#clock.timer(TICK_MS, () => this.#tick());
  }
}

function queueSize(): number {
  try {
    return Number(readFileSync(QUEUE_FILE, 'utf8')) || QUEUE_DEFAULT;
  } catch {
    // Not Linux: the runtime watches in another way there, and any default will do.
    return QUEUE_DEFAULT;
  }
}
