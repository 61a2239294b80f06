/** What happens to the watched files, as the service's stream of changes has it. */
import type { Client } from '../../client/client.ts';
import type { Change } from '../../client/operations.ts';
import { runForKnownFile } from './known-files.ts';

export interface FileDone {
  readonly what: 'done';
  readonly file: string;
  /** Their paths in the workspace of products; empty if the script made none. */
  readonly products: readonly string[];
  readonly seconds: number | undefined;
}

export interface FileFailed {
  readonly what: 'failed' | 'canceled' | 'not-taken';
  readonly file: string;
  readonly reason: string;
  /** The end of what the script wrote to standard error. */
  readonly stderr: readonly string[];
}

export type FileEvent = FileDone | FileFailed;

/** Since the feed began, but for what waits and runs now. */
export interface Counts {
  readonly arrived: number;
  readonly waiting: number;
  readonly running: number;
  readonly done: number;
  readonly failed: number;
}

export interface FeedOptions {
  readonly client: Client;
  readonly jobTypeName: string;
  readonly signal: AbortSignal;
  readonly onEvent: (event: FileEvent) => void;
  readonly onCounts: (counts: Counts) => void;
}

/** limit: files whose events wait to be read; of the others only their number is shown. */
const WAITING_MAX = 500;
/** limit: jobs that are read at a time. */
const READ_MAX = 100;
const READ_EVERY_MS = 150;
const STDERR_LINES = 5;
const STDERR_BYTES = 4_096;

type Ended = { readonly kind: 'job' | 'ingest'; readonly id: number };

export class WatchFeed {
  readonly #options: FeedOptions;
  readonly #live = new Map<number, 'waiting' | 'running'>();
  readonly #ended: Ended[] = [];
  /** Ids of ingests whose content the service has already. */
  readonly #known: number[] = [];
  readonly #knownFiles = new Set<number>();
  #arrived = 0;
  #done = 0;
  #failed = 0;
  #running = 0;
  #after: string | undefined;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** Reads what is under way, so that nothing of what follows is missed. To be called before the strike begins. */
  async begin(): Promise<void> {
    const { client, jobTypeName, signal } = this.#options;
    const live = client.list('/v6/jobs/', {
      query: { job_type_name: [jobTypeName], status: ['PENDING', 'QUEUED', 'RUNNING'], fields: 'id,status' },
      signal,
    });
    for await (const { id, status } of live) this.#enter(id, status);
    this.#after = live.cursor;
  }

  /** Rejects with the reason of the signal, or with what ended the stream. */
  async run(strikeId: number): Promise<void> {
    const { client, jobTypeName, signal } = this.#options;
    const ingests = { kind: ['ingest' as const], strike_id: [strikeId] };
    const jobs = { kind: ['job' as const], job_type_name: [jobTypeName] };
    const ended = new AbortController();
    const either = AbortSignal.any([signal, ended.signal]);
    const follow = async (filters: typeof ingests | typeof jobs): Promise<void> => {
      for await (const change of client.changes({ filters, after: this.#after, signal: either }))
        this.#apply(change);
    };
    try {
      await Promise.race([follow(ingests), follow(jobs), this.#report(either)]);
    } finally {
      ended.abort();
    }
  }

  #apply(change: Change): void {
    const { kind, id } = change;
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
  }

  async #report(signal: AbortSignal): Promise<never> {
    // poll: what ended is read in groups, so that a thousand small files do not cost a thousand calls.
    for (;;) {
      await pause(READ_EVERY_MS, signal);
      const group = this.#ended.splice(0, READ_MAX);
      for (const id of this.#known.splice(0, READ_MAX)) await this.#takeKnown(id);
      await this.#reportIngests(group.filter(({ kind }) => kind === 'ingest'));
      await this.#reportJobs(group.filter(({ kind }) => kind === 'job').map(({ id }) => id));
      this.#options.onCounts({
        arrived: this.#arrived,
        waiting: this.#live.size - this.#running,
        running: this.#running,
        done: this.#done,
        failed: this.#failed,
      });
    }
  }

  async #reportIngests(group: readonly Ended[]): Promise<void> {
    const { client, onEvent, signal } = this.#options;
    for (const { id } of group) {
      const {
        file_name: file,
        status,
        reason,
      } = await client.get('/v6/ingests/{id}/', { path: { id }, signal });
      if (status === 'ERRORED') onEvent({ what: 'not-taken', file, reason: reason ?? '', stderr: [] });
    }
  }

  /** A strike ingests no content twice: the recipe is started for the file that is recorded. */
  async #takeKnown(id: number): Promise<void> {
    const { client, jobTypeName, onEvent, signal } = this.#options;
    const ingest = await client.get('/v6/ingests/{id}/', { path: { id }, signal });
    const { file_name: file, source_file: source } = ingest;
    const fileId = source?.id;
    if (fileId !== undefined && !this.#knownFiles.has(fileId)) {
      this.#knownFiles.add(fileId);
      if (await runForKnownFile(client, jobTypeName, fileId)) {
        this.#arrived += 1;
        return;
      }
    }
    const reason = ingest.reason ?? 'this content is done already under this name';
    onEvent({ what: 'not-taken', file, reason, stderr: [] });
  }

  async #reportJobs(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    const { client, onEvent, signal } = this.#options;
    const products = new Map<number, string[]>();
    for await (const file of client.list('/v6/files/', {
      query: { job_id: [...ids], file_type: ['PRODUCT'] },
      signal,
    })) {
      const id = file.job?.id;
      if (id !== undefined) products.set(id, [...(products.get(id) ?? []), file.file_path]);
    }
    for await (const job of client.list('/v6/jobs/', { query: { job_id: [...ids] }, signal })) {
      const file = Object.values(job.input_files).flat().join(', ');
      if (job.status === 'COMPLETED') {
        onEvent({ what: 'done', file, products: products.get(job.id) ?? [], seconds: secondsOf(job) });
      } else if (job.status === 'FAILED') {
        onEvent({ what: 'failed', file, reason: reasonOf(job), stderr: await this.#stderrOf(job.id) });
      } else if (job.status === 'CANCELED') {
        onEvent({ what: 'canceled', file, reason: job.reason ?? '', stderr: [] });
      }
    }
  }

  async #stderrOf(jobId: number): Promise<readonly string[]> {
    const { client, signal } = this.#options;
    const { execution } = await client.get('/v6/jobs/{id}/', { path: { id: jobId }, signal });
    if (execution === null) return [];
    let end = Buffer.alloc(0);
    const log = client.log({ executionId: execution.id, stream: 'stderr', isFollowed: false }, { signal });
    for await (const piece of log) end = Buffer.concat([end, piece]).subarray(-STDERR_BYTES);
    return end
      .toString('utf8')
      .trimEnd()
      .split('\n')
      .slice(-STDERR_LINES)
      .filter((line) => line !== '');
  }
}

/** What `reason` says behind its first line is the end of the log, which is shown beside it. */
function reasonOf({ error, reason }: { error: { title: string } | null; reason: string | null }): string {
  const first = (reason ?? '').split(/[;\n]/, 1).join('');
  return [error?.title ?? '', first].filter((text) => text !== '').join(': ');
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
