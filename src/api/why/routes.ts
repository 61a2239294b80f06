/** `…/why/`: what keeps jobs, recipes and files from being done, or made them end as they did. */
import { type Static, Type } from '@sinclair/typebox';
import { SUBJECT_KINDS } from '../../domain/cause.ts';
import { JOB_STATUSES } from '../../domain/job/job.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { defineRoute, reply } from '../../http/route.ts';
import { id, instant, integer, named, oneOf, orNull } from '../../http/schema.ts';
import { existing } from '../shared/existing.ts';

const CAUSE = {
  name: 'nodes-busy',
  reason: 'every node that could run it is busy: host-1 has 512 of mem free, and it asks for 4096',
  since: null,
  amounts: [{ name: 'mem', wanted: 4096, there: 512, node: 'host-1' }],
  subjects: [{ kind: 'node', id: 1, name: 'host-1' }],
  help: 'Wait until jobs end there, cancel some, or add a node.',
};

const Cause = named(
  'Cause',
  Type.Object(
    {
      name: Type.String({ description: 'For programs: the table of causes tells what each means.' }),
      reason: Type.String({ description: 'For people; the words may change.' }),
      since: orNull(instant('Since when it holds, where that is known.')),
      amounts: Type.Array(
        Type.Object({
          name: Type.String({ description: 'A resource, `jobs`, `tries`, `seconds`, …' }),
          wanted: Type.Number(),
          there: Type.Number(),
          node: orNull(Type.String({ description: 'The node that has so much.' })),
        }),
      ),
      subjects: Type.Array(
        Type.Object({
          kind: oneOf(SUBJECT_KINDS),
          id: orNull(integer({ minimum: 0, description: 'Of a rule: its position, from 0.' })),
          name: orNull(Type.String()),
        }),
        { description: 'Whom it is about.' },
      ),
      help: orNull(Type.String({ description: 'What would help; null where there is nothing but to wait.' })),
    },
    { examples: [CAUSE] },
  ),
);

const causes = Type.Array(Cause, {
  description: 'What decides first comes first. Empty: nothing is left to do.',
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
      description: 'Nodes that are not done, or were never made, here and below.',
    }),
    causes: Type.Array(Cause, {
      description:
        'In the order in which the recipe goes on; the first subject names the node. Also for nodes that were ' +
        'never made. Of the first 100 nodes that are held.',
    }),
  }),
);

export type CauseRecord = Static<typeof Cause>;

export interface WhyRouteDeps {
  readonly why: {
    job(id: number, nowMs: number): Promise<Static<typeof JobWhy> | undefined>;
    recipe(id: number, nowMs: number): Promise<Static<typeof RecipeWhy> | undefined>;
  };
}

const ofJob = defineRoute({
  method: 'GET',
  path: '/v6/jobs/{id}/why/',
  summary: 'Why a job waits, or ended as it did',
  description:
    'Found by what the scheduler and the recipe decide by. Of a job that waits for a node: what would have to change ' +
    'for the next pass to place it.',
  params: { id: pathId },
  replies: { 200: JobWhy },
  async handle({ params, request }, { why }: WhyRouteDeps) {
    return reply(200, existing(await why.job(params.id, request.nowMs), 'job'));
  },
});

const ofRecipe = defineRoute({
  method: 'GET',
  path: '/v6/recipes/{id}/why/',
  summary: 'Why a recipe is not complete, or has made no more than it has',
  params: { id: pathId },
  replies: { 200: RecipeWhy },
  async handle({ params, request }, { why }: WhyRouteDeps) {
    return reply(200, existing(await why.recipe(params.id, request.nowMs), 'recipe'));
  },
});

export const whyRoutes = [ofJob, ofRecipe];
