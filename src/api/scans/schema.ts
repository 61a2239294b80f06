/** Schemas of scans, in answers and in bodies. */
import { type Static, Type } from '@sinclair/typebox';
import type { IngestRule } from '../../domain/ingest/ingest-rule.ts';
import { LABELS, NEW_LABELS } from '../../http/request/labels.ts';
import { document, id, instant, integer, NEW_NAME, named, oneOf, orNull, TITLE } from '../../http/schema.ts';
import { ScanConfiguration } from '../documents/ingest.ts';
import { SCAN } from '../shared/examples.ts';
import { count, IdRef, JobStatus, JobTypeSummary, versionField } from '../shared/records.ts';

const JOB = { id: id(), job_type: JobTypeSummary, status: JobStatus };
const ScanJob = named('ScanJob', Type.Object(JOB));

const HEAD = {
  id: id(),
  ...versionField,
  name: Type.String({ description: 'Never changed.' }),
  title: Type.String(),
  description: Type.String(),
  labels: LABELS,
};
const TAIL = {
  dry_run_job: ScanJob,
  file_count: orNull(
    integer({
      minimum: 0,
      description: 'Files that the rules took in the last run, or in the present one so far.',
    }),
  ),
  created: instant(),
  last_modified: instant(),
};

export const ScanSummary = named(
  'Scan',
  Type.Object({ ...HEAD, job: Type.Object({ ...JOB, job_type_rev: IdRef }), ...TAIL }),
);

const TOTALS = {
  mode: oneOf(['dry_run', 'ingest']),
  matched: count,
  unmatched: count,
  ended: orNull(instant('When the run was completed; null: it is not, or an earlier version ran it.')),
};
const CountedRule = Type.Unsafe<IngestRule>(
  Type.Object({
    filename_regex: Type.String(),
    match: Type.Optional(oneOf(['name', 'path'])),
    data_types: Type.Array(Type.String()),
    new_workspace: Type.Optional(Type.String()),
    new_file_path: Type.Optional(Type.String()),
  }),
);
const ScanCounts = named(
  'ScanCounts',
  Type.Object({
    ...TOTALS,
    by_rule: Type.Array(count, { description: 'Files that each rule took, in the order of the rules.' }),
    rules: orNull(
      Type.Array(CountedRule, {
        description:
          'The rules that it counted by, if the scan got others since; null: those of its configuration.',
      }),
    ),
  }),
);
const PreviousScanCounts = named(
  'PreviousScanCounts',
  Type.Object(TOTALS, {
    description: 'What the last completed run before that of `counts` counted, by the rules of its time.',
  }),
);

export const ScanDetails = named(
  'ScanDetails',
  Type.Object({
    ...HEAD,
    job: ScanJob,
    ...TAIL,
    reason: orNull(Type.String({ description: 'Why the run waits, or why it failed.' })),
    counts: orNull(ScanCounts),
    previous_counts: orNull(PreviousScanCounts),
    waiting: Type.Array(oneOf(['dry_run', 'ingest']), {
      description: 'Runs that were requested and begin, in this order, when the present run has ended.',
    }),
    configuration: document('`scanner` is repeated as `monitor`.', ScanConfiguration),
  }),
);

export const ScanComparison = named(
  'ScanComparison',
  Type.Object({
    scans: Type.Array(
      Type.Object({
        ...{ id: id(), name: Type.String(), title: Type.String() },
        ...{ created: instant(), last_modified: instant() },
        mode: orNull(oneOf(['dry_run', 'ingest'], 'The last run, or the present one; null: there was none.')),
        matched: orNull(count),
        unmatched: orNull(count),
        ingests: Type.Object(
          { live: count, deferred: count, ingested: count, duplicate: count, errored: count },
          { description: 'Its ingests by what became of them, of all its runs.' },
        ),
      }),
      { description: 'The oldest first, the scan itself last.' },
    ),
  }),
);

const DESCRIPTION = Type.String({ maxLength: 10_000 });
const CONFIGURATION = document('What it lists, takes and starts.', ScanConfiguration);
const FIELDS = {
  title: TITLE,
  description: Type.Optional(DESCRIPTION),
  labels: NEW_LABELS,
  configuration: CONFIGURATION,
};
export const ScanCreate = named(
  'ScanCreate',
  Type.Object({ ...FIELDS, name: NEW_NAME }, { examples: [SCAN] }),
);
export const ScanCheck = named(
  'ScanCheck',
  Type.Object({
    ...FIELDS,
    name: Type.Optional(Type.String({ description: 'The name of the scan whose change is checked.' })),
  }),
);
export const ScanEdit = named(
  'ScanEdit',
  Type.Object({
    title: Type.Optional(TITLE),
    description: Type.Optional(DESCRIPTION),
    labels: NEW_LABELS,
    configuration: Type.Optional(CONFIGURATION),
  }),
);
export const ScanProcess = named(
  'ScanProcess',
  Type.Object({
    ingest: Type.Optional(Type.Boolean({ description: 'True ingests; false, as when absent, only counts.' })),
  }),
);
export const ScanCanceled = named('ScanCanceled', Type.Object({ id: id(), canceled_jobs: Type.Array(id()) }));

export type ScanDetailsRecord = Static<typeof ScanDetails>;
export type ScanCreateBody = Static<typeof ScanCreate>;
export type ScanEditBody = Static<typeof ScanEdit>;

/** The path of one scan. */
export const scanPath = (id: number): string => `/v6/scans/${id}/`;
