/** `/v6/nodes/`: the hosts that run tasks. */
import { Type } from '@sinclair/typebox';
import { type NodeMessage, nodeAddress } from '../../actors/node/node.messages.ts';
import { AppError } from '../../domain/errors.ts';
import { defineList } from '../../http/list.ts';
import { orderBy } from '../../http/request/ordering.ts';
import { flag } from '../../http/request/parameters.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { timeRange } from '../../http/request/time-range.ts';
import { defineRoute, reply } from '../../http/route.ts';
import { id, instant, NO_BODY, named, orNull } from '../../http/schema.ts';
import type { System } from '../../kernel/mod.ts';
import { findNode, listNodes } from '../../store/node/list.ts';
import type { Sql } from '../../store/sql/sql.ts';
import type { Parts } from '../parts.ts';
import { existing } from '../shared/existing.ts';
import { versionField } from '../shared/records.ts';
import { ASK_DEADLINE_MS } from '../shared/requests.ts';

export const Node = named(
  'Node',
  Type.Object({
    id: id(),
    ...versionField,
    hostname: Type.String(),
    pause_reason: orNull(Type.String({ description: 'Why it is paused.' })),
    is_paused: Type.Boolean({ description: 'It gets no new jobs; running jobs continue.' }),
    is_active: Type.Boolean({ description: 'It takes part in the cluster, as the administrator wants it.' }),
    executors: Type.Array(Type.String(), {
      description:
        'What its agent offered last: `process:PROFILE` runs images of that name, `docker` and `oci` containers. ' +
        'Empty before its first session.',
    }),
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

interface NodeParts {
  readonly sql: Sql;
  readonly system: Pick<System, 'ask'>;
}

const ORDER = ['hostname', 'pause_reason', 'is_paused', 'is_active', 'deprecated', 'created'] as const;

const filters = {
  range: timeRange(),
  is_active: flag('True: only active nodes; false: only inactive ones.'),
  is_paused: flag('True: only paused nodes; false: only the others.'),
};
const order = orderBy([...ORDER, 'last_modified'], ['last_modified']);

const list = defineList({
  path: '/v6/nodes/',
  summary: 'List nodes',
  query: { ...filters, order },
  record: Node,
  records: ({ query, shown }, { sql }: Parts<'sql'>) =>
    listNodes(sql, query, query.order, query.paging, shown),
});

const details = defineRoute({
  method: 'GET',
  path: '/v6/nodes/{id}/',
  summary: 'A node',
  params: { id: pathId },
  replies: { 200: Node },
  async handle({ params }, { sql }: Parts<'sql'>) {
    return reply(200, existing(await findNode(sql, params.id), 'node', params.id));
  },
});

const edit = defineRoute({
  method: 'PATCH',
  path: '/v6/nodes/{id}/',
  summary: 'Pause, resume, activate or deactivate a node',
  params: { id: pathId },
  body: NodeEdit,
  replies: { 204: NO_BODY },
  async handle({ params, body }, { sql, system }: NodeParts) {
    if (Object.keys(body).length === 0) {
      throw new AppError('INVALID_REQUEST', 'the body is empty: give is_paused, pause_reason or is_active');
    }
    existing(await findNode(sql, params.id), 'node', params.id);
    const { pause_reason: pauseReason, is_paused: isPaused, is_active: isActive } = body;
    const message: NodeMessage = {
      type: 'edit',
      ...(pauseReason === undefined ? {} : { pauseReason: pauseReason === '' ? null : pauseReason }),
      ...(isPaused === undefined ? {} : { isPaused }),
      ...(isActive === undefined ? {} : { isActive }),
    };
    await system.ask(nodeAddress(params.id), message, { deadlineMs: ASK_DEADLINE_MS });
    return reply(204);
  },
});

export const nodeRoutes = [list, details, edit];
