/** Schemas of datasets, in answers and in bodies. */
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import type { Problem } from '../../domain/validation.ts';
import { document, id, instant, named, OPTIONAL_TITLE, orNull } from '../../http/schema.ts';
import { DatasetDefinition } from '../documents/batch.ts';
import { Data, DataTemplate } from '../documents/interface.ts';
import { StoredFile } from '../files/file-record.ts';
import { count, DataRecord, IdRef, versionField } from '../shared/records.ts';

/** limit: members of one request. */
export const MEMBERS_MAX = 10_000;

const HEAD = {
  id: id(),
  ...versionField,
  title: Type.String(),
  description: Type.String(),
  definition: document(undefined, DatasetDefinition),
};

export const Dataset = named('Dataset', Type.Object({ ...HEAD, created: instant(), files: count }));

const memberFields = {
  id: id(),
  created: instant(),
  data: DataRecord,
  file_ids: Type.Array(id()),
};
export const DatasetMember = named('DatasetMember', Type.Object(memberFields));
/** In the list of members. */
export const ListedDatasetMember = named(
  'ListedDatasetMember',
  Type.Object({
    ...memberFields,
    first_files: Type.Array(Type.Object({ id: id(), file_name: Type.String() }), {
      description: 'Its first 20 files with their names.',
    }),
  }),
);

const fileLink = <S extends TSchema>(file: S) =>
  Type.Object({ id: id(), parameter_name: Type.String(), scale_file: file });

export const DatasetDetails = named(
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

export const DatasetMemberDetails = named(
  'DatasetMemberDetails',
  Type.Object({ ...memberFields, dataset: IdRef, files: Type.Array(fileLink(StoredFile)) }),
);
const compared = Type.Object({
  ...{ id: id(), title: Type.String(), created: instant() },
  ...{ files: count, members: count },
});
const someFiles = Type.Array(Type.Object({ id: id(), file_name: Type.String() }), {
  description: 'The first 20.',
});
export const DatasetComparison = named(
  'DatasetComparison',
  Type.Object({
    dataset: compared,
    before: orNull(compared),
    files: orNull(
      Type.Object(
        {
          common_count: count,
          ...{ added_count: count, added: someFiles },
          ...{ removed_count: count, removed: someFiles },
        },
        { description: 'Null if there is none before it, or if one of both has more than 100,000 files.' },
      ),
    ),
  }),
);

const time = Type.Optional(Type.String({ description: 'An ISO-8601 instant, or a duration before now.' }));
const text = Type.Array(Type.String(), { maxItems: 1_000 });
const someTexts = Type.Optional(Type.Union([Type.String(), text]));
const someIds = Type.Optional(Type.Union([id(), Type.Array(id(), { maxItems: 1_000 })]));

const memberSource = {
  data: Type.Optional(
    Type.Unsafe<unknown>({
      description: 'The values of each new member in a list, or those of a single member.',
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
    Type.Boolean({ description: 'Nothing is stored; the answer is the data that members would have.' }),
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

export const DatasetCreate = named(
  'DatasetCreate',
  Type.Object({
    title: OPTIONAL_TITLE,
    description: Type.Optional(Type.String({ maxLength: 10_000 })),
    definition: document('The parameters of its members.', DatasetDefinition),
    ...memberSource,
  }),
);
export const DatasetMembersCreate = named('DatasetMembersCreate', Type.Object(memberSource));

export type DatasetCreateBody = Static<typeof DatasetCreate>;
export type MemberSourceBody = Static<typeof DatasetMembersCreate>;

/** The result of a body: a created record, the data of a dry run, or no members to create. */
export type MembersOutcome<M> =
  | { readonly kind: 'made'; readonly made: M; readonly warnings: readonly Problem[] }
  | { readonly kind: 'dry'; readonly data: readonly unknown[] }
  | { readonly kind: 'none' };

/** The path of one dataset. */
export const datasetPath = (id: number): string => `/v6/datasets/${id}/`;
