/** `/v6/scans/`: lists the files of workspaces on request. */
import { storableText } from '../../domain/document/json-value.ts';
import { defineList } from '../../http/list.ts';
import { labelFilter } from '../../http/request/labels.ts';
import { orderBy } from '../../http/request/ordering.ts';
import { texts } from '../../http/request/parameters.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { timeRange } from '../../http/request/time-range.ts';
import { defineRoute, defineValidation, reply } from '../../http/route.ts';
import { NO_BODY } from '../../http/schema.ts';
import { comparedScans } from '../../store/scan/comparison.ts';
import { listScans } from '../../store/scan/list.ts';
import type { Parts } from '../parts.ts';
import { existing } from '../shared/existing.ts';
import {
  ScanCanceled,
  ScanCheck,
  ScanComparison,
  ScanCreate,
  ScanDetails,
  ScanEdit,
  ScanProcess,
  ScanSummary,
  scanPath,
} from './schema.ts';
import {
  addScan,
  cancelScan,
  changeScan,
  checkScan,
  processScan,
  type ScanParts,
  scanDetails,
  scanDocumentProblems,
} from './service.ts';

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
  records: ({ query, shown }, { sql }: Parts<'sql'>) =>
    listScans(sql, query, query.order, query.paging, shown),
});

const create = defineRoute({
  method: 'POST',
  path: '/v6/scans/',
  summary: 'Create a scan, without starting it',
  repeats: 'keyed',
  body: ScanCreate,
  documentProblems: scanDocumentProblems,
  replies: { 201: ScanDetails },
  async handle({ body, request }, parts: ScanParts) {
    const made = await addScan(parts, body, request);
    return reply(201, made, { location: scanPath(made.id) });
  },
});

const details = defineRoute({
  method: 'GET',
  path: '/v6/scans/{id}/',
  summary: 'Details of a scan',
  params: { id: pathId },
  replies: { 200: ScanDetails },
  async handle({ params }, { sql }: Parts<'sql'>) {
    return reply(200, existing(await scanDetails(sql, params.id), 'scan', params.id));
  },
});

const compare = defineRoute({
  method: 'GET',
  path: '/v6/scans/{id}/comparison/',
  summary: 'Compare a scan with those of its workspace before it',
  description:
    'At most four earlier scans of the same workspace: what their last runs counted, and their ingests.',
  params: { id: pathId },
  replies: { 200: ScanComparison },
  async handle({ params }, { sql }: Parts<'sql'>) {
    const scans = await comparedScans(sql, params.id);
    return reply(200, { scans: existing(scans.length === 0 ? undefined : scans, 'scan', params.id) });
  },
});

const edit = defineRoute({
  method: 'PATCH',
  path: '/v6/scans/{id}/',
  summary: 'Edit a scan',
  description:
    'Fields that are not given stay as they are. When the configuration changes, a run that is under way begins again.',
  params: { id: pathId },
  body: ScanEdit,
  documentProblems: scanDocumentProblems,
  replies: { 204: NO_BODY },
  async handle({ params, body }, parts: ScanParts) {
    await changeScan(parts, params.id, body);
    return reply(204);
  },
});

const validate = defineValidation({
  path: '/v6/scans/validation/',
  summary: 'Check a scan before it is created or edited',
  body: ScanCheck,
  handle: ({ raw }, parts: ScanParts) => checkScan(parts, raw.configuration, storableText(raw.name)),
});

const process = defineRoute({
  method: 'POST',
  path: '/v6/scans/{id}/process/',
  summary: 'Count or ingest the files of a scan',
  repeats: {
    reason: 'an equal run that already waits is used, and a scan ingests no file twice',
  },
  description:
    'It may be repeated: a scan ingests no file twice. A run waits while an earlier run of the scan is under way or ' +
    'being canceled. At most one dry run and one ingest wait; further requests of the same kind do not add another.',
  params: { id: pathId },
  body: ScanProcess,
  isBodyOptional: true,
  replies: { 200: ScanDetails },
  async handle({ params, body }, parts: ScanParts) {
    await processScan(parts, params.id, body.ingest === true);
    return reply(200, existing(await scanDetails(parts.sql, params.id), 'scan', params.id));
  },
});

const cancel = defineRoute({
  method: 'POST',
  path: '/v6/scans/cancel/{id}/',
  summary: 'Cancel a scan and the ingests that it has queued',
  repeats: {
    reason: 'a canceled run stays canceled',
  },
  description: 'Files that were ingested stay, and so do their recipes.',
  params: { id: pathId },
  replies: { 202: ScanCanceled },
  async handle({ params }, parts: ScanParts) {
    const canceled = await cancelScan(parts, params.id);
    return reply(202, { id: params.id, canceled_jobs: [...canceled] });
  },
});

export const scanRoutes = [list, create, details, compare, edit, validate, process, cancel];
