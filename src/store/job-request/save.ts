/** Requests to cancel or requeue jobs: their rows, and the backlog of unsettled jobs. */
import type { JobRequest, NewJobRequest } from '../../domain/job/job-request.ts';
import type { ChangeOf, Group } from '../sql/group.ts';
import { idArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';
import { rowsOf } from '../sql/table-rows.ts';
import { JobRequestBacklogEntity, JobRequestEntity } from './table.ts';

const REQUESTS = rowsOf(JobRequestEntity).from<NewJobRequest>({
  id: (row) => row.id,
  shard: (row) => row.shard,
  action: (row) => row.action,
  choice: (row) => row.choice,
  priority: (row) => row.priority,
  revision: (row) => row.revision,
  asker: (row) => row.asker,
  created: (row) => row.atMs,
  lastModified: (row) => row.atMs,
});

// The default of the column `position` is the next value of its sequence.
const INSERT_REQUESTS = {
  name: 'insert_job_requests',
  text: /* sql */ `insert into job_request (${REQUESTS.names}) select * from ${REQUESTS.table('d')}`,
};

type Advance = ChangeOf<'advanceJobRequest'>;

const ADVANCES = rowsOf(JobRequestEntity).from<Advance>(
  {
    id: (row) => row.requestId,
    beforeId: (row) => row.beforeId,
    isDone: (row) => row.isDone,
  },
  [['at', 'ms', (row) => row.atMs]],
);

const ADVANCE_REQUESTS = {
  name: 'advance_job_requests',
  text: /* sql */ `
    update job_request r set before_id = d.before_id, is_done = d.is_done, last_modified = d.at
    from ${ADVANCES.table('d')}
    where r.id = d.id   -- = job_request_pkey`,
};

interface BacklogRow {
  readonly requestId: number;
  readonly jobId: number;
  readonly isChosen: boolean;
}

const ADDED = rowsOf(JobRequestBacklogEntity).from<BacklogRow>({
  requestId: (row) => row.requestId,
  jobId: (row) => row.jobId,
  isChosen: (row) => row.isChosen,
});

const ADD_BACKLOG = {
  name: 'add_job_request_backlog',
  text: /* sql */ `
    insert into job_request_backlog (${ADDED.names}) select * from ${ADDED.table('d')}
    on conflict (request_id, job_id) do nothing`,
};

const SETTLED = rowsOf(JobRequestBacklogEntity).from<Omit<BacklogRow, 'isChosen'>>({
  requestId: (row) => row.requestId,
  jobId: (row) => row.jobId,
});

const SETTLE_BACKLOG = {
  name: 'settle_job_request_backlog',
  text: /* sql */ `
    delete from job_request_backlog b using ${SETTLED.table('d')}
    where b.request_id = d.request_id and b.job_id = d.job_id   -- = job_request_backlog_pkey`,
};

/** Writes new requests and the progress of open ones: the last cursor of each, and all changes of its backlog. */
export async function writeJobRequests(sql: Sql, group: Group): Promise<void> {
  const created = group.items('createJobRequests', (change) => change.requests);
  if (created.length > 0) await sql.execute(INSERT_REQUESTS, REQUESTS.params(created));
  const changes = group.changes('advanceJobRequest');
  if (changes.length === 0) return;
  const last = new Map(changes.map((change) => [change.requestId, change]));
  await sql.execute(ADVANCE_REQUESTS, ADVANCES.params([...last.values()]));
  const settled = changes.flatMap(({ requestId, settled: ids }) =>
    ids.map((jobId) => ({ requestId, jobId })),
  );
  if (settled.length > 0) await sql.execute(SETTLE_BACKLOG, SETTLED.params(settled));
  const added = changes.flatMap(({ requestId, added: jobs }) => jobs.map((job) => ({ requestId, ...job })));
  if (added.length > 0) await sql.execute(ADD_BACKLOG, ADDED.params(added));
}

const LOAD_REQUESTS = {
  name: 'load_job_requests',
  text: /* sql */ `
    select r.id, r.position, r.action, r.choice, r.priority, r.revision,
      r.before_id as "beforeId", r.is_done as "isDone",
      r.created as "atMs",
      exists (select from job_request_backlog b where b.request_id = r.id) as "hasBacklog"
        -- = job_request_backlog_pkey
    from job_request r where r.id = any($1::bigint[])   -- = job_request_pkey`,
};

export async function loadJobRequests(
  sql: Sql,
  ids: readonly number[],
): Promise<ReadonlyMap<number, JobRequest>> {
  const rows = await sql.execute<JobRequest>(LOAD_REQUESTS, [idArray(ids)]);
  return new Map(rows.map((row) => [row.id, row]));
}

const DUE_MAX = 1_000;

const OPEN_REQUESTS = {
  name: 'open_job_requests',
  text: /* sql */ `
    select id from job_request
    where shard = any($1::smallint[]) and not is_done   -- = job_request_open_idx
    order by position limit ${DUE_MAX}`,
};

/** Requests of these shards that are not done, in order. */
export async function dueJobRequests(sql: Sql, shards: readonly number[]): Promise<readonly number[]> {
  const rows = await sql.execute<{ id: number }>(OPEN_REQUESTS, [idArray(shards)]);
  return rows.map((row) => row.id);
}
