/** `/v6/nodes/`: the hosts that run tasks. */
import { type Static, Type } from '@sinclair/typebox';
import { AppError } from '../../domain/errors.ts';
import { defineList, type List } from '../../http/list.ts';
import { orderBy } from '../../http/request/ordering.ts';
import { flag } from '../../http/request/parameters.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { timeRange } from '../../http/request/time-range.ts';
import { defineRoute, reply } from '../../http/route.ts';
import { id, instant, NO_BODY, named, orNull } from '../../http/schema.ts';
import { existing } from '../shared/existing.ts';

const Node = named(
  'Node',
  Type.Object({
    id: id(),
    hostname: Type.String(),
    pause_reason: orNull(Type.String({ description: 'Why it is paused.' })),
    is_paused: Type.Boolean({ description: 'It takes no new jobs; those that run go on.' }),
    is_active: Type.Boolean({ description: 'It takes part in the cluster, as the administrator wants it.' }),
    deprecated: orNull(instant('Since when it is not active.')),
    created: instant(),
    last_modified: instant(),
  }),
);
const NodeEdit = named(
  'NodeEdit',
  Type.Object(
    {
      pause_reason: Type.Optional(orNull(Type.String({ maxLength: 250 }))),
      is_paused: Type.Optional(Type.Boolean({ description: 'False clears the reason.' })),
      is_active: Type.Optional(Type.Boolean()),
    },
    { additionalProperties: false },
  ),
);
export type NodeRecord = Static<typeof Node>;
export type NodeEditBody = Static<typeof NodeEdit>;

export interface NodeRouteDeps {
  readonly nodes: {
    list: List<typeof filters, typeof order, NodeRecord>;
    find(id: number): Promise<NodeRecord | undefined>;
    /** Throws NOT_FOUND. */
    edit(id: number, body: NodeEditBody): Promise<void>;
  };
}

const ORDER = ['hostname', 'pause_reason', 'is_paused', 'is_active', 'deprecated', 'created'] as const;

const filters = {
  range: timeRange(),
  is_active: flag('Only active, or only inactive nodes.'),
};
const order = orderBy([...ORDER, 'last_modified'], ['last_modified']);

const list = defineList({
  path: '/v6/nodes/',
  summary: 'List nodes',
  query: { ...filters, order },
  record: Node,
  records: ({ query }, { nodes }: NodeRouteDeps) => nodes.list(query, query.order, query.paging),
});

const details = defineRoute({
  method: 'GET',
  path: '/v6/nodes/{id}/',
  summary: 'A node',
  params: { id: pathId },
  replies: { 200: Node },
  async handle({ params }, { nodes }: NodeRouteDeps) {
    return reply(200, existing(await nodes.find(params.id), 'node'));
  },
});

const edit = defineRoute({
  method: 'PATCH',
  path: '/v6/nodes/{id}/',
  summary: 'Pause, resume, activate or deactivate a node',
  params: { id: pathId },
  body: NodeEdit,
  replies: { 204: NO_BODY },
  async handle({ params, body }, { nodes }: NodeRouteDeps) {
    if (Object.keys(body).length === 0) {
      throw new AppError('INVALID_REQUEST', 'no fields specified for update');
    }
    await nodes.edit(params.id, body);
    return reply(204);
  },
});

export const nodeRoutes = [list, details, edit];
