/** Schemas of the stream of changes. */
import { type Static, Type } from '@sinclair/typebox';
import { CHANGE_EVENTS, CHANGE_KINDS, type ChangeFilter } from '../../domain/change/object-change.ts';
import { id, instant, named, oneOf, orNull, integer as wholeNumber } from '../../http/schema.ts';

const link = (description: string) => Type.Optional(id(description));

export const ObjectChangeRecord = named(
  'ObjectChange',
  Type.Object({
    cursor: Type.String({ description: 'As `after`, it continues after this change.' }),
    at: instant(),
    kind: oneOf(CHANGE_KINDS),
    id: id('The id of the object.'),
    object_version: wholeNumber({
      minimum: 1,
      description: 'The number of changes of the object, this one included.',
    }),
    what: oneOf(CHANGE_EVENTS, '`status`: from `from` to `to`. `removed`: the record no longer exists.'),
    from: orNull(Type.String({ description: 'The status before.' })),
    to: orNull(Type.String({ description: 'The status since.' })),
    recipe_id: link('The recipe that it belongs to.'),
    batch_id: link('The batch that it belongs to.'),
    job_id: link('The job that it belongs to, or that made it.'),
    job_type_id: link('The type of its job.'),
    recipe_type_id: link('The type of its recipe.'),
    strike_id: link('The strike that it belongs to.'),
    scan_id: link('The scan that it belongs to.'),
    node_id: link('The node on which it runs or ran.'),
    file_id: link('The file that it belongs to.'),
    ingest_id: link('The ingest that started it.'),
    workspace_id: link('The workspace that it is in.'),
    error: Type.Optional(Type.String({ description: 'The name of the error that it ended with.' })),
  }),
);
export type ChangeRecord = Static<typeof ObjectChangeRecord>;

export const ChangePage = named(
  'ChangePage',
  Type.Object({
    changes: Type.Array(ObjectChangeRecord),
    cursor: Type.String({
      description: 'As `after`, it continues after all changes that were examined for this page.',
    }),
    is_at_end: Type.Boolean({ description: 'False: there is more already, even if the page is empty.' }),
  }),
);
export type ChangePageRecord = Static<typeof ChangePage>;

/** The filters of a query. The name of a job type stands for all its versions. */
export interface ChangeQuery extends Omit<ChangeFilter, 'links'> {
  readonly job_type_name: readonly string[];
  readonly recipe_type_name: readonly string[];
  readonly recipe_id: readonly number[];
  readonly batch_id: readonly number[];
  readonly job_id: readonly number[];
  readonly strike_id: readonly number[];
  readonly scan_id: readonly number[];
  readonly node_id: readonly number[];
}
