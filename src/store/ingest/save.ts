/** Ingests of a group: arrivals (see known-ingests.ts, arrivals.ts), starts, ends and progress. */
import { setImmediate } from 'node:timers/promises';
import type { IngestEnd, IngestStatus } from '../../domain/ingest/ingest.ts';
import { countIngests, ingestColumns } from '../metrics/hour-totals.ts';
import type { Group } from '../sql/group.ts';
import { guarded } from '../sql/guard-sql.ts';
import { pipelined } from '../sql/pipelined.ts';
import { idArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';
import { rowsOf } from '../sql/table-rows.ts';
import { UniformRows } from '../sql/uniform-rows.ts';
import type { Arrivals, ArrivedIngest } from './arrivals.ts';
import { IngestEntity } from './table.ts';

const ARRIVED = rowsOf(IngestEntity).from<ArrivedIngest>({
  id: (row) => row.ingestId,
  strikeId: ({ owner }) => (owner.kind === 'strike' ? owner.key : null),
  scanId: ({ owner }) => (owner.kind === 'scan' ? owner.key : null),
  jobId: (row) => row.jobId,
  fileName: ({ arrival }) => arrival.fileName,
  status: ({ arrival, startedMs }) => (startedMs === null ? arrival.status : 'INGESTING'),
  workspaceId: ({ arrival }) => arrival.workspaceId,
  filePath: ({ arrival }) => arrival.filePath,
  arrival: ({ arrival }) => arrival.identity,
  fileSize: ({ arrival }) => arrival.size,
  mtimeMs: ({ arrival }) => arrival.mtimeMs,
  bytesTransferred: ({ arrival }) => arrival.size,
  transferStarted: (row) => Math.min(row.firstSeenMs, row.arrival.atMs),
  transferEnded: ({ arrival }) => (arrival.identity === null ? null : arrival.atMs),
  mediaType: ({ arrival }) => arrival.mediaType,
  dataTypeTags: ({ arrival }) => arrival.tags,
  newWorkspaceId: ({ arrival }) => arrival.newWorkspaceId,
  newFilePath: ({ arrival }) => arrival.newFilePath,
  reason: ({ arrival }) => arrival.reason,
  ingestStarted: (row) => row.startedMs,
  ingestEnded: ({ arrival }) => (hasEnded(arrival) ? arrival.atMs : null),
  created: ({ arrival }) => arrival.atMs,
  lastModified: ({ arrival }) => arrival.atMs,
});

/** A deferred or failed ingest is not tried again until it is requested. */
function hasEnded({ status }: ArrivedIngest['arrival']): boolean {
  return status === 'DEFERRED' || status === 'ERRORED';
}

const VARYING = [
  ...['id', 'job_id', 'file_name', 'file_path', 'arrival', 'file_size', 'mtime_ms', 'bytes_transferred'],
  'media_type',
];

const insertInto = (table: string) =>
  /* sql */ `insert into ingest (${ARRIVED.names}) select * from ${table}`;

const INSERT_INGESTS = new UniformRows('insert_ingests', ARRIVED, VARYING, insertInto);

/** Ingests that have ended, which are counted. */
const INSERT_ENDED_INGESTS = new UniformRows(
  'insert_ended_ingests',
  ARRIVED,
  VARYING,
  (table) => /* sql */ `
    with i as (
      ${insertInto(table)} returning *)
    ${countIngests(`select ${ingestColumns('i', 1)} from i`)}`,
);

/**
 * Counts the rows of `moved`, and subtracts the state that the rows of `left` had before the statement. The offset
 * prevents the planner from merging the subquery: by the status, it would read all ended ingests for each row.
 */
function countMoved(left: string): string {
  return countIngests(`
    select ${ingestColumns('moved', 1)} from moved
    union all
    select ${ingestColumns('o', -1)} from (${left}) as gone cross join lateral (
      select * from ingest x where x.id = gone.id offset 0) as o`);
}

/** True for a new try of a transferred file, whose arrival and duration of transfer are kept. */
const IS_TRIED_AGAIN = `i.transfer_ended is not null and i.arrival = d.arrival`;

const TAKE_OVER_INGESTS = {
  name: 'take_over_ingests',
  text: /* sql */ `
    with moved as (
      update ingest i set job_id = d.job_id, status = d.status, arrival = d.arrival, file_size = d.file_size,
        mtime_ms = d.mtime_ms, bytes_transferred = d.bytes_transferred,
        transfer_started = case when ${IS_TRIED_AGAIN} then i.transfer_started
          else least(i.transfer_started, d.transfer_ended) end,
        transfer_ended = case when ${IS_TRIED_AGAIN} then i.transfer_ended
          else coalesce(d.transfer_ended, i.transfer_ended) end, data_type_tags = d.data_type_tags,
        new_workspace_id = d.new_workspace_id, new_file_path = d.new_file_path, reason = d.reason,
        ingest_started = d.ingest_started, ingest_ended = d.ingest_ended, last_modified = d.last_modified
      from ${ARRIVED.table('d')}
      where i.id = d.id and ${guarded('i.status')} in ('TRANSFERRING', 'DEFERRED', 'ERRORED')   -- = ingest_pkey
      returning i.*)
    ${countMoved(`select id from moved`)}`,
};

const WITHDRAW_INGESTS = {
  name: 'withdraw_ingests',
  text: /* sql */ `
    delete from ingest where id = any($1::bigint[]) and status = 'TRANSFERRING'   -- = ingest_pkey`,
};

/**
 * Writes the rows of the arrivals, behind statements that are sent already: the parameters of so many rows are made
 * while the server works. A path that was taken meanwhile refuses the group.
 */
export async function writeArrivals(sql: Sql, group: Group, arrivals: Arrivals): Promise<void> {
  const { written, withdrawn } = arrivals;
  if (written.length === 0 && withdrawn.length === 0) return;
  await setImmediate();
  const known = written.filter((one) => !one.isNew);
  const ended = written.filter(({ isNew, arrival }) => isNew && hasEnded(arrival));
  const waiting = written.filter(({ isNew, arrival }) => isNew && !hasEnded(arrival));
  await pipelined(group, [
    async () => withdrawn.length > 0 && (await sql.execute(WITHDRAW_INGESTS, [idArray(withdrawn)])),
    async () => known.length > 0 && (await sql.execute(TAKE_OVER_INGESTS, ARRIVED.params(known))),
    () => INSERT_ENDED_INGESTS.execute(sql, ended),
    () => INSERT_INGESTS.execute(sql, waiting),
  ]);
}

type Step =
  | {
      readonly kind: 'start' | 'requeue';
      readonly ingestId: number;
      readonly atMs: number;
      readonly turn: number;
    }
  | ({ readonly kind: 'end'; readonly turn: number } & IngestEnd);

function statusAfter(step: Step): IngestStatus {
  if (step.kind === 'end') return step.status;
  return step.kind === 'start' ? 'INGESTING' : 'TRANSFERRED';
}

function endOf(step: Step): IngestEnd | null {
  return step.kind === 'end' ? step : null;
}

const STEPS = rowsOf(IngestEntity).from<Step>(
  {
    id: (row) => row.ingestId,
    status: statusAfter,
    sourceFileId: (row) => endOf(row)?.sourceFileId,
    reason: (row) => endOf(row)?.reason,
  },
  [
    ['kind', 'text', (row) => row.kind],
    ['bytes', 'id', (row) => endOf(row)?.bytesTransferred],
    ['final_path', 'text', (row) => endOf(row)?.finalPath],
    ['at', 'ms', (row) => row.atMs],
  ],
);

/**
 * Keeps times in order: a step is never earlier than the one before (`greatest` ignores nulls). The place of the
 * content is stored only if the file was to move, or has moved.
 */
const STEP_INGESTS_IF_LIVE = {
  name: 'step_ingests_if_live',
  text: /* sql */ `
    with moved as (
      update ingest i set status = d.status,
        ingest_started = case when d.kind = 'start' then greatest(d.at, i.transfer_ended)
          when d.status = 'TRANSFERRED' then null else i.ingest_started end,
        ingest_ended = case when d.status in ('INGESTED', 'DUPLICATE', 'ERRORED')
          then greatest(d.at, i.transfer_ended, i.ingest_started) end,
        source_file_id = coalesce(d.source_file_id, i.source_file_id), reason = d.reason,
        bytes_transferred = coalesce(d.bytes, i.bytes_transferred),
        new_file_path = case when d.final_path is null
          or (i.new_workspace_id is null and d.final_path = i.file_path) then i.new_file_path
          else d.final_path end,
        last_modified = greatest(d.at, i.transfer_ended, i.ingest_started),
        object_version = i.object_version + 1
      from ${STEPS.table('d')}
      where i.id = d.id and case d.kind
        when 'start' then ${guarded('i.status')} in ('TRANSFERRED', 'ERRORED')
        when 'requeue' then ${guarded('i.status')} = 'ERRORED'
        else ${guarded('i.status')} in ('TRANSFERRED', 'INGESTING') end   -- = ingest_pkey
      returning i.*, d.kind),
    counted as (${countMoved(`select id from moved where kind <> 'end'`)})
    select id from moved`,
};

/** Starts and ends; hard. A second step of one ingest in a group goes into a further statement. */
export async function stepIngests(sql: Sql, group: Group): Promise<void> {
  let steps = stepsOf(group);
  while (steps.length > 0) {
    const now = new Map<number, Step>();
    const later: Step[] = [];
    for (const step of steps) {
      if (now.has(step.ingestId)) later.push(step);
      else now.set(step.ingestId, step);
    }
    const rows = await sql.execute<{ id: number }>(STEP_INGESTS_IF_LIVE, STEPS.params([...now.values()]));
    const written = new Set(rows.map((row) => row.id));
    for (const { ingestId, kind, turn } of now.values()) {
      if (!written.has(ingestId))
        group.refuse(turn, `${kind} of ingest ${ingestId}: it is in another status`);
    }
    group.throwIfRefused();
    steps = later;
  }
}

function stepsOf(group: Group): Step[] {
  const steps: Step[] = [];
  for (const { change, turn } of group.all) {
    if (change.type === 'startIngests') {
      for (const one of change.ingests) steps.push({ kind: 'start', turn, ...one });
    } else if (change.type === 'requeueIngests') {
      for (const one of change.ingests) steps.push({ kind: 'requeue', turn, ...one });
    } else if (change.type === 'endIngests') {
      for (const one of change.ingests) steps.push({ kind: 'end', turn, ...one });
    }
  }
  return steps;
}

interface Progress {
  readonly ingestId: number;
  readonly bytesTransferred: number;
}

const PROGRESS = rowsOf(IngestEntity).from<Progress>(
  {
    id: (row) => row.ingestId,
  },
  [['bytes', 'id', (row) => row.bytesTransferred]],
);

const PROGRESS_INGESTS_IF_MORE = {
  name: 'progress_ingests_if_more',
  text: /* sql */ `
    update ingest i set bytes_transferred = d.bytes
    from (select id, max(bytes) as bytes from ${PROGRESS.table('p')} group by id) as d
    where i.id = d.id and i.bytes_transferred < d.bytes   -- = ingest_pkey`,
};

/** The number of bytes of an ingest only grows. */
export async function progressIngests(sql: Sql, group: Group): Promise<void> {
  const progress = group.items('progressIngests', (change) => change.ingests);
  if (progress.length > 0) await sql.execute(PROGRESS_INGESTS_IF_MORE, PROGRESS.params(progress));
}
