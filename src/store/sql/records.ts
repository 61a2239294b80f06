/**
 * The records of the interface as SQL: each function projects the row behind an alias as the JSON object that answers
 * embed. The database builds records in the interface's own form, so that a page is one statement and nothing is mapped
 * twice. Summaries that several resources embed are here.
 */
import { assert } from '../../lib/assert.ts';

/** A time in the interface's form; null stays null. */
export function iso(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** A JSON object of fields, in their order. */
export function object(fields: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(fields).map(([name, value]) => `'${name}', ${value}`);
  // limit: PostgreSQL allows 100 arguments in a call.
  assert(pairs.length <= 50, `${pairs.length} fields in one record`);
  return `json_build_object(${pairs.join(', ')})`;
}

/** The object, or null if `column` is null: for rows of outer joins. */
export function objectIf(column: string, fields: Readonly<Record<string, string>>): string {
  return `case when ${column} is not null then ${object(fields)} end`;
}

/** Columns of the same name as the fields. */
export function columns(alias: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, `${alias}.${name}`]));
}

/** A text whose column may be null; '' if it was not given, null if there is no row. */
export function textOrEmpty(alias: string, name: string): string {
  return `coalesce(${alias}.${name}, case when ${alias}.id is not null then '' end)`;
}

/** Such texts, with field names equal to column names. */
export function textsOrEmpty(alias: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, textOrEmpty(alias, name)]));
}

/** Times, with field names equal to column names. */
export function instants(alias: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, iso(`${alias}.${name}`)]));
}

/** `job_type` inside other records. */
export function jobTypeSummary(alias: string): string {
  const names = ['id', 'name', 'version', 'title', 'description', 'is_active', 'is_paused', 'is_published'];
  return objectIf(`${alias}.id`, columns(alias, [...names, 'icon_code', 'unmet_resources', 'is_system']));
}

/** `recipe_type` inside other records, in its present state. */
export function recipeTypeSummary(alias: string): string {
  return objectIf(`${alias}.id`, columns(alias, ['id', 'name', 'title', 'description', 'revision_num']));
}

/** `event`: what triggered the record. */
export function eventRecord(alias: string): string {
  return objectIf(`${alias}.id`, {
    ...columns(alias, ['id', 'type']),
    rule: 'null::text',
    occurred: iso(`${alias}.occurred`),
    description: `${alias}.description`,
  });
}

/** `error`: a registered error. */
export function errorRecord(alias: string): string {
  const names = ['id', 'name', 'title', 'description', 'job_type_name', 'category', 'is_builtin'];
  return objectIf(`${alias}.id`, {
    ...columns(alias, [...names, 'should_be_retried']),
    ...instants(alias, ['created', 'last_modified']),
  });
}

/** `node` inside jobs and executions. */
export function nodeSummary(alias: string): string {
  return objectIf(`${alias}.id`, columns(alias, ['id', 'hostname']));
}

/** `batch` inside other records, by its id. */
export function batchRef(column: string): string {
  const record = object({
    id: 'batch.id',
    ...textsOrEmpty('batch', ['title', 'description']),
    created: iso('batch.created'),
  });
  return `(select ${record} from batch where batch.id = ${column})`;
}

/** The fields for the origin of the source data, in jobs, recipes and files. */
export function sourceFields(alias: string): Record<string, string> {
  const names = ['source_sensor_class', 'source_sensor', 'source_collection', 'source_task'];
  return { ...instants(alias, ['source_started', 'source_ended']), ...columns(alias, names) };
}
