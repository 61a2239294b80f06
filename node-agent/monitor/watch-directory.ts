/**
 * Watches the files directly in one directory, and reports each new one until that is acknowledged. Sub-directories are
 * ignored, as in the public system. Events make it fast; periodic listings make it reliable, because they find the
 * files of lost events.
 *
 * Delivery is at least once: after a restart all present files are reported again, with the same identity.
 */
import { AppError } from '../../src/domain/errors.ts';
import { errnoWords } from '../../src/lib/errno-words.ts';
import type { Logger } from '../../src/observe/log.ts';
import type { Reach } from '../../src/storage/broker.ts';
import { LocalRoot } from '../../src/storage/local-root.ts';
import { errnoOf } from '../../src/storage/storage-errors.ts';
import { type Evidence, unproven } from './arrival-proof.ts';
import { BatchSender } from './batch-sender.ts';
import { DirectoryEvents } from './directory-events.ts';
import { type DirectoryReader, openDirectoryReader } from './directory-reader.ts';
import type { EventWatermark } from './event-watermark.ts';
import { FileTracker, type Moment, type SeenFile, type TrackerOptions } from './file-tracker.ts';
import { ListingRun } from './listing-run.ts';
import type { MonitorClock } from './monitor-clock.ts';
export interface WatchOptions {
  /** Absolute path of the workspace's directory. */
  readonly root: string;
  /** The suffix of files that are still being copied; '' if senders use none. */
  readonly transferSuffix: string;
  readonly stableMs?: number;
  readonly sinceMs?: TrackerOptions['sinceMs'];
  readonly listEveryMs?: number;
  readonly filesPerBatch?: number;
  readonly filesMax?: number;
  /** How many new files a listing may find before those found first are complete and mostly reported. */
  readonly listAheadMax?: number;
  readonly clock: MonitorClock;
  /** Shared by all directories that one process watches. */
  readonly watermark: EventWatermark;
  readonly log: Logger;
  /** Whether the directory is (still) the workspace: `Broker.check`. */
  check(): Promise<Reach>;
  /** Resolves when the files are committed. Rejects if that is unknown, after which they are reported again. */
  onBatch(files: readonly SeenFile[]): Promise<void>;
  /** Called at first, and when the directory appears or disappears. */
  onReach(reach: Reach): void;
}

export interface WatchStats {
  readonly knownCount: number;
  readonly pendingCount: number;
  readonly ignoredCount: number;
  readonly listingCount: number;
  /** How often the directory had to be watched again, or listed because events may have been lost. */
  readonly repairCount: number;
}

export interface DirectoryWatch {
  stats(): WatchStats;
  /** Resolves when nothing runs any more; a batch in flight is awaited. */
  stop(): Promise<void>;
}

const STABLE_MS = 2_000;
const LIST_EVERY_MS = 30_000;
/** The listing interval if there are no events. */
const LIST_UNWATCHED_MS = 2_000;
const FILES_PER_BATCH = 500;
const FILES_MAX = 1_000_000;
/**
 * A file that is not reported takes some 800 bytes, a known one 150. This is more files than a coordinator records in
 * the time after which they count as stable.
 */
const LIST_AHEAD_MAX = 20_000;
/** How long a listing continues before events and files that are due are handled. */
const LIST_TURN_MS = 20;
const LINGER_MS = 5;
/**
 * A batch causes several commits, of about 20 statements each, whether it has five files or fifty. A file that arrives
 * after a pause does not wait for this.
 */
const BATCH_EVERY_MS = 25;
const ROOT_EVERY_MS = 1_000;
const LOOK_EVERY_MS = 20;
const CHANGES_EVERY_MS = 50;
const AGAIN_MS = 250;
const AGAIN_MAX_MS = 10_000;

export function watchDirectory(options: WatchOptions): DirectoryWatch {
  const watch = new Watch(options);
  watch.start();
  return { stats: () => watch.stats(), stop: () => watch.stop() };
}

class Watch {
  readonly #options: WatchOptions;
  readonly #listAheadMax: number;
  readonly #stableMs: number;
  readonly #root: LocalRoot;
  readonly #tracker: FileTracker;
  readonly #sender: BatchSender;
  #attached: { events: DirectoryEvents | undefined; reader: DirectoryReader; rootInode: string } | undefined;
  #reach: Reach | undefined;
  #leaveWatermark: () => void = () => undefined;
  #cancelTimer: () => void = () => undefined;
  #isStopped = false;
  #isTrusted = false;
  #isListingWanted = true;
  /** The listing in progress. */
  #listing: ListingRun | undefined;
  #isLookingSoon = false;
  #isRunning = false;
  #running: Promise<void> = Promise.resolve();
  #listedAtMs = 0;
  #rootSeenMs = 0;
  #wakeAtMs = Number.POSITIVE_INFINITY;
  #attachAgainMs = 0;
  #listingCount = 0;
  #repairCount = 0;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#root = new LocalRoot(options.root);
    this.#listAheadMax = options.listAheadMax ?? LIST_AHEAD_MAX;
    this.#stableMs = options.stableMs ?? STABLE_MS;
    this.#tracker = new FileTracker({
      transferSuffix: options.transferSuffix,
      stableMs: this.#stableMs,
      filesMax: options.filesMax ?? FILES_MAX,
      sinceMs: options.sinceMs ?? 0,
    });
    this.#sender = new BatchSender(this.#tracker, options.clock, {
      filesPerBatch: options.filesPerBatch ?? FILES_PER_BATCH,
      lingerMs: LINGER_MS,
      everyMs: BATCH_EVERY_MS,
      onBatch: (files) => options.onBatch(files),
      onRefused: (error) => options.log.warn('batch_not_acknowledged', { root: options.root, error }),
    });
  }

  start(): void {
    this.#leaveWatermark = this.#options.watermark.join(() => this.#repair('events may have been lost'));
    this.#wakeIn(0);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer();
    await this.#running;
    this.#detach();
    this.#leaveWatermark();
    await this.#sender.stop();
  }

  stats(): WatchStats {
    const { knownCount, pendingCount, ignoredCount } = this.#tracker;
    const counts = { listingCount: this.#listingCount, repairCount: this.#repairCount };
    return { knownCount, pendingCount, ignoredCount, ...counts };
  }

  /** Treats events as unreliable until the directory has been listed again. */
  #repair(why: string): void {
    this.#invalidate();
    if (this.#isListingWanted) return;
    this.#repairCount += 1;
    this.#isListingWanted = true;
    this.#options.log.warn('directory_listed_again', { root: this.#options.root, why });
    this.#wakeIn(0);
  }

  #trust(): void {
    const { reader, events } = this.#attached ?? {};
    this.#isTrusted = reader?.isLocal === true && events !== undefined;
    events?.trust(this.#isTrusted);
  }

  #invalidate(): void {
    this.#isTrusted = false;
    this.#attached?.events?.trust(false);
    this.#tracker.invalidate();
  }

  /** One pass at a time; the next at the earliest requested moment. */
  #wakeIn(delayMs: number): void {
    const atMs = this.#options.clock.monotonicMs() + delayMs;
    if (this.#isStopped || this.#isRunning || atMs >= this.#wakeAtMs) {
      if (this.#isRunning) this.#wakeAtMs = Math.min(this.#wakeAtMs, atMs);
      return;
    }
    this.#cancelTimer();
    this.#wakeAtMs = atMs;
    this.#cancelTimer = this.#options.clock.timer(Math.max(0, delayMs), () => this.#run());
  }

  #run(): void {
    if (this.#isRunning || this.#isStopped) return;
    this.#isRunning = true;
    this.#cancelTimer();
    this.#wakeAtMs = Number.POSITIVE_INFINITY;
    this.#running = this.#pass().then((nextInMs) => {
      this.#isRunning = false;
      const askedMs = this.#wakeAtMs - this.#options.clock.monotonicMs();
      this.#wakeAtMs = Number.POSITIVE_INFINITY;
      this.#sender.wake();
      this.#wakeIn(Math.min(nextInMs, askedMs));
    });
  }

  /** Does everything that is due; returns when the next pass is. Never rejects. */
  async #pass(): Promise<number> {
    try {
      if (!(await this.#isRootThere())) return this.#attachAgainMs;
      if (this.#listing === undefined && this.#isListingDue()) this.#beginListing();
      // Handled before the listing continues, so that arriving files do not wait for its end.
      const nextInMs = await this.#lookAtSome();
      this.#attachAgainMs = 0;
      const listInMs = await this.#listSome();
      return Math.min(ROOT_EVERY_MS, Math.max(LOOK_EVERY_MS, nextInMs), listInMs);
    } catch (error) {
      const errno = errnoOf(error) ?? (error instanceof AppError ? `${error.detail.errno}` : undefined);
      if (errno === undefined) this.#options.log.error('monitor_failed', { root: this.#options.root, error });
      this.#lose(`the directory cannot be watched: ${errnoWords(errno ?? 'internal error')}`);
      return this.#attachAgainMs;
    }
  }

  /** Attaches if needed; checks every second whether the directory is the attached one. */
  async #isRootThere(): Promise<boolean> {
    const nowMs = this.#options.clock.monotonicMs();
    if (this.#attached !== undefined && nowMs - this.#rootSeenMs < ROOT_EVERY_MS) return true;
    const root = await this.#root.within('', (folder) => folder.ownFacts());
    // A recreated directory may get the inode of the removed one, but not its birth time.
    const rootInode = `${root.inode}.${root.birthUs}`;
    const isOther = this.#attached !== undefined && this.#attached.rootInode !== rootInode;
    const isUnwatched = this.#attached !== undefined && this.#attached.events === undefined;
    if (isOther || (isUnwatched && this.#isListingDue())) this.#detach();
    if (this.#attached === undefined || this.#isListingDue()) {
      const reach = await this.#options.check();
      if (!reach.isReachable) {
        this.#lose(reach.reason, reach);
        return false;
      }
      if (this.#attached === undefined) await this.#attach(rootInode);
      this.#tell(reach);
    }
    this.#rootSeenMs = nowMs;
    this.#tracker.settleMissing(nowMs);
    return true;
  }

  async #attach(rootInode: string): Promise<void> {
    const reader = await openDirectoryReader(this.#options.root);
    const events = this.#watchEvents();
    this.#attached = { events, reader, rootInode };
    this.#isListingWanted = true;
    // No event has been lost since then, and none is about a file that was there before.
    this.#trust();
  }

  /** Undefined if the system's limit of watches is reached; listings are then more frequent. */
  #watchEvents(): DirectoryEvents | undefined {
    const { root, transferSuffix, watermark, log } = this.#options;
    try {
      return new DirectoryEvents(root, transferSuffix, watermark, {
        onName: (isUrgent) => this.#hear(isUrgent),
        onError: (error) => this.#rewatch(error),
        onTooMany: () => this.#repair('too many names at once'),
      });
    } catch (error) {
      if (!['ENOSPC', 'EMFILE', 'ENFILE', 'ENOSYS'].includes(errnoOf(error) ?? '')) throw error;
      log.warn('directory_not_watched', { root, errno: errnoOf(error) });
      return undefined;
    }
  }

  /** Replaces a broken watcher, and lists the directory for missed files. */
  #rewatch(error: Error): void {
    this.#options.log.warn('directory_watched_again', { root: this.#options.root, error });
    this.#repairCount += 1;
    this.#detach();
    this.#wakeIn(AGAIN_MS);
  }

  #detach(): void {
    this.#attached?.events?.close();
    this.#attached = undefined;
    // A failure to close it is ignored, because the directory is gone, or will be listed again.
    this.#listing?.close().catch(() => undefined);
    this.#listing = undefined;
    this.#invalidate();
  }

  /** Stops watching because the directory or its watcher is gone. Known files are kept until it is back or replaced. */
  #lose(reason: string, reach: Reach = { isReachable: false, isUnmarked: false, reason }): void {
    if (this.#attached !== undefined) this.#repairCount += 1;
    this.#detach();
    this.#tell(reach);
    this.#attachAgainMs = Math.min(AGAIN_MAX_MS, Math.max(AGAIN_MS, this.#attachAgainMs * 2));
    this.#wakeIn(this.#attachAgainMs);
  }

  #tell(reach: Reach): void {
    if (reach.isReachable === this.#reach?.isReachable && reach.reason === this.#reach.reason) return;
    this.#reach = reach;
    this.#options.onReach(reach);
  }

  /** Appearances are checked as soon as the present events are read; changes a little later, together. */
  #hear(isUrgent: boolean): void {
    if (!isUrgent) this.#wakeIn(CHANGES_EVERY_MS);
    else if (this.#isRunning) this.#wakeIn(0);
    else if (!this.#isLookingSoon) {
      this.#isLookingSoon = true;
      setImmediate(() => {
        this.#isLookingSoon = false;
        this.#run();
      });
    }
  }

  #isListingDue(): boolean {
    const isWatched = this.#attached?.events !== undefined;
    const wantedMs = this.#options.listEveryMs ?? LIST_EVERY_MS;
    const everyMs = isWatched ? wantedMs : Math.min(wantedMs, LIST_UNWATCHED_MS);
    return this.#isListingWanted || this.#options.clock.monotonicMs() - this.#listedAtMs >= everyMs;
  }

  #beginListing(): void {
    if (this.#attached === undefined) return;
    const [tracker, stableMs, aheadMax] = [this.#tracker, this.#stableMs, this.#listAheadMax];
    this.#isListingWanted = false;
    this.#listing = new ListingRun({ reader: this.#attached.reader, tracker, stableMs, aheadMax });
  }

  /** Continues the listing for a moment; returns when it can continue. */
  async #listSome(): Promise<number> {
    const { clock } = this.#options;
    const listing = this.#listing;
    const nowMs = clock.monotonicMs();
    const heldMs = listing?.heldMs(nowMs) ?? Number.POSITIVE_INFINITY;
    if (listing === undefined || heldMs > 0) return heldMs;
    while (this.#listing === listing && clock.monotonicMs() < nowMs + LIST_TURN_MS) {
      const names = await listing.next();
      if (this.#isStopped || this.#listing !== listing) break;
      if (names === undefined) this.#endListing();
      else await this.#look(names, new Map());
    }
    return this.#listing === undefined ? Number.POSITIVE_INFINITY : 0;
  }

  #endListing(): void {
    this.#listing = undefined;
    this.#listedAtMs = this.#options.clock.monotonicMs();
    this.#listingCount += 1;
    // If events may have been lost during the listing, only another listing makes them reliable again.
    if (!this.#isListingWanted) this.#trust();
  }

  /** Checks names with events and those that are due; returns when more will be due. */
  async #lookAtSome(): Promise<number> {
    // Both are read synchronously, because the watermark is valid only for the events that are taken with it.
    const watermarkMs = this.#isTrusted ? this.#options.watermark.watermarkMs : undefined;
    const heard = this.#attached?.events?.take() ?? new Map<string, Evidence>();
    const { names } = this.#tracker.due(this.#moment(watermarkMs));
    await this.#look(new Set([...heard.keys(), ...names]), heard, watermarkMs);
    return this.#tracker.due(this.#moment(undefined)).nextInMs;
  }

  async #look(
    names: Iterable<string>,
    heard: ReadonlyMap<string, Evidence>,
    watermarkMs?: number,
  ): Promise<void> {
    const attached = this.#attached;
    if (attached === undefined) return;
    for await (const looks of attached.reader.look(names)) {
      if (this.#isStopped || this.#attached !== attached) return;
      const moment = this.#moment(watermarkMs);
      // Missing names come first, because a vanished name shows that a suffix was removed.
      for (const [name, facts] of looks) {
        if (facts === undefined) this.#tracker.observe(name, undefined, moment);
      }
      for (const [name, facts] of looks) {
        if (facts === undefined) continue;
        this.#tracker.observe(
          name,
          facts,
          moment,
          this.#isTrusted ? heard.get(name) : unproven(heard.get(name)),
        );
      }
      this.#sender.wake();
    }
  }

  #moment(watermarkMs: number | undefined): Moment {
    const { clock } = this.#options;
    // Events may have been lost since the watermark was read.
    const vouchedMs = this.#isTrusted ? watermarkMs : undefined;
    return { nowMs: clock.monotonicMs(), wallMs: clock.nowMs(), watermarkMs: vouchedMs };
  }
}
