/**
 * The order of the files of a run. Some keep a processor busy (browsers, walks, the simulation); others start
 * programs, stop them, and mostly wait. Half of the lanes take the former first and half the latter, so that neither do
 * more busy files run at once than a small machine has processors, nor do these idle while tests wait.
 */
import { type QuietTimes, UNKNOWN_MS } from './limits.ts';

/** Folders whose files mostly wait. */
const WAITING = ['test/e2e/', 'test/node-agent/', 'test/cli/'];

export class FileQueue {
  readonly #busy: string[];
  readonly #waiting: string[];

  /** The longest come first, and before them those whose time is unknown: at the end no lane waits for a long file. */
  constructor(files: readonly string[], quietTimes: QuietTimes) {
    const secondsOf = (file: string) => quietTimes[file] ?? UNKNOWN_MS / 1_000;
    const sorted = [...files].sort((a, b) => secondsOf(b) - secondsOf(a) || (a < b ? -1 : 1));
    const waits = (file: string) => WAITING.some((folder) => file.startsWith(folder));
    this.#busy = sorted.filter((file) => !waits(file));
    this.#waiting = sorted.filter(waits);
  }

  /** The next file of a lane, if any is left. */
  take(lane: number): string | undefined {
    const [first, second] = lane % 2 === 0 ? [this.#busy, this.#waiting] : [this.#waiting, this.#busy];
    return first.shift() ?? second.shift();
  }
}
