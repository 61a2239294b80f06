/** `/v6/scans/`: examine workspaces on request. */
import { type Static, Type } from '@sinclair/typebox';
import { storableText } from '../../domain/document/json-value.ts';
import type { Problem } from '../../domain/validation.ts';
import { defineList, type List } from '../../http/list.ts';
import { LABELS, labelFilter, NEW_LABELS } from '../../http/request/labels.ts';
import { orderBy } from '../../http/request/ordering.ts';
import { texts } from '../../http/request/parameters.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { timeRange } from '../../http/request/time-range.ts';
import {
  type Asker,
  defineRoute,
  defineValidation,
  type Findings,
  type RawBody,
  reply,
} from '../../http/route.ts';
import {
  document,
  id,
  instant,
  integer,
  NEW_NAME,
  NO_BODY,
  named,
  oneOf,
  orNull,
  TITLE,
} from '../../http/schema.ts';
import { ScanConfiguration } from '../documents/ingest.ts';
import { SCAN } from '../shared/examples.ts';
import { existing } from '../shared/existing.ts';
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
    integer({ minimum: 0, description: 'Files that the rules took in the last operation, or so far.' }),
  ),
  created: instant(),
  last_modified: instant(),
};

const ScanSummary = named(
  'Scan',
  Type.Object({ ...HEAD, job: Type.Object({ ...JOB, job_type_rev: IdRef }), ...TAIL }),
);

const ScanCounts = named(
  'ScanCounts',
  Type.Object({
    mode: oneOf(['dry_run', 'ingest']),
    matched: count,
    unmatched: count,
    by_rule: Type.Array(count, { description: 'Files that each rule took, in the order of the rules.' }),
  }),
);

const ScanDetails = named(
  'ScanDetails',
  Type.Object({
    ...HEAD,
    job: ScanJob,
    ...TAIL,
    reason: orNull(Type.String({ description: 'Why what is under way waits, or why it failed.' })),
    counts: orNull(ScanCounts),
    waiting: Type.Array(oneOf(['dry_run', 'ingest']), {
      description: 'Runs that were asked for and begin when what is under way has ended, in this order.',
    }),
    configuration: document('`scanner` is repeated as `monitor`.', ScanConfiguration),
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
const ScanCreate = named('ScanCreate', Type.Object({ ...FIELDS, name: NEW_NAME }, { examples: [SCAN] }));
const ScanCheck = named(
  'ScanCheck',
  Type.Object({
    ...FIELDS,
    name: Type.Optional(Type.String({ description: 'The name of the scan whose change is checked.' })),
  }),
);
const ScanEdit = named(
  'ScanEdit',
  Type.Object({
    title: Type.Optional(TITLE),
    description: Type.Optional(DESCRIPTION),
    labels: NEW_LABELS,
    configuration: Type.Optional(CONFIGURATION),
  }),
);
const ScanProcess = named(
  'ScanProcess',
  Type.Object({
    ingest: Type.Optional(Type.Boolean({ description: 'True ingests; false, as when absent, only counts.' })),
  }),
);
const ScanCanceled = named('ScanCanceled', Type.Object({ id: id(), canceled_jobs: Type.Array(id()) }));

export type ScanRecord = Static<typeof ScanSummary>;
export type ScanDetailsRecord = Static<typeof ScanDetails>;
export type ScanCreateBody = Static<typeof ScanCreate>;
export type ScanEditBody = Static<typeof ScanEdit>;

export interface ScanRouteDeps {
  readonly scans: {
    list: List<typeof filters, typeof order, ScanRecord>;
    find(id: number): Promise<ScanDetailsRecord | undefined>;
    /** Resolves with the new scan, which is not started. Throws AppError with every problem of the configuration. */
    create(body: ScanCreateBody, asker: Asker): Promise<ScanDetailsRecord>;
    /** Throws NOT_FOUND, or as `create`. */
    edit(id: number, body: ScanEditBody): Promise<void>;
    /**
     * Begins at once, or waits for the present run. Throws NOT_FOUND, or as `create` if the configuration has become
     * invalid.
     */
    process(id: number, isIngest: boolean): Promise<void>;
    /** Resolves with the jobs that are being ended, the scan's own last. Throws NOT_FOUND. */
    cancel(id: number): Promise<readonly number[]>;
    /** `name`: the scan to be changed. */
    check(configuration: unknown, name: string | undefined): Promise<Findings>;
    /** The problems of the documents in a body, which may have any form. */
    documentProblems(raw: RawBody): Promise<readonly Problem[]>;
  };
}

const ORDER = ['id', 'name', 'title', 'description', 'file_count', 'created', 'last_modified'] as const;
const NESTED = ['job__id', 'job__status', 'dry_run_job__id', 'dry_run_job__status'] as const;

const filters = {
  range: timeRange(),
  name: texts('Names.'),
  label: labelFilter,
};
const order = orderBy([...ORDER, ...NESTED], ['last_modified']);

const list = defineList({
  path: '/v6/scans/',
  summary: 'List scans',
  query: { ...filters, order },
  record: ScanSummary,
  records: ({ query }, { scans }: ScanRouteDeps) => scans.list(query, query.order, query.paging),
});

/** The path of one scan. */
export const scanPath = (id: number): string => `/v6/scans/${id}/`;

const create = defineRoute({
  method: 'POST',
  path: '/v6/scans/',
  summary: 'Create a scan, without starting it',
  repeats: 'keyed',
  body: ScanCreate,
  documentProblems: (raw, { scans }: ScanRouteDeps) => scans.documentProblems(raw),
  replies: { 201: ScanDetails },
  async handle({ body, request }, { scans }: ScanRouteDeps) {
    const made = await scans.create(body, request);
    return reply(201, made, { location: scanPath(made.id) });
  },
});

const details = defineRoute({
  method: 'GET',
  path: '/v6/scans/{id}/',
  summary: 'Details of a scan',
  params: { id: pathId },
  replies: { 200: ScanDetails },
  async handle({ params }, { scans }: ScanRouteDeps) {
    return reply(200, existing(await scans.find(params.id), 'scan'));
  },
});

const edit = defineRoute({
  method: 'PATCH',
  path: '/v6/scans/{id}/',
  summary: 'Edit a scan',
  description:
    'Fields that are not given stay. What is under way begins anew when the configuration changes.',
  params: { id: pathId },
  body: ScanEdit,
  documentProblems: (raw, { scans }: ScanRouteDeps) => scans.documentProblems(raw),
  replies: { 204: NO_BODY },
  async handle({ params, body }, { scans }: ScanRouteDeps) {
    await scans.edit(params.id, body);
    return reply(204);
  },
});

const validate = defineValidation({
  path: '/v6/scans/validation/',
  summary: 'Check a scan before it is created or edited',
  body: ScanCheck,
  handle: ({ raw }, { scans }: ScanRouteDeps) => scans.check(raw.configuration, storableText(raw.name)),
});

const process = defineRoute({
  method: 'POST',
  path: '/v6/scans/{id}/process/',
  summary: 'Count or ingest the files of a scan',
  repeats: {
    reason: 'an equal run that waits is joined, and no file is ingested twice by a scan',
  },
  description:
    'May be done again: files that it has ingested are not ingested twice. While an earlier one is under way, or ' +
    'being canceled, it waits: one dry run and one ingest at most, which equal requests join.',
  params: { id: pathId },
  body: ScanProcess,
  isBodyOptional: true,
  replies: { 200: ScanDetails },
  async handle({ params, body }, { scans }: ScanRouteDeps) {
    await scans.process(params.id, body.ingest === true);
    return reply(200, existing(await scans.find(params.id), 'scan'));
  },
});

const cancel = defineRoute({
  method: 'POST',
  path: '/v6/scans/cancel/{id}/',
  summary: 'Cancel a scan and the ingests that it has queued',
  repeats: {
    reason: 'what is canceled stays so',
  },
  description: 'Files that are ingested stay, and so do their recipes.',
  params: { id: pathId },
  replies: { 202: ScanCanceled },
  async handle({ params }, { scans }: ScanRouteDeps) {
    const canceled = await scans.cancel(params.id);
    return reply(202, { id: params.id, canceled_jobs: [...canceled] });
  },
});

export const scanRoutes = [list, create, details, edit, validate, process, cancel];
