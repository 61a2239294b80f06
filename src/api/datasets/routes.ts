/** `/v6/datasets/`: groups of data for batches. */
import { Type } from '@sinclair/typebox';
import { defineList } from '../../http/list.ts';
import { orderBy } from '../../http/request/ordering.ts';
import { integers, texts } from '../../http/request/parameters.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { timeRange } from '../../http/request/time-range.ts';
import { defineRoute, defineValidation, reply } from '../../http/route.ts';
import { comparedDatasets } from '../../store/dataset/comparison.ts';
import {
  findDataset,
  findDatasetDefinition,
  findMember,
  listDatasets,
  listMembers,
} from '../../store/dataset/list.ts';
import { Data } from '../documents/interface.ts';
import { withUrl } from '../files/file-record.ts';
import type { Parts } from '../parts.ts';
import { existing } from '../shared/existing.ts';
import { warningHeader } from '../shared/warnings.ts';
import {
  Dataset,
  DatasetComparison,
  DatasetCreate,
  DatasetDetails,
  DatasetMember,
  DatasetMemberDetails,
  DatasetMembersCreate,
  datasetPath,
  ListedDatasetMember,
} from './schema.ts';
import { addDataset, addMembersTo, checkDataset } from './service.ts';

const Unmade = Type.Union([
  Type.Array(Type.Unsafe<unknown>(Data), {
    description: 'With `dry_run`: the Data documents of the members.',
  }),
  Type.Object({ 'No Results': Type.String({ description: 'Nothing was found, and nothing stored.' }) }),
]);
const NO_RESULTS = { 'No Results': 'there is no data for a member: nothing was stored' };

const filters = {
  range: timeRange(),
  dataset_id: integers('Ids of datasets.', { minimum: 1 }),
  id: integers('The same as `dataset_id`.', { minimum: 1 }),
  keyword: texts('Part of the title or description, in any case.'),
};
const order = orderBy(['created', 'title', 'description', 'files'], ['id']);

const list = defineList({
  path: '/v6/datasets/',
  summary: 'List datasets',
  description: '`started` and `ended` are compared with `created`.',
  query: { ...filters, order },
  record: Dataset,
  records({ query, shown }, { sql }: Parts<'sql'>) {
    const dataset_id = [...query.dataset_id, ...query.id];
    return listDatasets(sql, { ...query, dataset_id }, query.order, query.paging, shown);
  },
});

const create = defineRoute({
  method: 'POST',
  path: '/v6/datasets/',
  summary: 'Create a dataset, with members if any are given',
  repeats: 'keyed',
  hasLargeBody: true,
  body: DatasetCreate,
  replies: { 200: Unmade, 201: DatasetDetails },
  async handle({ body, request }, { sql }: Parts<'sql'>) {
    const outcome = await addDataset(sql, body, request);
    if (outcome.kind === 'dry') return reply(200, [...outcome.data]);
    if (outcome.kind === 'none') return reply(200, NO_RESULTS);
    const { made, warnings } = outcome;
    const record = existing(await findDataset(sql, made), 'dataset', made);
    return reply(201, record, { location: datasetPath(made), ...warningHeader(warnings) });
  },
});

const get = defineRoute({
  method: 'GET',
  path: '/v6/datasets/{id}/',
  summary: 'Show a dataset with its members',
  params: { id: pathId },
  replies: { 200: DatasetDetails },
  async handle({ params }, { sql }: Parts<'sql'>) {
    return reply(200, existing(await findDataset(sql, params.id), 'dataset', params.id));
  },
});

const compare = defineRoute({
  method: 'GET',
  path: '/v6/datasets/{id}/comparison/',
  summary: 'Compare a dataset with the one before it',
  description:
    'The one before is the newest earlier dataset with the same parameters, among the 100 datasets before it, ' +
    'without those whose definition takes more than 4 KiB as it is stored.',
  params: { id: pathId },
  replies: { 200: DatasetComparison },
  async handle({ params }, { sql }: Parts<'sql'>) {
    return reply(200, existing(await comparedDatasets(sql, params.id), 'dataset', params.id));
  },
});

const add = defineRoute({
  method: 'POST',
  path: '/v6/datasets/{id}/',
  summary: 'Add members to a dataset',
  repeats: 'keyed',
  params: { id: pathId },
  hasLargeBody: true,
  body: DatasetMembersCreate,
  replies: { 200: Unmade, 201: Type.Array(DatasetMember) },
  async handle({ params, body, request }, { sql }: Parts<'sql'>) {
    const outcome = await addMembersTo(sql, params.id, body, request);
    if (outcome.kind === 'dry') return reply(200, [...outcome.data]);
    if (outcome.kind === 'none') return reply(200, NO_RESULTS);
    return reply(201, [...outcome.made], warningHeader(outcome.warnings));
  },
});

const members = defineList({
  path: '/v6/datasets/{id}/members/',
  summary: 'List the members of a dataset',
  params: { id: pathId },
  record: ListedDatasetMember,
  async records({ params, query, shown }, { sql }: Parts<'sql'>) {
    existing(await findDatasetDefinition(sql, params.id), 'dataset', params.id);
    return listMembers(sql, params.id, query.paging, shown);
  },
});

const member = defineRoute({
  method: 'GET',
  path: '/v6/datasets/members/{id}/',
  summary: 'Show a member of a dataset',
  params: { id: pathId },
  replies: { 200: DatasetMemberDetails },
  async handle({ params, request }, { sql }: Parts<'sql'>) {
    const found = existing(await findMember(sql, params.id), 'member', params.id);
    const files = found.files.map((link) => ({
      ...link,
      scale_file: withUrl(link.scale_file, request.base),
    }));
    return reply(200, { ...found, files });
  },
});

const validate = defineValidation({
  path: '/v6/datasets/validation/',
  summary: 'Check a dataset',
  hasLargeBody: true,
  body: DatasetCreate,
  handle: ({ raw, checked }, { sql }: Parts<'sql'>, { nowMs }) =>
    checkDataset(sql, raw, checked.ok ? checked.value : undefined, nowMs),
});

export const datasetRoutes = [list, create, validate, member, get, compare, add, members];
