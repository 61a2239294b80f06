/** Metrics of a real store, with jobs and ingests that end at chosen instants. */

import { metricsRoutes } from '../../../src/api/metrics/routes.ts';
import type { IngestOwner } from '../../../src/domain/ingest/ingest.ts';
import { ensureBuiltins } from '../../../src/store/catalog/builtins.ts';
import { foldOutcomes } from '../../../src/store/job/outcomes.ts';
import { foldHours } from '../../../src/store/metrics/hour-totals.ts';
import { createScan } from '../../../src/store/scan/edit.ts';
import {
  makeArrival,
  makeEnd,
  makeExecutionEnd,
  makeIngestEnd,
  makeStart,
  savedJob,
} from '../../store/make.ts';
import { SCAN_CONFIGURATION, type StoreWorld, storeWorld } from '../../store/store-world.ts';
import { type Caller, makeCaller, NOW_MS } from '../http.ts';

export const HOUR_MS = 3_600_000;
/** An hour, the day before the requests. */
export const AT_MS = NOW_MS - 24 * HOUR_MS;
export const iso = (ms: number) => new Date(ms).toISOString();
export const hour = (ms: number) => iso(ms).slice(0, 19);

interface MetricsWorld {
  readonly store: StoreWorld;
  readonly caller: Caller;
  /** Values of the series by column: `[datetime, value]`, or `[datetime, value, id]`. */
  series(path: string): Promise<Record<string, unknown[]>>;
}

export async function metricsWorld(
  t: { teardown(handler: () => Promise<void>): void },
  valuesMax?: number,
): Promise<MetricsWorld> {
  const store = await storeWorld(t);
  const caller = makeCaller(metricsRoutes, {
    sql: store.db.sql,
    ...(valuesMax === undefined ? {} : { metricsValuesMax: valuesMax }),
  });
  return {
    store,
    caller,
    async series(path) {
      const { status, json, text } = await caller.get(`/v6/metrics/${path}`);
      if (status !== 200) throw new Error(text);
      return Object.fromEntries(
        // biome-ignore lint/suspicious/noExplicitAny: items of the answer
        json.results.map((one: any) => [
          one.column.name,
          // biome-ignore lint/suspicious/noExplicitAny: items of the answer
          one.values.map(({ datetime, value, id }: any) =>
            id === undefined ? [datetime, value] : [datetime, value, id],
          ),
        ]),
      );
    },
  };
}

interface Ending {
  readonly jobTypeId?: number;
  readonly to?: 'COMPLETED' | 'FAILED';
  readonly errorName?: string;
  /** The duration of the main task. The other tasks, and the pauses between all, take a second each. */
  readonly mainMs?: number;
}

/** Creates a job that waited 5 s, ran, and ended. Resolves with its id. */
export async function ended(store: StoreWorld, endMs: number, how: Ending = {}): Promise<number> {
  const { to = 'COMPLETED', errorName, mainMs = 10_000 } = how;
  const startMs = endMs - mainMs - 4_000;
  const jobTypeId = how.jobTypeId ?? store.ids.type;
  const { id } = await savedJob(store, { jobTypeId, atMs: startMs - 5_000 });
  await store.rows('update job set queued = to_timestamp($2::float8 / 1000) where id = $1', [
    id,
    startMs - 5_000,
  ]);
  const start = await makeStart(store, id, { atMs: startMs });
  await store.apply({ type: 'startExecutions', starts: [start] });
  const error = errorName === undefined ? null : { name: errorName, isBuiltin: errorName === 'unknown' };
  const times = [
    ['pull', 0, 1_000],
    ['pre', 1_000, 2_000],
    ['main', 2_000, 2_000 + mainMs],
    ['post', 2_000 + mainMs, 3_000 + mainMs],
  ] as const;
  const phases = times.map(([phase, from, until]) => {
    return { phase, startedMs: startMs + from, endedMs: startMs + until, exitCode: 0, isTimedOut: false };
  });
  await store.apply(
    { type: 'moveJobs', moves: [makeEnd(id, { to, error, atMs: endMs })] },
    {
      type: 'endExecutions',
      ends: [makeExecutionEnd(start.executionId, { status: to, error, phases, atMs: endMs })],
    },
  );
  return id;
}

export async function fold({ store }: MetricsWorld): Promise<void> {
  await foldHours(store.db.sql);
  await foldOutcomes(store.db.sql, NOW_MS);
}

export async function newStrike(store: StoreWorld): Promise<number> {
  const id = await store.newId('strike');
  const job = await savedJob(store);
  await store.rows(
    `insert into strike (id, shard, name, title, configuration, workspace_id, job_id, created, last_modified)
     values ($1::bigint, 1, 'strike-' || $1::bigint, 'S', '{}', $2, $3, now(), now())`,
    [id, store.ids.in, job.id],
  );
  return id;
}

export async function newScan({ db, ids }: StoreWorld, title = 'Scan'): Promise<number> {
  await ensureBuiltins(db.sql, NOW_MS);
  return createScan(db.sql, {
    title,
    description: '',
    configuration: SCAN_CONFIGURATION,
    workspaceId: ids.in,
    nowMs: NOW_MS,
  });
}

interface Arrived {
  readonly status: 'DEFERRED' | 'INGESTED' | 'ERRORED' | 'DUPLICATE';
  readonly size: number;
  /** The path of the file; a new one when absent. */
  readonly filePath?: string;
}

/**
 * Creates an ingest of a strike or scan, for a file of a given size that took two seconds to transfer. Resolves with
 * its id.
 */
export async function arrived(
  store: StoreWorld,
  owner: number | IngestOwner,
  atMs: number,
  { status, size, filePath }: Arrived,
): Promise<number> {
  const ids = { jobTypeId: store.ids.type, jobTypeRevId: store.ids.rev };
  const template = { shard: 1, ...ids, priority: 1, maxTries: 9, timeoutS: 0 } as const;
  const newId = await store.newId('ingest');
  const seen = { ingestId: newId, filePath: filePath ?? `f/${newId}`, size, atMs, firstSeenMs: atMs - 2_000 };
  const arrival = await makeArrival(store, {
    ...seen,
    status: status === 'DEFERRED' ? 'DEFERRED' : 'TRANSFERRED',
  });
  const whose: IngestOwner = typeof owner === 'number' ? { kind: 'strike', key: owner } : owner;
  const results = await store.apply({ type: 'recordArrivals', owner: whose, template, arrivals: [arrival] });
  const [recorded] = results as readonly { readonly accepted: readonly { readonly ingestId: number }[] }[];
  const ingestId = recorded?.accepted[0]?.ingestId ?? newId;
  if (status === 'DEFERRED') return ingestId;
  await store.apply({ type: 'startIngests', ingests: [{ ingestId, atMs }] });
  const end = { ...makeIngestEnd(ingestId), status, atMs: atMs + 3_500 };
  await store.apply({ type: 'endIngests', ingests: [end] });
  return ingestId;
}
