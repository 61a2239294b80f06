/** When the jobs of a recipe, and of the recipes inside it, waited and ran. */
import type { JobStatus } from '../../domain/job/job.ts';
import { expression, iso, object, row, type ValueOf } from '../sql/fields.ts';
import type { Sql } from '../sql/sql.ts';
import { nodesInside } from './nodes-inside.ts';

const j = row('job', 'j');
const JOB = object({
  id: j.id,
  recipe_id: expression<number>('n.recipe_id'),
  path: expression<string[]>('n.path'),
  is_kept: expression<boolean>('n.is_kept'),
  status: j.oneOf<JobStatus>('status'),
  queued: iso('j.queued'),
  ...j.instants('started', 'ended'),
});

export interface RecipeTimeline {
  /** Jobs that were queued. */
  readonly count: number;
  /** The first of them. */
  readonly jobs: readonly ValueOf<typeof JOB>[];
}

/** Undefined if there is no such recipe. */
export async function recipeTimeline(
  sql: Sql,
  recipeId: number,
  jobsMax: number,
): Promise<RecipeTimeline | undefined> {
  const [found] = await sql.execute<RecipeTimeline>(
    `${nodesInside('$1')}, job_inside as (
      select ${JOB} as record, j.queued, j.id from node_inside n join job j on j.id = n.job_id
      where j.queued is not null
    )
    select (select count(*)::int from job_inside) as count, (
      select coalesce(json_agg(first.record order by first.queued, first.id), '[]')
      from (select * from job_inside order by queued, id limit $2) as first) as jobs
    from recipe where id = $1`,
    [recipeId, jobsMax],
  );
  return found;
}
