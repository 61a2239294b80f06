/** Schemas of the summaries that records of several resources hold. */
import { type TInteger, type TObject, type TUnion, Type } from '@sinclair/typebox';
import { AppError } from '../../domain/errors.ts';
import { id, instant, integer, named, orNull } from '../schema.ts';

/** A record that is named by its id alone. */
export function ref(description?: string): TObject<{ id: TInteger }> {
  return Type.Object({ id: id(description) });
}

export function refOrNull(
  description?: string,
): TUnion<[TObject<{ id: TInteger }>, ReturnType<typeof Type.Null>]> {
  return orNull(ref(description));
}

export const JobTypeSummary = named(
  'JobTypeSummary',
  Type.Object({
    id: id(),
    name: Type.String(),
    version: Type.String(),
    title: Type.String(),
    description: Type.String(),
    is_active: Type.Boolean(),
    is_paused: Type.Boolean(),
    is_published: Type.Boolean(),
    icon_code: orNull(Type.String()),
    unmet_resources: orNull(
      Type.String({ description: 'Names of resources that no node has, with commas.' }),
    ),
    is_system: Type.Boolean(),
  }),
);

export const RecipeTypeSummary = named(
  'RecipeTypeSummary',
  Type.Object({
    id: id(),
    name: Type.String(),
    title: Type.String(),
    description: Type.String(),
    revision_num: integer({ minimum: 1 }),
  }),
);

/** The system job behind a strike or scan. */
export const ProcessJob = named(
  'ProcessJob',
  Type.Object({ id: id(), job_type: JobTypeSummary, status: Type.String() }),
);

/** Where the source data of a record came from. */
export const SOURCE_FIELDS = {
  source_started: orNull(instant()),
  source_ended: orNull(instant()),
  source_sensor_class: orNull(Type.String()),
  source_sensor: orNull(Type.String()),
  source_collection: orNull(Type.String()),
  source_task: orNull(Type.String()),
};

/** The record, or the 404 that says what there is none of. */
export function existing<T>(record: T | undefined, what: string): T {
  if (record === undefined) throw new AppError('NOT_FOUND', `there is no such ${what}`);
  return record;
}
