/** `/v6/files/{id}/lineage/`: the ancestors and the descendants of a file. */
import { Type } from '@sinclair/typebox';
import { JOB_STATUSES } from '../../domain/job/job.ts';
import { choice, integer as integerParameter } from '../../http/request/parameters.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { defineRoute, reply } from '../../http/route.ts';
import { id, integer, named, oneOf, orNull } from '../../http/schema.ts';
import { existing } from '../shared/existing.ts';
import { IdRef } from '../shared/records.ts';
import { type LineageParts, lineageOf } from './lineage.ts';

const DIRECTIONS = ['ancestors', 'descendants', 'both'] as const;
const DEPTH_MAX = 20;
const DEPTH = 3;

const level = integer({ description: 'Steps from the file; negative for what it was made from.' });

const LineageFile = named(
  'LineageFile',
  Type.Object({
    id: id(),
    file_name: Type.String(),
    file_type: oneOf(['SOURCE', 'PRODUCT']),
    media_type: Type.String(),
    file_size: integer({ minimum: 0 }),
    workspace: Type.Object({ id: id(), name: Type.String() }),
    file_path: Type.String(),
    is_deleted: Type.Boolean(),
    is_superseded: Type.Boolean(),
    level,
  }),
);

const LineageJob = named(
  'LineageJob',
  Type.Object({
    id: id(),
    status: Type.String({ description: `One of ${JOB_STATUSES.join(', ')}.` }),
    job_type: Type.Object({ id: id(), name: Type.String(), version: Type.String() }),
    revision_num: integer({ minimum: 1, description: 'The revision of the job type that ran last.' }),
    image: Type.Object({
      reference: Type.String(),
      digest: orNull(
        Type.String({ description: 'That of the image that ran, or else the one in the reference.' }),
      ),
    }),
    execution: orNull(IdRef),
    recipe: orNull(IdRef),
    recipe_node: orNull(Type.String()),
    batch: orNull(IdRef),
    settings: Type.Record(Type.String(), orNull(Type.String()), {
      description: 'Those of its last execution; secrets are shown as `*****`.',
    }),
    level,
  }),
);

const Lineage = named(
  'Lineage',
  Type.Object({
    file: IdRef,
    direction: oneOf(DIRECTIONS),
    depth: integer({ minimum: 1, maximum: DEPTH_MAX }),
    files: Type.Array(LineageFile, { description: 'Includes the file itself.' }),
    jobs: Type.Array(LineageJob),
    links: Type.Array(
      Type.Object({
        job: IdRef,
        file: IdRef,
        role: oneOf(['input', 'output'], 'What the file is to the job.'),
        name: orNull(Type.String({ description: 'Of the input or output.' })),
      }),
    ),
    rim: Type.Array(
      Type.Object({
        direction: oneOf(['ancestors', 'descendants']),
        file: orNull(IdRef),
        job: orNull(IdRef),
        next: Type.String({ description: 'The call that continues there.' }),
      }),
      { description: 'Where the graph continues beyond this answer.' },
    ),
  }),
);

const lineage = defineRoute({
  method: 'GET',
  path: '/v6/files/{id}/lineage/',
  summary: 'What a file was made from, and what was made from it',
  description:
    'A graph of files and jobs with their types, revisions, settings and images. Each direction has at most 500 ' +
    'files and 200 jobs; `rim` says where the graph continues.',
  params: { id: pathId },
  query: {
    direction: choice('`both` when absent.', DIRECTIONS),
    depth: integerParameter(`Jobs between the file and the farthest ones; ${DEPTH} when absent.`, {
      minimum: 1,
      maximum: DEPTH_MAX,
    }),
    after: integerParameter('From `rim`: only jobs with higher ids that took this file as input.', {
      minimum: 0,
    }),
  },
  replies: { 200: Lineage },
  async handle({ params, query }, parts: LineageParts) {
    const { direction = 'both', depth = DEPTH, after = 0 } = query;
    return reply(
      200,
      existing(await lineageOf(parts, params.id, { direction, depth, after }), 'file', params.id),
    );
  },
});

export const lineageRoutes = [lineage];
