/** What happens to the watched files, read from the service's stream of changes. */
import type { ChangeFilters, ChangeStream } from '../../client/changes.ts';
import type { Client } from '../../client/client.ts';
import type { Contact } from '../../client/contact.ts';
import { isChangesGone } from '../../client/errors.ts';
import type { AnswerOf, Change } from '../../client/operations.ts';
import { failureOf } from './failures.ts';
import { runForKnownFile } from './known-files.ts';
import { explainStandstill } from './standstill.ts';

export interface FileDone {
  readonly what: 'done';
  readonly file: string;
  /** Paths of the products in their workspace; empty if the script made none. */
  readonly products: readonly string[];
  readonly seconds: number | undefined;
}

export interface FileFailed {
  readonly what: 'failed' | 'canceled' | 'not-taken';
  readonly file: string;
  readonly reason: string;
  /** The end of what the script wrote to standard error. */
  readonly stderr: readonly string[];
  /** What to do, in sentences. */
  readonly advice: readonly string[];
}

export type FileEvent = FileDone | FileFailed;

/** Numbers of files: `waiting` and `running` now, the others since the feed began. */
export interface Counts {
  readonly arrived: number;
  readonly waiting: number;
  readonly running: number;
  /** With those that made no product. */
  readonly done: number;
  readonly withoutProduct: number;
  /** With those that were canceled. */
  readonly failed: number;
  readonly canceled: number;
}

/** What has not ended when a feed does. */
export interface Unfinished {
  /** Names of running files, some of them. */
  readonly running: readonly string[];
  /** Ended files that there was no time to show. */
  readonly unshown: number;
  /** The position in the stream of changes up to which everything was shown; undefined if that is not known. */
  readonly shownUntil: string | undefined;
}

export interface FeedOptions {
  /** Waits while the service cannot be reached. */
  readonly client: Client;
  readonly contact: Contact;
  readonly jobTypeName: string;
  readonly workspaceIds: readonly number[];
  /** A command of this program as it is typed to call the service of the watch. */
  readonly typed: (command: string) => string;
  readonly signal: AbortSignal;
  readonly onEvent: (event: FileEvent) => void;
  readonly onCounts: (counts: Counts) => void;
  /** Gets why nothing happens. */
  readonly onStandstill: (note: string) => void;
}

/** limit: ended jobs and ingests that wait to be read. Further ones are only counted. */
const WAITING_MAX = 100_000;
/** limit: jobs that are read at a time. */
const READ_MAX = 100;
const PAGE = 1_000;
const READ_EVERY_MS = 150;
/** limit: the time for showing what happened before the end. */
const FINISH_MS = 15_000;
/** limit: the part of that time in which the pause of the strike must show as a change. */
const PAUSE_MS = 5_000;
/** limit: names of running files that are shown at the end. */
const RUNNING_SHOWN = 3;

type Page = AnswerOf<'get', '/v6/changes/'>;
interface Stream {
  readonly filters: ChangeFilters;
  readonly changes: ChangeStream;
}
type Ended = { readonly kind: 'job' | 'ingest'; readonly id: number };

export class WatchFeed {
  readonly #options: FeedOptions;
  readonly #live = new Map<number, 'waiting' | 'running'>();
  readonly #ended: Ended[] = [];
  /** Ids of ingests of content that the service had already. */
  readonly #known: number[] = [];
  /** Known files by the id of their recipe, which has not ended: the lineage of a file does not show it yet. */
  readonly #started = new Map<number, number>();
  #arrived = 0;
  #done = 0;
  #withoutProduct = 0;
  #failed = 0;
  #canceled = 0;
  #unshown = 0;
  #running = 0;
  #changeCount = 0;
  #after: string | undefined;
  #streams: readonly Stream[] = [];
  /** Ends all reads. */
  #signal: AbortSignal;

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#signal = options.signal;
  }

  /**
   * Reads the live jobs and the position in the stream. Call it before the strike begins, so that no change is missed.
   * `shownUntil`: where an earlier feed of the strike has ended. Resolves with whether the changes since then are kept.
   */
  async begin(shownUntil: string | undefined): Promise<boolean> {
    const { client, jobTypeName, signal } = this.#options;
    const live = client.list('/v6/jobs/', {
      query: { job_type_name: [jobTypeName], status: ['PENDING', 'QUEUED', 'RUNNING'], fields: 'id,status' },
      signal,
    });
    for await (const { id, status } of live) this.#enter(id, status);
    this.#after = live.cursor;
    if (shownUntil === undefined) return true;
    try {
      await this.#pageOf({ kind: ['ingest'] }, shownUntil, 1);
    } catch (error) {
      if (isChangesGone(error)) return false;
      throw error;
    }
    this.#after = shownUntil;
    return true;
  }

  get counts(): Counts {
    return {
      arrived: this.#arrived,
      waiting: this.#live.size - this.#running,
      running: this.#running,
      done: this.#done,
      withoutProduct: this.#withoutProduct,
      failed: this.#failed,
      canceled: this.#canceled,
    };
  }

  /** Follows the changes. Rejects with the reason of the signal, or with the error of the stream. Call it once. */
  async run(strikeId: number): Promise<void> {
    const { client, contact, jobTypeName, workspaceIds, signal } = this.#options;
    const followed = { onLost: contact.lose, onBack: contact.find };
    const ended = new AbortController();
    const either = AbortSignal.any([signal, ended.signal]);
    this.#streams = [
      { kind: ['ingest' as const], strike_id: [strikeId] },
      { kind: ['job' as const], job_type_name: [jobTypeName] },
    ].map((filters) => ({
      filters,
      changes: client.changes({ ...followed, filters, after: this.#after, signal: either }),
    }));
    const parts = this.#streams.map(async ({ changes }) => {
      for await (const change of changes) this.#apply(change);
    });
    parts.push(this.#report(either));
    parts.push(
      explainStandstill({
        ...{ client, contact, strikeId, workspaceIds, signal: either, say: this.#options.onStandstill },
        changeCount: () => this.#changeCount,
        waitingJobId: () => (this.#running > 0 ? undefined : this.#live.keys().next().value),
      }),
    );
    try {
      await Promise.race(parts);
    } finally {
      ended.abort();
      await Promise.allSettled(parts);
    }
  }

  /** Shows what happened until now, within 15 s. Call it after the signal has ended `run` and the strike is paused. */
  async finish(strikeId: number): Promise<Unfinished> {
    this.#signal = AbortSignal.timeout(FINISH_MS);
    let shownUntil: string | undefined;
    let running: readonly string[] = [];
    try {
      await this.#awaitPause(strikeId);
      const ends: (string | undefined)[] = [];
      // Jobs first: of an ingest that is read again nothing is shown twice.
      for (const stream of this.#streams.toReversed()) ends.push(await this.#readToEnd(stream));
      while (this.#ended.length > 0 || this.#known.length > 0) await this.#reportGroup();
      [shownUntil] = ends;
      if (this.#running > 0) running = await this.#runningFiles();
    } catch (error) {
      if (!this.#signal.aborted) throw error;
    }
    return { running, shownUntil, unshown: this.#unshown + this.#ended.length + this.#known.length };
  }

  async #readToEnd({ filters, changes }: Stream): Promise<string | undefined> {
    for (let after = changes.cursor; ; ) {
      const page = await this.#pageOf(filters, after);
      for (const change of page.changes) this.#apply(change);
      after = page.cursor;
      if (page.is_at_end) return after;
    }
  }

  async #runningFiles(): Promise<readonly string[]> {
    const { client, jobTypeName } = this.#options;
    const files: string[] = [];
    const query = { job_type_name: [jobTypeName], status: ['RUNNING' as const] };
    for await (const job of client.list('/v6/jobs/', {
      query,
      signal: this.#signal,
      pageSize: RUNNING_SHOWN,
    })) {
      files.push(fileOf(job));
      if (files.length === RUNNING_SHOWN) break;
    }
    return files;
  }

  /** The pause is a change too: once it can be read, so can all earlier changes. */
  async #awaitPause(strikeId: number): Promise<void> {
    const filters = { kind: ['strike' as const], id: [strikeId], status: ['PAUSED' as const] };
    const after = this.#streams[0]?.changes.cursor;
    const endMs = performance.now() + PAUSE_MS;
    // poll: a change can be read shortly after its commit. If the strike was paused already, there is none.
    while ((await this.#pageOf(filters, after)).changes.length === 0 && performance.now() < endMs)
      await pause(READ_EVERY_MS, this.#signal);
  }

  #apply(change: Change): void {
    const { kind, id } = change;
    this.#changeCount += 1;
    const to = change.to ?? '';
    if (kind === 'ingest') {
      if (to === 'INGESTED') this.#arrived += 1;
      else if (to === 'DUPLICATE') this.#known.push(id);
      else if (to === 'ERRORED') this.#note({ kind, id });
      return;
    }
    if (change.what === 'removed') this.#leave(id);
    else if (to === 'COMPLETED' || to === 'FAILED' || to === 'CANCELED') {
      this.#leave(id);
      if (to === 'COMPLETED') this.#done += 1;
      else this.#failed += 1;
      if (to === 'CANCELED') this.#canceled += 1;
      if (change.recipe_id !== undefined) this.#started.delete(change.recipe_id);
      this.#note({ kind: 'job', id });
    } else if (to !== '') this.#enter(id, to);
  }

  #enter(id: number, status: string): void {
    this.#leave(id);
    const state = status === 'RUNNING' ? 'running' : 'waiting';
    if (state === 'running') this.#running += 1;
    this.#live.set(id, state);
  }

  #leave(id: number): void {
    if (this.#live.get(id) === 'running') this.#running -= 1;
    this.#live.delete(id);
  }

  #note(ended: Ended): void {
    if (this.#ended.length < WAITING_MAX) this.#ended.push(ended);
    else this.#unshown += 1;
  }

  #pageOf(filters: ChangeFilters, after: string | undefined, limit = PAGE): Promise<Page> {
    const query = { ...filters, ...(after === undefined ? {} : { after }), limit };
    return this.#options.client.get('/v6/changes/', { query, signal: this.#signal });
  }

  async #report(signal: AbortSignal): Promise<never> {
    // poll: ended jobs are read in groups, so that a thousand small files do not cost a thousand calls.
    for (;;) {
      if (this.#ended.length < READ_MAX) await pause(READ_EVERY_MS, signal);
      await this.#reportGroup();
      this.#options.onCounts(this.counts);
    }
  }

  /** Removes entries only after they were read, so that an interrupted group can be read again. */
  async #reportGroup(): Promise<void> {
    const { onEvent } = this.#options;
    for (let [id] = this.#known; id !== undefined; [id] = this.#known) {
      const event = await this.#takeKnown(id);
      this.#known.shift();
      if (event !== undefined) onEvent(event);
    }
    const group = this.#ended.slice(0, READ_MAX);
    const idsOf = (kind: Ended['kind']) => group.filter((one) => one.kind === kind).map(({ id }) => id);
    const events = [...(await this.#ingestEvents(idsOf('ingest'))), ...(await this.#jobEvents(idsOf('job')))];
    this.#ended.splice(0, group.length);
    for (const event of events) {
      if (event.what === 'done' && event.products.length === 0) this.#withoutProduct += 1;
      onEvent(event);
    }
  }

  async #ingestEvents(ids: readonly number[]): Promise<FileEvent[]> {
    const events: FileEvent[] = [];
    for (const id of ids) {
      const { file_name: file, status, reason } = await this.#ingest(id);
      if (status === 'ERRORED')
        events.push({ what: 'not-taken', file, reason: reason ?? '', stderr: [], advice: [] });
    }
    return events;
  }

  #ingest(id: number) {
    return this.#options.client.get('/v6/ingests/{id}/', { path: { id }, signal: this.#signal });
  }

  /** A strike ingests no content twice, so the recipe is started for the recorded file. */
  async #takeKnown(id: number): Promise<FileEvent | undefined> {
    const { client, jobTypeName } = this.#options;
    const { file_name: file, source_file: source, reason } = await this.#ingest(id);
    const fileId = source?.id;
    if (fileId !== undefined && ![...this.#started.values()].includes(fileId)) {
      const recipeId = await runForKnownFile(client, jobTypeName, { fileId, ingestId: id }, this.#signal);
      if (recipeId !== undefined) {
        this.#started.set(recipeId, fileId);
        this.#arrived += 1;
        return undefined;
      }
    }
    const done = 'this content is done already under this name';
    return { what: 'not-taken', file, reason: reason ?? done, stderr: [], advice: [] };
  }

  async #jobEvents(ids: readonly number[]): Promise<FileEvent[]> {
    if (ids.length === 0) return [];
    const { client } = this.#options;
    const signal = this.#signal;
    const products = new Map<number, string[]>();
    for await (const file of client.list('/v6/files/', {
      query: { job_id: [...ids], file_type: ['PRODUCT'] },
      signal,
    })) {
      const id = file.job?.id;
      if (id !== undefined) products.set(id, [...(products.get(id) ?? []), file.file_path]);
    }
    const events: FileEvent[] = [];
    for await (const job of client.list('/v6/jobs/', { query: { job_id: [...ids] }, signal })) {
      const file = fileOf(job);
      if (job.status === 'COMPLETED') {
        events.push({ what: 'done', file, products: products.get(job.id) ?? [], seconds: secondsOf(job) });
      } else if (job.status === 'FAILED') {
        events.push({ what: 'failed', file, ...(await failureOf(this.#options, job, signal)) });
      } else if (job.status === 'CANCELED') {
        events.push({ what: 'canceled', file, reason: job.reason ?? '', stderr: [], advice: [] });
      }
    }
    return events;
  }
}

function fileOf({
  input_files: files,
}: {
  readonly input_files: Readonly<Record<string, readonly string[]>>;
}) {
  return Object.values(files).flat().join(', ');
}

function secondsOf({ started, ended }: { started: string | null; ended: string | null }): number | undefined {
  if (started === null || ended === null) return undefined;
  return Math.max(0, Date.parse(ended) - Date.parse(started)) / 1_000;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const end = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}
