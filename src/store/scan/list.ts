/** Read models of scans. A catalog table: small. */

import {
  Conditions,
  type Listed,
  type ListShape,
  listRecords,
  type MsRange,
  type OrderKey,
  type PageBounds,
  plainOrder,
  textOrder,
} from '../sql/listing.ts';
import { columns, instants, jobTypeSummary, object } from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';

export interface ScanFilter {
  readonly range: MsRange;
  readonly name: readonly string[];
}

const JOB_JOIN = 'join job on job.id = s.job_id';
const DRY_JOIN = 'join job dry on dry.id = s.dry_run_job_id';
const JOINS = `${JOB_JOIN} join job_type jt on jt.id = job.job_type_id
  ${DRY_JOIN} join job_type dry_jt on dry_jt.id = dry.job_type_id`;
const INSTANTS = ['created', 'last_modified'];

function processJob(alias: string, type: string): Record<string, string> {
  return { id: `${alias}.id`, job_type: jobTypeSummary(type), status: `${alias}.status` };
}

const JOB = processJob('job', 'jt');
const REVISION = object({ id: 'job.job_type_rev_id' });
const HEAD = columns('s', ['id', 'name', 'title', 'description']);
const TAIL = {
  dry_run_job: object(processJob('dry', 'dry_jt')),
  file_count: `(s.counts->>'matched')::bigint`,
  ...instants('s', INSTANTS),
};

const SCANS: ListShape = {
  from: 'scan s',
  id: 's.id',
  joins: JOINS,
  record: object({ ...HEAD, job: object({ ...JOB, job_type_rev: REVISION }), ...TAIL }),
  order: {
    ...plainOrder('s', ['id', ...INSTANTS]),
    ...textOrder('s', ['name', 'title', 'description']),
    file_count: { by: `(s.counts->>'matched')::bigint` },
    job__id: { by: 's.job_id' },
    job__status: { by: 'job.status', join: JOB_JOIN },
    dry_run_job__id: { by: 's.dry_run_job_id' },
    dry_run_job__status: { by: 'dry.status', join: DRY_JOIN },
  },
};

export function listScans<R extends object>(
  sql: Sql,
  filter: ScanFilter,
  order: readonly OrderKey[],
  page: PageBounds,
): Promise<Listed<R>> {
  const conditions = new Conditions();
  conditions.range(filter.range, 's.last_modified');
  conditions.anyOf('s.name', 'text', filter.name);
  return listRecords(sql, SCANS, conditions, order, page);
}

/** With its configuration as stored. Undefined if there is no such scan. */
export async function findScan<R extends object>(sql: Sql, id: number): Promise<R | undefined> {
  const record = object({
    ...HEAD,
    job: object(JOB),
    ...TAIL,
    reason: 's.reason',
    counts: 's.counts',
    waiting: 's.waiting',
    configuration: 's.configuration',
  });
  const rows = await sql.execute<{ record: R }>(
    `select ${record} as record from scan s ${JOINS} where s.id = $1`,
    [id],
  );
  return rows[0]?.record;
}
