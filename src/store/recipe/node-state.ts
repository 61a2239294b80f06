/** The states of recipes and nodes as one word. */
import type { JobStatus } from '../../domain/job/job.ts';
import type { NodeState } from '../../domain/recipe/graph/graph-states.ts';
import { URGENT_STATES } from '../../domain/recipe/graph/recipe-state.ts';
import { expression } from '../sql/fields.ts';

/** The state of the most urgent jobs of a recipe. */
export const recipeState = (alias: string) =>
  expression<JobStatus>(`case when ${alias}.is_completed then 'COMPLETED'
    ${URGENT_STATES.map((state) => `when ${alias}.jobs_${state.toLowerCase()} > 0 then '${state}'`).join(' ')}
    else 'PENDING' end`);

/** Whether it is not complete, and nothing of it will run unless somebody asks for it. */
export const isHalted = (alias: string) =>
  expression<boolean>(`(not ${alias}.is_completed and (${alias}.is_superseded
    or (${alias}.jobs_running + ${alias}.jobs_queued = 0 and ${alias}.jobs_failed + ${alias}.jobs_canceled > 0)))`);

/** `n` is the node, `j` its job, `sub` its recipe, `c` its condition. */
export const NODE_STATE = expression<NodeState>(`case when n.job_id is not null then j.status
  when n.sub_recipe_id is not null then ${recipeState('sub')}
  when not c.is_processed then 'PENDING' when c.is_accepted then 'ACCEPTED' else 'REFUSED' end`);
