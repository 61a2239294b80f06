/** Schemas of the flow of files. */
import { type Static, Type } from '@sinclair/typebox';
import { id, instant, named, oneOf, orNull } from '../../http/schema.ts';
import { count } from '../shared/records.ts';

const amount = (description: string) => Type.Integer({ minimum: 0, description });

const Node = named(
  'FlowNode',
  Type.Object({
    key: Type.String({ description: 'Edges refer to the node by it.' }),
    kind: oneOf(['workspace', 'strike', 'scan', 'recipe_type', 'job_type']),
    id: id(),
    name: Type.String(),
    version: orNull(Type.String({ description: 'Of a job type.' })),
    title: Type.String(),
    is_active: Type.Boolean({
      description: 'False: paused, deprecated or not active; for a scan: no run is under way.',
    }),
    patterns: Type.Array(Type.String(), {
      description: 'The regular expressions of the rules of a strike or scan; the first 20.',
    }),
    live: amount('Recipes or jobs of a type that have not ended.'),
    failed: amount('Jobs of a job type that are FAILED now.'),
    files: amount('Products of a job type in recipes of the types shown.'),
  }),
);

const Edge = named(
  'FlowEdge',
  Type.Object({
    from: Type.String({ description: 'The `key` of a node.' }),
    to: Type.String({ description: 'The `key` of a node.' }),
    live: amount('Under way now: ingests, or all jobs of the type, whatever recipe they belong to.'),
    waiting: amount('Deferred ingests.'),
    done: amount('Ingests, started recipes or jobs that were completed in the range.'),
    per_hour: Type.Number({ minimum: 0, description: '`done` per hour.' }),
    failed: amount('Ingests or jobs that failed in the range.'),
    files: count,
  }),
);

export const Flow = named(
  'Flow',
  Type.Object({
    started: instant('The beginning of the first hour that is counted.'),
    ended: instant(),
    nodes: Type.Array(Node),
    edges: Type.Array(Edge, {
      description:
        'From workspaces to strikes and scans, from these to recipe types, from these to job types. `files` of the ' +
        'last: products of the job type in recipes of the type.',
    }),
    is_cut: Type.Boolean({ description: 'There is more than is shown.' }),
  }),
);

export type FlowNode = Static<typeof Node>;
export type FlowEdge = Static<typeof Edge>;
