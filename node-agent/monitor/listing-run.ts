/**
 * One listing of a watched directory, in short steps: all existing names, then the known names that were not among
 * them. It waits while the files that it found first are neither complete nor reported, so that of a million files only
 * some thousands take the memory of an unreported file.
 */
import type { DirectoryReader } from './directory-reader.ts';
import type { FileTracker } from './file-tracker.ts';

// limit: names that are handled before other work gets the event loop; they take less than a millisecond.
const SLICE = 4_096;
/** After this time, files that have become stable have been checked and wait to be reported. */
const AFTER_STABLE_MS = 200;
/** The interval at which it is checked whether enough files have been reported. */
const HELD_MS = 50;

export interface ListingOptions {
  readonly reader: DirectoryReader;
  readonly tracker: FileTracker;
  readonly stableMs: number;
  /** How many new files it may find before it waits. */
  readonly aheadMax: number;
}

export class ListingRun {
  readonly #options: ListingOptions;
  readonly #rest: AsyncGenerator<readonly string[]>;
  /** How many files were known when it began, or last waited. */
  #knownCount: number;
  #heldUntilMs = 0;

  constructor(options: ListingOptions) {
    this.#options = options;
    options.tracker.beginListing();
    this.#knownCount = options.tracker.knownCount;
    this.#rest = this.#names();
  }

  /** The next names to check; undefined at the end. */
  async next(): Promise<readonly string[] | undefined> {
    const { value, done } = await this.#rest.next();
    return done === true ? undefined : value;
  }

  /** Milliseconds until the caller should check again whether the listing may continue; 0: it may continue now. */
  heldMs(nowMs: number): number {
    const { tracker, stableMs, aheadMax } = this.#options;
    if (nowMs < this.#heldUntilMs) return this.#heldUntilMs - nowMs;
    if (tracker.backlogCount > aheadMax / 2) return HELD_MS;
    if (tracker.knownCount - this.#knownCount < aheadMax) return 0;
    this.#knownCount = tracker.knownCount;
    this.#heldUntilMs = nowMs + stableMs + AFTER_STABLE_MS;
    return this.#heldUntilMs - nowMs;
  }

  /** Closes the directory. */
  async close(): Promise<void> {
    await this.#rest.return(undefined);
  }

  async *#names(): AsyncGenerator<readonly string[]> {
    const { reader, tracker } = this.#options;
    for await (const names of reader.list()) {
      // Vanished suffixed names come first, because they show that a suffix was removed.
      const suffixed = names.flatMap((name) => tracker.suffixedOf(name) ?? []);
      if (suffixed.length > 0) yield suffixed;
      yield names;
    }
    // These are checked as well, because a list may miss a file that is renamed meanwhile.
    let unfound: string[] = [];
    let count = 0;
    for (const name of tracker.notFound()) {
      if (name !== undefined) unfound.push(name);
      count += 1;
      if (count % SLICE !== 0) continue;
      yield unfound;
      unfound = [];
      await new Promise((resolve) => setImmediate(resolve));
    }
    yield unfound;
  }
}
