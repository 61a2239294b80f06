/**
 * The known files of one watched directory, and those that are not reported yet. It uses no clock, timer or file: its
 * caller passes facts and takes batches. Times are monotonic milliseconds unless stated otherwise.
 *
 * Files that are acknowledged and exist need little memory (known-files.ts); only the others have an entry.
 */
import { finalName, isSuffixed } from '../../src/domain/ingest/arriving-name.ts';
import { Heap } from '../../src/lib/heap.ts';
import { type FileFacts, isSameIdentity } from '../../src/storage/file-facts.ts';
import { CLOCK_MARGIN_MS, type Evidence, restMsOf } from './arrival-proof.ts';
import { KnownFiles } from './known-files.ts';
import { ReportQueue } from './report-queue.ts';
import { type Due, factsOfKnown, type KeptFacts, type TrackedFile } from './tracked-file.ts';

/** One line of a batch. `path` is the final name, without the transfer suffix. */
export interface SeenFile {
  readonly path: string;
  readonly arrival: 'transferring' | 'complete' | 'gone';
  readonly size: number;
  readonly mtimeMs: number;
  readonly identity: string;
  /** Wall clock. */
  readonly firstSeenMs: number;
}

export interface TrackerOptions {
  /** '' if senders use none. */
  readonly transferSuffix: string;
  readonly stableMs: number;
  /** Files whose content and name last changed before this time (wall clock) are ignored. */
  readonly sinceMs: number;
  /** limit: names known at a time; further ones are seen by a later listing. */
  readonly filesMax: number;
}

/** The time of a check on both clocks, and the watermark when the present events were taken. */
export interface Moment {
  readonly nowMs: number;
  readonly wallMs: number;
  readonly watermarkMs: number | undefined;
}

/** A growing file is not reported before this time, because most are complete by then. */
const REPORT_AFTER_MS = 500;
const REPORT_MS = 1_000;
/** A vanished name may reappear as another one (a suffix removed) before it counts as gone. */
const GONE_AFTER_MS = 1_000;

/** limit: names that are checked together. */
const DUE_MAX = 4_096;

interface Check {
  readonly facts: FileFacts;
  readonly moment: Moment;
  readonly evidence: Evidence | undefined;
}

export class FileTracker {
  readonly #options: TrackerOptions;
  readonly #entries = new Map<string, TrackedFile>();
  readonly #known = new KnownFiles();
  #listing = 0;
  /** Entries that are growing or missing. */
  readonly #open = new Set<TrackedFile>();
  /** The due times of growing files, so that not all open entries have to be searched for the few that are due. */
  readonly #due = new Heap<Due>((one, other) => one.atMs < other.atMs);
  /** Missing files, in the order in which they were missed. */
  readonly #missing = new Set<TrackedFile>();
  readonly #outbox = new ReportQueue<TrackedFile, SeenFile['arrival']>();
  readonly #sources = new WeakMap<SeenFile, TrackedFile>();
  #ignoredCount = 0;

  constructor(options: TrackerOptions) {
    this.#options = options;
  }

  get knownCount(): number {
    return this.#entries.size + this.#known.size;
  }

  /** Files that were ignored because too many are known. */
  get ignoredCount(): number {
    return this.#ignoredCount;
  }

  get pendingCount(): number {
    return this.#outbox.size;
  }

  /** Those of them that only a listing has found. */
  get backlogCount(): number {
    return this.#outbox.listedCount;
  }

  /** Marks all files as not found; see `notFound`. */
  beginListing(): void {
    this.#listing += 1;
    this.#known.beginListing();
  }

  /**
   * After a listing: names that existed when it began and that it did not find. `undefined` for each other name, so
   * that the caller can pause; files may be observed meanwhile.
   */
  *notFound(): Generator<string | undefined> {
    for (const { name, foundIn, missingSinceMs } of this.#entries.values()) {
      yield foundIn === this.#listing || missingSinceMs !== undefined ? undefined : name;
    }
    yield* this.#known.notFound();
  }

  /** The name with the transfer suffix, if it is a known file's; it shows how this file arrived. */
  suffixedOf(name: string): string | undefined {
    const suffixed = name + this.#options.transferSuffix;
    return suffixed !== name && this.#entries.has(suffixed) ? suffixed : undefined;
  }

  /** Handles a check of `name`; `facts` is undefined if there is no regular file. */
  observe(name: string, facts: FileFacts | undefined, moment: Moment, evidence?: Evidence): void {
    const identity = this.#known.identityOf(name);
    if (identity !== undefined && facts?.kind === 'file' && isSameIdentity(facts.identity, identity)) {
      this.#known.found(name);
      return;
    }
    const known = this.#entries.get(name) ?? (identity && this.#reopen(name, identity, moment));
    if (facts?.kind !== 'file') {
      if (known) this.#miss(known, moment);
      return;
    }
    if (!known && facts.ctimeUs < this.#options.sinceMs * 1_000) return;
    const entry = known || this.#admit(name, facts, moment);
    if (entry === undefined) return;
    this.#find(entry);
    entry.hasEvent ||= evidence !== undefined;
    const isSame = !!known && isSameIdentity(facts.identity, entry.facts.identity);
    const isUntouched = isSame && facts.ctimeUs === entry.facts.ctimeUs && evidence?.hasChanged !== true;
    entry.facts = facts;
    if (isSame && entry.phase !== 'growing') this.#open.delete(entry);
    else this.#grow(entry, isSame, isUntouched, { facts, moment, evidence });
    if (this.#open.has(entry)) this.#schedule(entry, moment);
    else this.#close(entry);
  }

  /** Discards conclusions from the absence of events, because events may have been lost. */
  invalidate(): void {
    for (const entry of this.#open) entry.restUntilWallMs = undefined;
  }

  /** Names to check now, up to a number, and the time until the next ones are due. */
  due(moment: Moment): { readonly names: readonly string[]; readonly nextInMs: number } {
    const { nowMs } = moment;
    const [due, later]: [TrackedFile[], TrackedFile[]] = [[], []];
    let next = this.#nextDue();
    for (; next !== undefined && next.atMs <= nowMs && due.length < DUE_MAX; next = this.#nextDue()) {
      this.#due.pop();
      next.entry.dueAtMs = Number.POSITIVE_INFINITY;
      const isDue = this.#dueInMs(next.entry, moment) <= 0;
      (isDue ? due : later).push(next.entry);
    }
    for (const entry of later) this.#schedule(entry, moment);
    const nextInMs = (this.#nextDue()?.atMs ?? Number.POSITIVE_INFINITY) - nowMs;
    // They stay due until they have been checked.
    for (const entry of due) this.#scheduleAt(entry, nowMs);
    return { names: due.map(({ name }) => name), nextInMs };
  }

  /** Decides which missing files are gone. Call it only if the root was seen to exist after they were missed. */
  settleMissing(rootSeenMs: number): void {
    for (const entry of this.#missing) {
      if (entry.phase === 'sent') continue;
      const sinceMs = entry.missingSinceMs as number;
      if (rootSeenMs < sinceMs + GONE_AFTER_MS) break;
      this.#missing.delete(entry);
      this.#open.delete(entry);
      const successor = isSuffixed(entry.name, this.#options.transferSuffix)
        ? this.#entries.get(finalName(entry.name, this.#options.transferSuffix))
        : undefined;
      const isRenamed = successor !== undefined && successor.sameSinceMs >= sinceMs;
      if (entry.sentSize >= 0 && !isRenamed) this.#report(entry, 'gone');
      else this.#forget(entry);
    }
  }

  /** The next files to report, oldest first; each is in one batch at a time. */
  takeBatch(countMax: number): readonly SeenFile[] {
    return this.#outbox.take(countMax).map(([entry, arrival]) => {
      if (entry.phase === 'ready') entry.phase = 'sent';
      return this.#toSeen(entry, arrival);
    });
  }

  /** The batch is committed as it was taken. Entries that changed since then are reported again. */
  acknowledge(batch: readonly SeenFile[]): void {
    for (const seen of batch) {
      const entry = this.#entryOf(seen);
      if (entry === undefined) continue;
      if (seen.arrival === 'gone' && entry.missingSinceMs !== undefined) this.#forget(entry);
      if (seen.arrival !== 'complete' || entry.phase !== 'sent') continue;
      if (!isSameIdentity(entry.facts.identity, seen.identity)) continue;
      entry.phase = 'known';
      entry.sentSize = -1;
      if (entry.missingSinceMs === undefined) {
        this.#close(entry);
        continue;
      }
      this.#open.add(entry);
      this.#missing.add(entry);
    }
  }

  /** Reports the valid entries of the batch again, because it may not have been committed. */
  reject(batch: readonly SeenFile[]): void {
    for (const seen of batch) {
      const entry = this.#entryOf(seen);
      if (entry === undefined || this.#outbox.has(entry)) continue;
      if (seen.arrival === 'complete' && entry.phase === 'sent') this.#complete(entry);
      else if (seen.arrival === 'gone' && entry.missingSinceMs !== undefined) this.#report(entry, 'gone');
      else if (seen.arrival === 'transferring' && entry.phase === 'growing') entry.sentAtMs = -REPORT_MS;
    }
  }

  #admit(name: string, facts: FileFacts, moment: Moment): TrackedFile | undefined {
    if (this.knownCount >= this.#options.filesMax) {
      this.#ignoredCount += 1;
      return undefined;
    }
    return this.#enter(name, facts, moment);
  }

  /** Creates an entry for a known file that vanished or has other content. */
  #reopen(name: string, identity: string, moment: Moment): TrackedFile {
    this.#known.delete(name);
    const entry = this.#enter(name, factsOfKnown(identity), moment);
    entry.phase = 'known';
    return entry;
  }

  /** Reduces a known file to its identity, unless the fate of its suffixed name is still undecided. */
  #close(entry: TrackedFile): void {
    const { name, phase, missingSinceMs, facts } = entry;
    if (phase !== 'known' || missingSinceMs !== undefined || this.suffixedOf(name) !== undefined) return;
    this.#forget(entry);
    this.#known.keep(name, facts.identity);
  }

  #enter(name: string, facts: KeptFacts, moment: Moment): TrackedFile {
    const entry: TrackedFile = {
      name,
      facts,
      hasEvent: false,
      foundIn: this.#listing,
      phase: 'growing',
      sameSinceMs: moment.nowMs,
      firstSeenWallMs: moment.wallMs,
      restUntilWallMs: undefined,
      missingSinceMs: undefined,
      dueAtMs: Number.POSITIVE_INFINITY,
      sentSize: -1,
      sentAtMs: moment.nowMs + REPORT_AFTER_MS - REPORT_MS,
    };
    this.#entries.set(name, entry);
    return entry;
  }

  #grow(entry: TrackedFile, isSame: boolean, isUntouched: boolean, { facts, moment, evidence }: Check): void {
    if (!isSame) {
      if (entry.phase !== 'growing') this.#beginAgain(entry, moment);
      entry.sameSinceMs = moment.nowMs;
    }
    this.#open.add(entry);
    if (isSuffixed(entry.name, this.#options.transferSuffix)) {
      this.#reportGrowth(entry, moment);
      return;
    }

    const restUntil = isUntouched ? entry.restUntilWallMs : undefined;
    const suffixed = this.#entries.get(entry.name + this.#options.transferSuffix);
    const before = suffixed?.missingSinceMs === undefined ? undefined : suffixed.facts;
    const restMs = restMsOf(facts, before, evidence);
    const isStable = moment.nowMs - entry.sameSinceMs >= this.#options.stableMs;
    if (restMs === 0 || isStable || isPast(restUntil, moment)) this.#complete(entry);
    else {
      entry.restUntilWallMs = restMs === undefined ? restUntil : moment.wallMs + restMs;
      this.#reportGrowth(entry, moment);
    }
  }

  /** Starts another arrival, for new content under the name of a complete file. */
  #beginAgain(entry: TrackedFile, moment: Moment): void {
    entry.phase = 'growing';
    entry.firstSeenWallMs = moment.wallMs;
    entry.sentSize = -1;
    entry.sentAtMs = moment.nowMs + REPORT_AFTER_MS - REPORT_MS;
    this.#outbox.delete(entry);
  }

  #complete(entry: TrackedFile): void {
    entry.phase = 'ready';
    entry.restUntilWallMs = undefined;
    this.#open.delete(entry);
    this.#report(entry, 'complete');
  }

  #reportGrowth(entry: TrackedFile, moment: Moment): void {
    const isDue = moment.nowMs >= entry.sentAtMs + REPORT_MS;
    if (!isDue || entry.sentSize === entry.facts.size) return;
    entry.sentSize = entry.facts.size;
    entry.sentAtMs = moment.nowMs;
    this.#report(entry, 'transferring');
  }

  #report(entry: TrackedFile, arrival: SeenFile['arrival']): void {
    this.#outbox.set(entry, arrival, entry.hasEvent);
  }

  #miss(entry: TrackedFile, moment: Moment): void {
    if (entry.missingSinceMs !== undefined) return;
    entry.missingSinceMs = moment.nowMs;
    this.#missing.add(entry);
    entry.restUntilWallMs = undefined;
    if (entry.phase === 'ready') entry.phase = 'growing';
    this.#outbox.delete(entry);
    this.#open.add(entry);
    this.#schedule(entry, moment);
  }

  #find(entry: TrackedFile): void {
    entry.foundIn = this.#listing;
    entry.missingSinceMs = undefined;
    this.#missing.delete(entry);
  }

  #schedule(entry: TrackedFile, moment: Moment): void {
    this.#scheduleAt(entry, moment.nowMs + this.#dueInMs(entry, moment));
  }

  #scheduleAt(entry: TrackedFile, atMs: number): void {
    if (atMs === entry.dueAtMs) return;
    entry.dueAtMs = atMs;
    if (Number.isFinite(atMs)) this.#due.push({ atMs, entry });
  }

  /** The first valid time in the queue; outdated ones are dropped. */
  #nextDue(): Due | undefined {
    for (;;) {
      const next = this.#due.peek();
      if (next === undefined) return undefined;
      const { atMs, entry } = next;
      const isLatest = atMs === entry.dueAtMs;
      if (isLatest && this.#open.has(entry)) return next;
      this.#due.pop();
      if (isLatest) entry.dueAtMs = Number.POSITIVE_INFINITY;
    }
  }

  #dueInMs(entry: TrackedFile, moment: Moment): number {
    if (entry.missingSinceMs !== undefined) return Number.POSITIVE_INFINITY;
    const restUntil = entry.restUntilWallMs;
    if (isPast(restUntil, moment)) return 0;
    // The watermark lags by a tick or two, so a check before that is useless.
    const toRestMs =
      restUntil === undefined ? Infinity : Math.max(CLOCK_MARGIN_MS, restUntil - moment.wallMs);
    const toReportMs =
      entry.sentSize === entry.facts.size
        ? Number.POSITIVE_INFINITY
        : entry.sentAtMs + REPORT_MS - moment.nowMs;
    if (isSuffixed(entry.name, this.#options.transferSuffix)) return toReportMs;
    return Math.min(toRestMs, toReportMs, entry.sameSinceMs + this.#options.stableMs - moment.nowMs);
  }

  /** The entry of the line, if it is still known. */
  #entryOf(seen: SeenFile): TrackedFile | undefined {
    const entry = this.#sources.get(seen);
    return entry !== undefined && this.#entries.get(entry.name) === entry ? entry : undefined;
  }

  #forget(entry: TrackedFile): void {
    this.#open.delete(entry);
    this.#missing.delete(entry);
    this.#outbox.delete(entry);
    this.#entries.delete(entry.name);
    const { transferSuffix } = this.#options;
    if (!isSuffixed(entry.name, transferSuffix)) return;
    const final = this.#entries.get(finalName(entry.name, transferSuffix));
    if (final !== undefined && !this.#open.has(final)) this.#close(final);
  }

  #toSeen(entry: TrackedFile, arrival: SeenFile['arrival']): SeenFile {
    const { size, mtimeMs, identity } = entry.facts;
    const path = finalName(entry.name, this.#options.transferSuffix);
    const seen = { path, arrival, size, mtimeMs, identity, firstSeenMs: Math.round(entry.firstSeenWallMs) };
    this.#sources.set(seen, entry);
    return seen;
  }
}

function isPast(restUntilMs: number | undefined, { watermarkMs }: Moment): boolean {
  return restUntilMs !== undefined && watermarkMs !== undefined && watermarkMs >= restUntilMs;
}
