/**
 * The records of the interface as SQL: each function projects the row behind an alias as the JSON object that answers
 * embed. Read models have the field names of the interface and are built by the database, so that a page is one
 * statement without further mapping. Summaries that several resources embed live here, each with the order keys of its
 * fields.
 */
import type { ErrorCategory } from '../../domain/job/builtin-errors.ts';
import { expression, nestedOrder, object, row, type ValueOf } from './fields.ts';

/** `job_type` inside other records. */
export function jobTypeSummary(alias: string) {
  const type = row('job_type', alias);
  return object({
    ...type.columns(
      'id',
      'name',
      'version',
      'title',
      'description',
      'is_active',
      'is_paused',
      'is_published',
    ),
    ...type.columns('icon_code', 'unmet_resources', 'is_system'),
  });
}

export function jobTypeOrder(alias: string) {
  const type = row('job_type', alias);
  return {
    ...type.order('is_active', 'is_paused', 'is_published', 'is_system'),
    ...type.textOrder('name', 'version', 'title', 'description', 'icon_code', 'unmet_resources'),
  };
}

/** `recipe_type` inside other records, in its present state. */
export function recipeTypeSummary(alias: string) {
  return object(row('recipe_type', alias).columns('id', 'name', 'title', 'description', 'revision_num'));
}

export function recipeTypeOrder(alias: string) {
  const type = row('recipe_type', alias);
  return { ...type.order('revision_num'), ...type.textOrder('name', 'title', 'description') };
}

/** `event`: what triggered the record. */
export function eventRecord(alias: string) {
  const event = row('event', alias);
  return object({
    ...event.columns('id', 'type'),
    rule: expression<null>('null::text'),
    ...event.instants('occurred'),
    description: event.document('description'),
  });
}

export function eventOrder(key: string) {
  const event = row('event', 'e');
  const order = { ...event.order('occurred'), ...event.textOrder('type'), rule: { by: 'null::text' } };
  return nestedOrder('event', key, `join event e on e.id = ${key}`, order);
}

/** The fields of a registered error. */
export function errorFields(alias: string) {
  const error = row('error', alias);
  return {
    ...error.columns('id', 'name', 'title', 'description', 'job_type_name'),
    category: error.oneOf<ErrorCategory>('category'),
    ...error.columns('is_builtin', 'should_be_retried'),
    ...error.instants('created', 'last_modified'),
  };
}

/** `error` inside other records. */
export function errorRecord(alias: string) {
  return object(errorFields(alias));
}

export function errorOrder(alias: string) {
  const error = row('error', alias);
  return {
    ...error.order('is_builtin', 'should_be_retried', 'created', 'last_modified'),
    ...error.textOrder('name', 'title', 'description', 'job_type_name', 'category'),
  };
}

/** `node` inside jobs and executions. */
export function nodeSummary(alias: string) {
  return object(row('node', alias).columns('id', 'hostname'));
}

/** `batch` inside other records. */
export function batchSummary(alias: string) {
  const batch = row('batch', alias);
  return object({
    ...batch.columns('id'),
    ...batch.textsOrEmpty('title', 'description'),
    ...batch.instants('created'),
  });
}

/** The same by its id; null without one. */
export function batchById(column: string) {
  type Batch = ValueOf<ReturnType<typeof batchSummary>>;
  return expression<Batch | null>(`(select ${batchSummary('batch')} from batch where batch.id = ${column})`);
}

export function batchOrder<Prefix extends string>(prefix: Prefix, key: string) {
  const alias = `of_${prefix}`;
  const batch = row('batch', alias);
  const order = { ...batch.order('created'), ...batch.textOrEmptyOrder('title', 'description') };
  return nestedOrder(prefix, key, `left join batch ${alias} on ${alias}.id = ${key}`, order);
}

/** `recipe` inside jobs and sub-recipes. */
export function recipeSummary(alias: string, typeAlias: string) {
  const recipe = row('recipe', alias);
  return object({
    ...recipe.columns('id'),
    recipe_type: recipeTypeSummary(typeAlias),
    recipe_type_rev: object({ id: recipe.column('recipe_type_rev_id') }),
    event: object({ id: recipe.column('event_id') }),
  });
}

/** `join` has the recipe and its type. */
export function recipeOrder(key: string, alias: string, typeAlias: string, join: string) {
  const order = {
    ...nestedOrder('recipe_type', `${alias}.recipe_type_id`, join, recipeTypeOrder(typeAlias)),
    recipe_type_rev__id: { by: `${alias}.recipe_type_rev_id` },
    event__id: { by: `${alias}.event_id` },
  };
  return nestedOrder('recipe', key, join, order);
}

const SOURCE_INSTANTS = ['source_started', 'source_ended'] as const;
const SOURCE_TEXTS = ['source_sensor_class', 'source_sensor', 'source_collection', 'source_task'] as const;

/** The fields that say where the source data came from. Jobs, recipes and files have the same columns for it. */
export function sourceFields(alias: string) {
  const source = row('job', alias);
  return { ...source.instants(...SOURCE_INSTANTS), ...source.columns(...SOURCE_TEXTS) };
}

export function sourceOrder(alias: string) {
  const source = row('job', alias);
  return { ...source.order(...SOURCE_INSTANTS), ...source.textOrder(...SOURCE_TEXTS) };
}
