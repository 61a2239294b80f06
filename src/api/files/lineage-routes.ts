/** `/v6/files/{id}/lineage/`: what a file was made from, and what was made from it. */
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

const level = integer({ description: 'Steps from the file: negative for what it was made of.' });

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
        Type.String({ description: 'Of the image that ran; else where the reference names one.' }),
      ),
    }),
    execution: orNull(IdRef),
    recipe: orNull(IdRef),
    recipe_node: orNull(Type.String()),
    batch: orNull(IdRef),
    settings: Type.Record(Type.String(), orNull(Type.String()), {
      description: 'Of its last execution; values of secret ones read `*****`.',
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
    files: Type.Array(LineageFile, { description: 'The file itself among them.' }),
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
  summary: 'What a file was made of, and what was made of it',
  description:
    'A graph of files and jobs with their types, revisions, settings and images. A direction has 500 files and 200 ' +
    'jobs at most; `rim` says where it continues.',
  params: { id: pathId },
  query: {
    direction: choice('`both` when absent.', DIRECTIONS),
    depth: integerParameter(`Jobs between the file and the farthest ones; ${DEPTH} when absent.`, {
      minimum: 1,
      maximum: DEPTH_MAX,
    }),
    after: integerParameter('As `rim` gives it: only jobs of higher ids that took this file.', {
      minimum: 0,
    }),
  },
  replies: { 200: Lineage },
  async handle({ params, query }, parts: LineageParts) {
    const { direction = 'both', depth = DEPTH, after = 0 } = query;
    return reply(200, existing(await lineageOf(parts, params.id, { direction, depth, after }), 'file'));
  },
});

export const lineageRoutes = [lineage];
