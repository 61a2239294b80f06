/** Read models of scans. A catalog table: small. */

import type { IngestRule } from '../../domain/ingest/ingest-rule.ts';
import type { JobStatus } from '../../domain/job/job.ts';
import type { Labels, LabelTerm } from '../../domain/labels.ts';
import type { MsRange } from '../../domain/listing/filters.ts';
import type { ScanMode } from '../../domain/scan/scan.ts';
import { expression, object, row } from '../sql/fields.ts';
import { findRecord, listOf } from '../sql/listing.ts';
import { jobTypeSummary } from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';

export interface ScanFilter {
  readonly label: readonly LabelTerm[];
  readonly range: MsRange;
  readonly name: readonly string[];
}

const JOB_JOIN = 'join job on job.id = s.job_id';
const DRY_JOIN = 'join job dry on dry.id = s.dry_run_job_id';
const JOINS = `${JOB_JOIN} join job_type jt on jt.id = job.job_type_id
  ${DRY_JOIN} join job_type dry_jt on dry_jt.id = dry.job_type_id`;
const INSTANTS = ['created', 'last_modified'] as const;

const s = row('scan', 's');
const FILE_COUNT = `(s.counts->>'matched')::bigint`;

function processJob(alias: string, type: string) {
  const job = row('job', alias);
  return {
    ...job.columns('id'),
    job_type: jobTypeSummary(type),
    status: job.oneOf<JobStatus>('status'),
  };
}

interface Totals {
  mode: ScanMode;
  matched: number;
  unmatched: number;
  ended: string | null;
}

type Counts = Totals & { by_rule: number[]; rules: IngestRule[] | null };

/** What may be absent: runs of earlier versions have no end. */
const ABSENT = `jsonb_build_object('ended', null, 'rules', null)`;
const COUNTS = expression<Counts | null>(`${ABSENT} || s.counts`);
const PREVIOUS_COUNTS = expression<Totals | null>(`(${ABSENT} || s.previous_counts) - 'by_rule' - 'rules'`);

const JOB = processJob('job', 'jt');
const REVISION = object({ id: row('job', 'job').column('job_type_rev_id') });
const HEAD = {
  ...s.columns('id', 'object_version', 'name', 'title', 'description'),
  labels: s.document<Labels>('labels'),
};
const TAIL = {
  dry_run_job: object(processJob('dry', 'dry_jt')),
  file_count: expression<number | null>(FILE_COUNT),
  ...s.instants(...INSTANTS),
};

const SCANS = {
  rows: s,
  joins: JOINS,
  fields: { ...HEAD, job: object({ ...JOB, job_type_rev: REVISION }), ...TAIL },
  order: {
    ...s.order('id', ...INSTANTS),
    ...s.textOrder('name', 'title', 'description'),
    file_count: { by: FILE_COUNT },
    job__id: { by: 's.job_id' },
    job__status: { by: 'job.status', join: JOB_JOIN },
    dry_run_job__id: { by: 's.dry_run_job_id' },
    dry_run_job__status: { by: 'dry.status', join: DRY_JOIN },
  },
};

export const listScans = listOf(SCANS, (where, filter: ScanFilter) => {
  where.add('s.deleted is null');
  where.range(filter.range, 's.last_modified');
  where.anyOf('s.name', 'text', filter.name);
  where.labels('s.labels', filter.label);
});

const DETAILS = object({
  ...HEAD,
  job: object(JOB),
  ...TAIL,
  ...s.columns('reason'),
  counts: COUNTS,
  previous_counts: PREVIOUS_COUNTS,
  waiting: s.document<ScanMode[]>('waiting'),
  configuration: s.column('configuration'),
});

/** With its configuration as stored. Undefined if there is no such scan. */
export function findScan(sql: Sql, id: number) {
  return findRecord(sql, DETAILS, `scan s ${JOINS} where s.id = $1 and s.deleted is null`, [id]);
}
