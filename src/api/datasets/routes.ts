/** `/v6/datasets/`: groups of data for batches. */
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import type { Problem } from '../../domain/validation.ts';
import { defineList, type List, type Listed } from '../../http/list.ts';
import { orderBy } from '../../http/request/ordering.ts';
import type { Paging } from '../../http/request/paging.ts';
import { integers, texts } from '../../http/request/parameters.ts';
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
import { document, id, instant, named, OPTIONAL_TITLE } from '../../http/schema.ts';
import { DatasetDefinition } from '../documents/batch.ts';
import { Data, DataTemplate } from '../documents/interface.ts';
import { StoredFile, type StoredFileRecord, type Unaddressed, withUrl } from '../files/file-record.ts';
import { existing } from '../shared/existing.ts';
import { count, DataRecord, IdRef, versionField } from '../shared/records.ts';
import { warningHeader } from '../shared/warnings.ts';

/** limit: members of one request. */
export const MEMBERS_MAX = 10_000;

const HEAD = {
  id: id(),
  ...versionField,
  title: Type.String(),
  description: Type.String(),
  definition: document(undefined, DatasetDefinition),
};

const Dataset = named('Dataset', Type.Object({ ...HEAD, created: instant(), files: count }));

const memberFields = {
  id: id(),
  created: instant(),
  data: DataRecord,
  file_ids: Type.Array(id()),
};
const DatasetMember = named('DatasetMember', Type.Object(memberFields));

const fileLink = <S extends TSchema>(file: S) =>
  Type.Object({ id: id(), parameter_name: Type.String(), scale_file: file });

const DatasetDetails = named(
  'DatasetDetails',
  Type.Object({
    ...HEAD,
    created: instant(),
    members: Type.Array(DatasetMember, { description: 'The first 10,000.' }),
    files: Type.Array(
      fileLink(Type.Object({ id: id(), file_name: Type.String(), countries: Type.Array(Type.String()) })),
      { description: 'The first 10,000.' },
    ),
  }),
);

const DatasetMemberDetails = named(
  'DatasetMemberDetails',
  Type.Object({ ...memberFields, dataset: IdRef, files: Type.Array(fileLink(StoredFile)) }),
);
type MemberDetailsRecord = Static<typeof DatasetMemberDetails>;
/** A member whose files' `url` still have to be completed. */
export type UnaddressedMember = Omit<MemberDetailsRecord, 'files'> & {
  readonly files: readonly {
    readonly id: number;
    readonly parameter_name: string;
    readonly scale_file: Unaddressed<StoredFileRecord>;
  }[];
};

const time = Type.Optional(Type.String({ description: 'An ISO-8601 instant, or a duration before now.' }));
const text = Type.Array(Type.String(), { maxItems: 1_000 });
const someTexts = Type.Optional(Type.Union([Type.String(), text]));
const someIds = Type.Optional(Type.Union([id(), Type.Array(id(), { maxItems: 1_000 })]));

const memberSource = {
  data: Type.Optional(
    Type.Unsafe<unknown>({
      description: 'Values of each new member, in a list; or of a single one.',
      'x-form': Type.Union([Data, Type.Array(Data, { maxItems: MEMBERS_MAX })]),
    }),
  ),
  data_template: Type.Optional(
    Type.Unsafe<unknown>({
      description: 'Makes one member for each stored file that the fields below choose.',
      'x-form': DataTemplate,
    }),
  ),
  dry_run: Type.Optional(
    Type.Boolean({ description: 'Nothing is stored; answers the data that members would have.' }),
  ),
  ...{ data_started: time, data_ended: time, created_started: time, created_ended: time },
  ...{ source_started: time, source_ended: time, modified_started: time, modified_ended: time },
  ...{ source_sensor_class: someTexts, source_sensor: someTexts, source_collection: someTexts },
  ...{ source_task: someTexts, job_output: someTexts, job_type_name: someTexts, recipe_node: someTexts },
  ...{ file_name: someTexts, file_type: someTexts, media_type: someTexts, countries: someTexts },
  ...{
    job_type_id: someIds,
    job_id: someIds,
    recipe_id: someIds,
    recipe_type_id: someIds,
    batch_id: someIds,
  },
  file_name_search: Type.Optional(Type.String({ description: 'Part of the name, in any case.' })),
  order: Type.Optional(
    Type.Union([Type.String(), text], { description: 'Order of files, as in the list of files.' }),
  ),
};

const DatasetCreate = named(
  'DatasetCreate',
  Type.Object({
    title: OPTIONAL_TITLE,
    description: Type.Optional(Type.String({ maxLength: 10_000 })),
    definition: document('The parameters of its members.', DatasetDefinition),
    ...memberSource,
  }),
);
const DatasetMembersCreate = named('DatasetMembersCreate', Type.Object(memberSource));

export type DatasetCreateBody = Static<typeof DatasetCreate>;
export type MemberSourceBody = Static<typeof DatasetMembersCreate>;

/** The result for a body: a created record, data that would be created, or nothing found. */
export type MembersOutcome<M> =
  | { readonly kind: 'made'; readonly made: M; readonly warnings: readonly Problem[] }
  | { readonly kind: 'dry'; readonly data: readonly unknown[] }
  | { readonly kind: 'none' };

export interface DatasetRouteDeps {
  readonly datasets: {
    list: List<typeof filters, typeof order, Static<typeof Dataset>>;
    find(id: number): Promise<Static<typeof DatasetDetails> | undefined>;
    members(id: number, page: Paging): Promise<Listed<Static<typeof DatasetMember>> | undefined>;
    member(id: number): Promise<UnaddressedMember | undefined>;
    /** Creates a dataset with its members. Throws INVALID_REQUEST or INVALID_DEFINITION. */
    create(body: DatasetCreateBody, asker: Asker): Promise<MembersOutcome<number>>;
    /** Adds members. Throws NOT_FOUND or INVALID_REQUEST. */
    add(
      id: number,
      body: MemberSourceBody,
      asker: Asker,
    ): Promise<MembersOutcome<readonly Static<typeof DatasetMember>[]>>;
    /** `body`: the same if its form is valid; undefined otherwise. */
    validate(raw: RawBody, body: DatasetCreateBody | undefined): Promise<Findings>;
  };
}

const Unmade = Type.Unsafe<unknown>({
  description:
    'With `dry_run` the Data documents; `{"No Results": "…"}` where nothing was found and nothing stored.',
});
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
  records({ query }, { datasets }: DatasetRouteDeps) {
    const dataset_id = [...query.dataset_id, ...query.id];
    return datasets.list({ ...query, dataset_id }, query.order, query.paging);
  },
});

/** The path of one dataset. */
export const datasetPath = (id: number): string => `/v6/datasets/${id}/`;

const create = defineRoute({
  method: 'POST',
  path: '/v6/datasets/',
  summary: 'Create a dataset, with members if any are given',
  repeats: 'keyed',
  hasLargeBody: true,
  body: DatasetCreate,
  replies: { 200: Unmade, 201: DatasetDetails },
  async handle({ body, request }, { datasets }: DatasetRouteDeps) {
    const outcome = await datasets.create(body, request);
    if (outcome.kind === 'dry') return reply(200, outcome.data);
    if (outcome.kind === 'none') return reply(200, NO_RESULTS);
    const { made, warnings } = outcome;
    const record = existing(await datasets.find(made), 'dataset');
    return reply(201, record, { location: datasetPath(made), ...warningHeader(warnings) });
  },
});

const get = defineRoute({
  method: 'GET',
  path: '/v6/datasets/{id}/',
  summary: 'Show a dataset with its members',
  params: { id: pathId },
  replies: { 200: DatasetDetails },
  async handle({ params }, { datasets }: DatasetRouteDeps) {
    return reply(200, existing(await datasets.find(params.id), 'dataset'));
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
  async handle({ params, body, request }, { datasets }: DatasetRouteDeps) {
    const outcome = await datasets.add(params.id, body, request);
    if (outcome.kind === 'dry') return reply(200, outcome.data);
    if (outcome.kind === 'none') return reply(200, NO_RESULTS);
    return reply(201, [...outcome.made], warningHeader(outcome.warnings));
  },
});

const members = defineList({
  path: '/v6/datasets/{id}/members/',
  summary: 'List the members of a dataset',
  params: { id: pathId },
  record: DatasetMember,
  records: async ({ params, query }, { datasets }: DatasetRouteDeps) =>
    existing(await datasets.members(params.id, query.paging), 'dataset'),
});

const member = defineRoute({
  method: 'GET',
  path: '/v6/datasets/members/{id}/',
  summary: 'Show a member of a dataset',
  params: { id: pathId },
  replies: { 200: DatasetMemberDetails },
  async handle({ params, request }, { datasets }: DatasetRouteDeps) {
    const found = existing(await datasets.member(params.id), 'member');
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
  handle: ({ raw, checked }, { datasets }: DatasetRouteDeps) =>
    datasets.validate(raw, checked.ok ? checked.value : undefined),
});

export const datasetRoutes = [list, create, validate, member, get, add, members];
