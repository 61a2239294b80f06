/** Names of all records of a kind, for suggestions. These records are made by people, and few. */
import type { Sql } from '../sql/sql.ts';

export interface RecordNames {
  /** With their versions, in order. */
  readonly jobTypes: readonly (readonly [name: string, version: string])[];
  readonly recipeTypes: readonly string[];
  readonly workspaces: readonly string[];
}

// limit: names of a kind that are read.
const NAMES_MAX = 10_000;

const RECORD_NAMES = {
  name: 'record_names',
  text: /* sql */ `
    select
      (select coalesce(json_agg(json_build_array(t.name, t.version)), '[]') from (
        select name, version from job_type
        where not is_system and deleted is null and $1 order by name, version limit ${NAMES_MAX}) t)
        as "jobTypes",
      (select coalesce(json_agg(t.name), '[]') from (
        select name from recipe_type where deleted is null and $2 order by name limit ${NAMES_MAX}) t) as "recipeTypes",
      (select coalesce(json_agg(t.name), '[]') from (
        select name from workspace where deleted is null and $3 order by name limit ${NAMES_MAX}) t) as workspaces`,
};

/** Names of the requested kinds; the others are empty. */
export async function recordNames(
  sql: Sql,
  kinds: Readonly<Record<keyof RecordNames, boolean>>,
): Promise<RecordNames> {
  const params = [kinds.jobTypes, kinds.recipeTypes, kinds.workspaces];
  const [row] = await sql.execute<RecordNames>(RECORD_NAMES, params);
  return row ?? { jobTypes: [], recipeTypes: [], workspaces: [] };
}
