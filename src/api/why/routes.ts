/** `…/why/`: why jobs, recipes and files are not done, or why they ended as they did. */
import { Type } from '@sinclair/typebox';
import { JOB_STATUSES } from '../../domain/job/job.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { defineRoute, reply } from '../../http/route.ts';
import { id, integer, named, oneOf } from '../../http/schema.ts';
import type { Parts } from '../parts.ts';
import { existing } from '../shared/existing.ts';
import { CAUSE, Cause } from './cause.ts';
import { whyOfJob, whyOfRecipe } from './service.ts';

const causes = Type.Array(Cause, {
  description: 'The cause that decides comes first. Empty: nothing is left to do.',
});

const JobWhy = named(
  'JobWhy',
  Type.Object(
    { id: id(), status: oneOf(JOB_STATUSES), causes },
    { examples: [{ id: 12, status: 'QUEUED', causes: [CAUSE] }] },
  ),
);

const RecipeWhy = named(
  'RecipeWhy',
  Type.Object({
    id: id(),
    is_completed: Type.Boolean(),
    held_count: integer({
      minimum: 0,
      description: 'Nodes that are not done or were never created, in the recipe and in recipes inside it.',
    }),
    causes: Type.Array(Cause, {
      description:
        'In the order in which the recipe continues; the first subject is the node. Includes nodes that were never ' +
        'created. For the first 100 such nodes.',
    }),
  }),
);

const ofJob = defineRoute({
  method: 'GET',
  path: '/v6/jobs/{id}/why/',
  summary: 'Why a job waits, or ended as it did',
  description:
    'Answered by the code with which the scheduler and the recipe decide. For a job that waits for a node: what ' +
    'would have to change for the next pass to place it.',
  params: { id: pathId },
  replies: { 200: JobWhy },
  async handle({ params, request }, parts: Parts<'sql' | 'revisions'>) {
    return reply(200, existing(await whyOfJob(parts, params.id, request.nowMs), 'job', params.id));
  },
});

const ofRecipe = defineRoute({
  method: 'GET',
  path: '/v6/recipes/{id}/why/',
  summary: 'Why a recipe is not complete, or why nodes were not created',
  params: { id: pathId },
  replies: { 200: RecipeWhy },
  async handle({ params, request }, parts: Parts<'sql' | 'revisions'>) {
    return reply(200, existing(await whyOfRecipe(parts, params.id, request.nowMs), 'recipe', params.id));
  },
});

export const whyRoutes = [ofJob, ofRecipe];
