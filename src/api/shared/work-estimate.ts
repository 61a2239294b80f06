/** An upper limit of the work that recipes would create, and its processor time according to recent executions. */
import { type Static, Type } from '@sinclair/typebox';
import { jobsOfOne, recipesOfOne } from '../../domain/batch/batch-input.ts';
import type { RecipeDefinition } from '../../domain/recipe/recipe-definition.ts';
import type { RecipeTypeRevision } from '../../domain/recipe/type-revisions.ts';
import { named, orNull } from '../../http/schema.ts';
import type { RevisionCache } from '../../store/catalog/revision-cache.ts';
import { meanProcessorSeconds } from '../../store/job-type/used.ts';
import { nodesOfDefinition } from '../../store/recipe-type/nodes.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { count } from './records.ts';

export const WorkEstimate = named(
  'WorkEstimate',
  Type.Object(
    {
      recipes: { ...count, description: 'The recipe itself and its sub-recipes.' },
      jobs: count,
      processor_hours: orNull(
        Type.Number({
          description: 'By the mean of recent executions; null if no execution was measured.',
        }),
      ),
      jobs_without_figures: count,
    },
    { description: 'The most that it can be: as if all conditions accepted.' },
  ),
);
export type WorkEstimate = Static<typeof WorkEstimate>;

/** Recipes, and jobs by the id of their type. */
export interface Work {
  readonly recipes: number;
  readonly jobs: ReadonlyMap<number, number>;
}

export function workOf(revision: RecipeTypeRevision): Work {
  return { recipes: recipesOfOne(revision), jobs: jobsOfOne(revision) };
}

/** The work of one recipe of a valid definition that is not saved. */
export async function workOfDefinition(
  { sql, revisions }: { readonly sql: Sql; readonly revisions: Pick<RevisionCache, 'recipeRevisions'> },
  { nodes }: RecipeDefinition,
): Promise<Work> {
  const types = await nodesOfDefinition(
    sql,
    Object.values(nodes).map(({ node_type }) => node_type),
  );
  const found = await revisions.recipeRevisions(types.recipeTypeRevIds);
  const jobs = new Map<number, number>();
  const add = (jobTypeId: number, more: number) => jobs.set(jobTypeId, (jobs.get(jobTypeId) ?? 0) + more);
  for (const id of types.jobTypeIds) add(id, 1);
  let recipes = 1;
  for (const id of types.recipeTypeRevIds) {
    const inner = found.get(id);
    if (inner === undefined) continue;
    const work = workOf(inner);
    recipes += work.recipes;
    for (const [jobTypeId, more] of work.jobs) add(jobTypeId, more);
  }
  return { recipes, jobs };
}

/** `times`: how often the work is done. */
export async function estimateOf(sql: Sql, { recipes, jobs }: Work, times = 1): Promise<WorkEstimate> {
  const means = await meanProcessorSeconds(sql, [...jobs.keys()]);
  const sum = (each: (jobTypeId: number, jobCount: number) => number): number => {
    return [...jobs].reduce((total, [id, jobCount]) => total + each(id, jobCount) * times, 0);
  };
  return {
    recipes: Math.round(recipes * times),
    jobs: Math.round(sum((_, jobCount) => jobCount)),
    processor_hours: means.size === 0 ? null : sum((id, jobCount) => jobCount * (means.get(id) ?? 0)) / 3_600,
    jobs_without_figures: Math.round(sum((id, jobCount) => (means.has(id) ? 0 : jobCount))),
  };
}
