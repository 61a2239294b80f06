/**
 * The files of one directory as a monitor knows them, and those still to be reported. It has no clock, no timer and no
 * file: it gets facts and is asked for batches. Times are monotonic milliseconds unless stated otherwise.
 */

import { finalName, isSuffixed } from '../../src/domain/ingest/arriving-name.ts';
import { Heap } from '../../src/lib/heap.ts';
import { type FileFacts, isSameIdentity } from '../../src/storage/file-facts.ts';
import { CLOCK_MARGIN_MS, type Evidence, restMsOf } from './arrival-proof.ts';

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
  /** limit: names known at a time; further ones are seen by a later listing. */
  readonly filesMax: number;
}

/** The moment of a check: both clocks, and the watermark when the present events were taken. */
export interface Moment {
  readonly nowMs: number;
  readonly wallMs: number;
  readonly watermarkMs: number | undefined;
}

interface Entry {
  readonly name: string;
  facts: FileFacts;
  /** growing: may still change; ready: complete, to be reported; told: in a batch in flight; known: acknowledged. */
  phase: 'growing' | 'ready' | 'told' | 'known';
  sameSinceMs: number;
  firstSeenWallMs: number;
  /** Wall-clock time that the watermark has to pass while the file is unchanged (see arrival-proof.ts). */
  restUntilWallMs: number | undefined;
  missingSinceMs: number | undefined;
  /** The time at which it may change next without an event; other times in the queue are outdated. Infinity: none. */
  dueAtMs: number;
  /** The size last reported while transferring; -1 if none was. */
  toldSize: number;
  toldAtMs: number;
}

/** A growing file is first reported after this time: most are complete by then. */
const TELL_AFTER_MS = 500;
const TELL_EVERY_MS = 1_000;
/** A vanished name may reappear as another one (a suffix removed) before it counts as gone. */
const GONE_AFTER_MS = 1_000;

/** limit: names that are checked together. */
const DUE_MAX = 4_096;

interface Due {
  readonly atMs: number;
  readonly entry: Entry;
}

export class FileTracker {
  readonly #options: TrackerOptions;
  readonly #entries = new Map<string, Entry>();
  /** Entries that are growing or missing. */
  readonly #open = new Set<Entry>();
  /** The due times of growing files, so that not all open entries have to be searched for the few that are due. */
  readonly #due = new Heap<Due>((one, other) => one.atMs < other.atMs);
  /** In the order in which they were missed. */
  readonly #missing = new Set<Entry>();
  readonly #outbox = new Map<Entry, SeenFile['arrival']>();
  readonly #sources = new WeakMap<SeenFile, Entry>();
  #ignoredCount = 0;

  constructor(options: TrackerOptions) {
    this.#options = options;
  }

  get knownCount(): number {
    return this.#entries.size;
  }

  /** Files that were ignored because too many are known. */
  get ignoredCount(): number {
    return this.#ignoredCount;
  }

  get pendingCount(): number {
    return this.#outbox.size;
  }

  names(): IterableIterator<string> {
    return this.#entries.keys();
  }

  /** Handles a check of `name`; `facts` is undefined if there is no regular file. */
  observe(name: string, facts: FileFacts | undefined, moment: Moment, evidence?: Evidence): void {
    const known = this.#entries.get(name);
    if (facts?.kind !== 'file') {
      if (known !== undefined) this.#miss(known, moment);
      return;
    }
    const entry = known ?? this.#admit(name, facts, moment);
    if (entry === undefined) return;
    this.#find(entry);
    const isSame = known !== undefined && isSameIdentity(facts.identity, entry.facts.identity);
    const isUntouched = isSame && facts.ctimeUs === entry.facts.ctimeUs && evidence?.hasChanged !== true;
    entry.facts = facts;
    if (isSame && entry.phase !== 'growing') this.#open.delete(entry);
    else this.#grow(entry, isSame, isUntouched, moment, evidence);
    if (this.#open.has(entry)) this.#schedule(entry, moment);
  }

  /** Events may have been lost: conclusions from the absence of events are void. */
  invalidate(): void {
    for (const entry of this.#open) entry.restUntilWallMs = undefined;
  }

  /** Names to check now, up to a number, and the time until the next ones are due. */
  due(moment: Moment): { readonly names: readonly string[]; readonly nextInMs: number } {
    const { nowMs } = moment;
    const [due, later]: [Entry[], Entry[]] = [[], []];
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
      if (entry.phase === 'told') continue;
      const sinceMs = entry.missingSinceMs as number;
      if (rootSeenMs < sinceMs + GONE_AFTER_MS) break;
      this.#missing.delete(entry);
      this.#open.delete(entry);
      const successor = isSuffixed(entry.name, this.#options.transferSuffix)
        ? this.#entries.get(finalName(entry.name, this.#options.transferSuffix))
        : undefined;
      const isRenamed = successor !== undefined && successor.sameSinceMs >= sinceMs;
      if (entry.toldSize >= 0 && !isRenamed) this.#outbox.set(entry, 'gone');
      else this.#forget(entry);
    }
  }

  /** The next files to report, oldest first; each is in one batch at a time. */
  takeBatch(countMax: number): readonly SeenFile[] {
    const batch: SeenFile[] = [];
    for (const [entry, arrival] of this.#outbox) {
      if (batch.length === countMax) break;
      this.#outbox.delete(entry);
      if (entry.phase === 'ready') entry.phase = 'told';
      batch.push(this.#toSeen(entry, arrival));
    }
    return batch;
  }

  /** The batch is committed as it was taken. Entries that changed since then are reported again. */
  acknowledge(batch: readonly SeenFile[]): void {
    for (const seen of batch) {
      const entry = this.#entryOf(seen);
      if (entry === undefined) continue;
      if (seen.arrival === 'gone' && entry.missingSinceMs !== undefined) this.#forget(entry);
      if (seen.arrival !== 'complete' || entry.phase !== 'told') continue;
      if (!isSameIdentity(entry.facts.identity, seen.identity)) continue;
      entry.phase = 'known';
      entry.toldSize = -1;
      if (entry.missingSinceMs === undefined) continue;
      this.#open.add(entry);
      this.#missing.add(entry);
    }
  }

  /** The batch was not committed, or that is unknown: everything in it that is still valid is reported again. */
  reject(batch: readonly SeenFile[]): void {
    for (const seen of batch) {
      const entry = this.#entryOf(seen);
      if (entry === undefined || this.#outbox.has(entry)) continue;
      if (seen.arrival === 'complete' && entry.phase === 'told') this.#complete(entry);
      else if (seen.arrival === 'gone' && entry.missingSinceMs !== undefined) this.#outbox.set(entry, 'gone');
      else if (seen.arrival === 'transferring' && entry.phase === 'growing') entry.toldAtMs = -TELL_EVERY_MS;
    }
  }

  #admit(name: string, facts: FileFacts, moment: Moment): Entry | undefined {
    if (this.#entries.size >= this.#options.filesMax) {
      this.#ignoredCount += 1;
      return undefined;
    }
    const entry: Entry = {
      name,
      facts,
      phase: 'growing',
      sameSinceMs: moment.nowMs,
      firstSeenWallMs: moment.wallMs,
      restUntilWallMs: undefined,
      missingSinceMs: undefined,
      dueAtMs: Number.POSITIVE_INFINITY,
      toldSize: -1,
      toldAtMs: moment.nowMs + TELL_AFTER_MS - TELL_EVERY_MS,
    };
    this.#entries.set(name, entry);
    return entry;
  }

  #grow(entry: Entry, isSame: boolean, isUntouched: boolean, moment: Moment, evidence?: Evidence): void {
    if (!isSame) {
      if (entry.phase !== 'growing') this.#beginAgain(entry, moment);
      entry.sameSinceMs = moment.nowMs;
    }
    this.#open.add(entry);
    if (isSuffixed(entry.name, this.#options.transferSuffix)) {
      this.#tellGrowth(entry, moment);
      return;
    }

    const restUntil = isUntouched ? entry.restUntilWallMs : undefined;
    const suffixed = this.#entries.get(entry.name + this.#options.transferSuffix);
    const before = suffixed?.missingSinceMs === undefined ? undefined : suffixed.facts;
    const restMs = restMsOf(entry.facts, before, evidence);
    const isStable = moment.nowMs - entry.sameSinceMs >= this.#options.stableMs;
    if (restMs === 0 || isStable || isPast(restUntil, moment)) this.#complete(entry);
    else {
      entry.restUntilWallMs = restMs === undefined ? restUntil : moment.wallMs + restMs;
      this.#tellGrowth(entry, moment);
    }
  }

  /** New content under the name of a complete file: another arrival. */
  #beginAgain(entry: Entry, moment: Moment): void {
    entry.phase = 'growing';
    entry.firstSeenWallMs = moment.wallMs;
    entry.toldSize = -1;
    entry.toldAtMs = moment.nowMs + TELL_AFTER_MS - TELL_EVERY_MS;
    this.#outbox.delete(entry);
  }

  #complete(entry: Entry): void {
    entry.phase = 'ready';
    entry.restUntilWallMs = undefined;
    this.#open.delete(entry);
    this.#outbox.set(entry, 'complete');
  }

  #tellGrowth(entry: Entry, moment: Moment): void {
    const isDue = moment.nowMs >= entry.toldAtMs + TELL_EVERY_MS;
    if (!isDue || entry.toldSize === entry.facts.size) return;
    entry.toldSize = entry.facts.size;
    entry.toldAtMs = moment.nowMs;
    this.#outbox.set(entry, 'transferring');
  }

  #miss(entry: Entry, moment: Moment): void {
    if (entry.missingSinceMs !== undefined) return;
    entry.missingSinceMs = moment.nowMs;
    this.#missing.add(entry);
    entry.restUntilWallMs = undefined;
    if (entry.phase === 'ready') entry.phase = 'growing';
    this.#outbox.delete(entry);
    this.#open.add(entry);
    this.#schedule(entry, moment);
  }

  #find(entry: Entry): void {
    entry.missingSinceMs = undefined;
    this.#missing.delete(entry);
  }

  #schedule(entry: Entry, moment: Moment): void {
    this.#scheduleAt(entry, moment.nowMs + this.#dueInMs(entry, moment));
  }

  #scheduleAt(entry: Entry, atMs: number): void {
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

  #dueInMs(entry: Entry, moment: Moment): number {
    if (entry.missingSinceMs !== undefined) return Number.POSITIVE_INFINITY;
    const restUntil = entry.restUntilWallMs;
    if (isPast(restUntil, moment)) return 0;
    // The watermark lags by a tick or two: asking again before then is useless.
    const toRestMs =
      restUntil === undefined ? Infinity : Math.max(CLOCK_MARGIN_MS, restUntil - moment.wallMs);
    const toTellMs =
      entry.toldSize === entry.facts.size
        ? Number.POSITIVE_INFINITY
        : entry.toldAtMs + TELL_EVERY_MS - moment.nowMs;
    if (isSuffixed(entry.name, this.#options.transferSuffix)) return toTellMs;
    return Math.min(toRestMs, toTellMs, entry.sameSinceMs + this.#options.stableMs - moment.nowMs);
  }

  /** The entry of the line, if it is still known. */
  #entryOf(seen: SeenFile): Entry | undefined {
    const entry = this.#sources.get(seen);
    return entry !== undefined && this.#entries.get(entry.name) === entry ? entry : undefined;
  }

  #forget(entry: Entry): void {
    this.#open.delete(entry);
    this.#missing.delete(entry);
    this.#outbox.delete(entry);
    this.#entries.delete(entry.name);
  }

  #toSeen(entry: Entry, arrival: SeenFile['arrival']): SeenFile {
    const { size, mtimeMs, identity } = entry.facts;
    const path = finalName(entry.name, this.#options.transferSuffix);
    const firstSeenMs = Math.round(entry.firstSeenWallMs);
    const seen: SeenFile = { path, arrival, size, mtimeMs, identity, firstSeenMs };
    this.#sources.set(seen, entry);
    return seen;
  }
}

function isPast(restUntilWallMs: number | undefined, { watermarkMs }: Moment): boolean {
  return restUntilWallMs !== undefined && watermarkMs !== undefined && watermarkMs >= restUntilWallMs;
}
