/**
 * The order of the files of a run. Some keep a processor busy (browsers, walks, the simulation); others start
 * programs, stop them, and mostly wait. Half of the lanes take the former first and half the latter, so that neither do
 * more busy files run at once than a small machine has processors, nor do these idle while tests wait.
 *
 * Files with a browser wait until none is left that adds or removes network interfaces of this machine: Chromium then
 * aborts its requests (ERR_NETWORK_CHANGED), and a page whose script was aborted stays empty.
 */
import { type QuietTimes, UNKNOWN_MS } from './limits.ts';

/** Folders whose files mostly wait. */
const WAITING = ['test/e2e/', 'test/node-agent/', 'test/cli/'];
const ADDS_INTERFACES = /\bneedsHosts\b/;
const HAS_BROWSER = /\bneeds(Browser|Firefox)\b/;

export class FileQueue {
  readonly #busy: string[];
  readonly #waiting: string[];
  readonly #browsers: ReadonlySet<string>;
  /** Files that add or remove interfaces, and have not ended. */
  readonly #unsettling: Set<string>;
  #wakeLanes: (() => void)[] = [];

  /**
   * The longest come first, and before them those whose time is unknown: at the end no lane waits for a long file.
   * `textOf` reads a file.
   */
  constructor(files: readonly string[], quietTimes: QuietTimes, textOf: (file: string) => string) {
    const secondsOf = (file: string) => quietTimes[file] ?? UNKNOWN_MS / 1_000;
    const sorted = [...files].sort((a, b) => secondsOf(b) - secondsOf(a) || (a < b ? -1 : 1));
    const waits = (file: string) => WAITING.some((folder) => file.startsWith(folder));
    this.#unsettling = new Set(files.filter((file) => ADDS_INTERFACES.test(textOf(file))));
    // A file must not wait for itself.
    const isSettled = (file: string) => !this.#unsettling.has(file);
    this.#browsers = new Set(files.filter((file) => isSettled(file) && HAS_BROWSER.test(textOf(file))));
    // Because others wait for them, they are the first.
    const ordered = [...sorted.filter((file) => this.#unsettling.has(file)), ...sorted.filter(isSettled)];
    this.#busy = ordered.filter((file) => !waits(file));
    this.#waiting = ordered.filter(waits);
  }

  /** Resolves with the next file of a lane, once one may run; with undefined if none is left. */
  async take(lane: number): Promise<string | undefined> {
    for (;;) {
      const [first, second] = lane % 2 === 0 ? [this.#busy, this.#waiting] : [this.#waiting, this.#busy];
      const file = this.#firstOf(first) ?? this.#firstOf(second);
      if (file !== undefined || first.length + second.length === 0) return file;
      await new Promise<void>((resolve) => this.#wakeLanes.push(resolve));
    }
  }

  /** A file that was taken has ended. */
  ended(file: string): void {
    this.#unsettling.delete(file);
    for (const wake of this.#wakeLanes.splice(0)) wake();
  }

  #firstOf(files: string[]): string | undefined {
    const at = files.findIndex((file) => this.#unsettling.size === 0 || !this.#browsers.has(file));
    return at < 0 ? undefined : files.splice(at, 1)[0];
  }
}
