/** `/v6/batches/`: many recipes of one type, over a dataset or over a previous batch. */
import { defineList } from '../../http/list.ts';
import { orderBy, scalarFields } from '../../http/request/ordering.ts';
import { flag, integers, texts } from '../../http/request/parameters.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { timeRange } from '../../http/request/time-range.ts';
import { defineRoute, defineValidation, reply } from '../../http/route.ts';
import { NO_BODY } from '../../http/schema.ts';
import { chainOfBatch, findBatch, listBatches } from '../../store/batch/list.ts';
import type { Parts } from '../parts.ts';
import type { ReprocessParts } from '../recipes/reprocess.ts';
import { existing } from '../shared/existing.ts';
import { warningHeader } from '../shared/warnings.ts';
import { compareBatches } from './comparison.ts';
import {
  Batch,
  BatchComparison,
  BatchCreate,
  BatchDetails,
  BatchEdit,
  BatchValidationResult,
  batchPath,
} from './schema.ts';
import {
  addBatch,
  batchConfigurationProblems,
  batchDocumentProblems,
  changeBatch,
  checkBatch,
} from './service.ts';

/** A recipe type sorts by its name. */
export const BATCH_ORDER = [...scalarFields(Batch), 'recipe_type'] as const;

const filters = {
  range: timeRange(),
  batch_id: integers('Ids of batches.', { minimum: 1 }),
  recipe_type_id: integers('Ids of recipe types.', { minimum: 1 }),
  root_batch_id: integers('Ids of the batches that chains began with.', { minimum: 1 }),
  keyword: texts('Part of the title or description, in any case.'),
  is_creation_done: flag('True: only batches that have all their recipes; false: only the others.'),
  is_superseded: flag('True: only superseded batches; false: only the others.'),
};
const order = orderBy(BATCH_ORDER, ['id']);

const list = defineList({
  path: '/v6/batches/',
  summary: 'List batches',
  description: '`started` and `ended` are compared with `last_modified`.',
  query: { ...filters, order },
  record: Batch,
  records: ({ query, shown }, { sql }: Parts<'sql'>) =>
    listBatches(sql, query, query.order, query.paging, shown),
});

const get = defineRoute({
  method: 'GET',
  path: '/v6/batches/{id}/',
  summary: 'Show a batch with the metrics of its jobs',
  params: { id: pathId },
  replies: { 200: BatchDetails },
  async handle({ params }, { sql }: Parts<'sql'>) {
    return reply(200, existing(await findBatch(sql, params.id), 'batch', params.id));
  },
});

const compare = defineRoute({
  method: 'GET',
  path: '/v6/batches/comparison/{id}/',
  summary: 'Compare the batches of a chain',
  params: { id: pathId },
  replies: { 200: BatchComparison },
  async handle({ params }, { sql }: Parts<'sql'>) {
    const chain = await chainOfBatch(sql, params.id);
    return reply(200, existing(chain.length === 0 ? undefined : compareBatches(chain), 'batch', params.id));
  },
});

const create = defineRoute({
  method: 'POST',
  path: '/v6/batches/',
  summary: 'Create a batch',
  repeats: 'keyed',
  hasLargeBody: true,
  body: BatchCreate,
  documentProblems: batchDocumentProblems,
  replies: { 201: BatchDetails },
  async handle({ body, request }, parts: ReprocessParts) {
    const { record, warnings } = await addBatch(parts, body, request);
    return reply(201, record, { location: batchPath(record.id), ...warningHeader(warnings) });
  },
});

const edit = defineRoute({
  method: 'PATCH',
  path: '/v6/batches/{id}/',
  summary: 'Edit a batch',
  params: { id: pathId },
  hasLargeBody: true,
  body: BatchEdit,
  documentProblems: async (raw) => batchConfigurationProblems(raw),
  replies: { 204: NO_BODY },
  async handle({ params, body }, parts: ReprocessParts) {
    return reply(204, undefined, warningHeader(await changeBatch(parts, params.id, body)));
  },
});

const validate = defineValidation({
  path: '/v6/batches/validation/',
  summary: 'Check a batch',
  hasLargeBody: true,
  body: BatchCreate,
  result: BatchValidationResult,
  async handle({ raw }, parts: ReprocessParts) {
    const { errors, warnings, ...extra } = await checkBatch(parts, raw);
    return { errors, warnings, extra };
  },
});

export const batchRoutes = [list, create, validate, compare, get, edit];
