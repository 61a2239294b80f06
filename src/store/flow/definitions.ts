/** The parts of the flow of files: strikes and scans, the recipe types that they start, and the job types of these. */
import type { JobStatus } from '../../domain/job/job.ts';
import type { Sql } from '../sql/sql.ts';

/** A strike or a scan. */
export interface FlowFinder {
  readonly kind: 'strike' | 'scan';
  readonly id: number;
  readonly name: string;
  readonly title: string;
  readonly isPaused: boolean;
  readonly jobStatus: JobStatus;
  readonly workspaceId: number;
  /** The name of the recipe type that it starts. */
  readonly recipe: string | null;
  readonly patterns: readonly string[];
}

export interface FlowWorkspace {
  readonly id: number;
  readonly name: string;
  readonly title: string;
  readonly isActive: boolean;
}

export interface FlowRecipeType extends FlowWorkspace {}

export interface FlowJobType extends FlowWorkspace {
  readonly version: string;
  /** Recipe types of the flow that run it. */
  readonly recipeTypeIds: readonly number[];
}

/** The strikes and scans that changed last, at most the given number of each, plus one if there are more. */
export async function flowFinders(
  sql: Sql,
  most: { readonly strikes: number; readonly scans: number; readonly rules: number },
): Promise<readonly FlowFinder[]> {
  const fields = (kind: string, isPaused: string) => `'${kind}' as kind, s.id, s.name, s.title,
    ${isPaused} as "isPaused", job.status as "jobStatus", s.workspace_id as "workspaceId",
    s.configuration->'recipe'->>'name' as recipe,
    array(select rule->>'filename_regex' from jsonb_array_elements(s.configuration->'files_to_ingest')
      with ordinality as r(rule, at) order by at limit $2) as patterns`;
  const [strikes, scans] = await Promise.all([
    // Strikes are few: a small table.
    sql.execute<FlowFinder>(
      `select ${fields('strike', 's.is_paused')} from strike s join job on job.id = s.job_id
       where s.deleted is null order by s.last_modified desc, s.id desc limit $1`,
      [most.strikes + 1, most.rules],
    ),
    sql.execute<FlowFinder>(
      `select ${fields('scan', 'false')} from scan s join job on job.id = s.job_id
       where s.deleted is null
       order by s.last_modified desc, s.id desc limit $1`, // = scan_modified_idx
      [most.scans + 1, most.rules],
    ),
  ]);
  return [...strikes, ...scans];
}

export function flowWorkspaces(sql: Sql, ids: readonly number[]): Promise<readonly FlowWorkspace[]> {
  return sql.execute<FlowWorkspace>(
    `select id, name, title, is_active as "isActive" from workspace where id = any($1::bigint[]) order by id`,
    [ids],
  );
}

/** Those with these names or ids. */
export function flowRecipeTypes(
  sql: Sql,
  names: readonly string[],
  ids: readonly number[],
  limit: number,
): Promise<readonly FlowRecipeType[]> {
  return sql.execute<FlowRecipeType>(
    `select id, name, title, is_active as "isActive" from recipe_type
     where (name = any($1::text[]) or id = any($2::bigint[])) and deleted is null and not is_system
     order by name = any($1::text[]) desc, id limit $3`,
    [names, ids, limit],
  );
}

/** The job types that these recipe types run in their newest revision. */
export function flowJobTypes(
  sql: Sql,
  recipeTypeIds: readonly number[],
  limit: number,
): Promise<readonly FlowJobType[]> {
  return sql.execute<FlowJobType>(
    `select jt.id, jt.name, jt.version, jt.title, jt.is_active and not jt.is_paused as "isActive",
       array_agg(link.recipe_type_id order by link.recipe_type_id) as "recipeTypeIds"
     from recipe_type_job_type link join job_type jt on jt.id = link.job_type_id
     where link.recipe_type_id = any($1::bigint[])   -- = recipe_type_job_type_pkey
     group by jt.id order by jt.id limit $2`,
    [recipeTypeIds, limit],
  );
}
