/** Nodes: the service behind their routes; the node's actor makes changes. */
import { type NodeMessage, nodeAddress } from '../../actors/node/node.messages.ts';
import { AppError } from '../../domain/errors.ts';
import type { System } from '../../kernel/mod.ts';
import { findNode, listNodes } from '../../store/node/list.ts';
import type { Sql } from '../../store/sql/sql.ts';
import type { NodeRouteDeps } from './routes.ts';

export interface NodeParts {
  readonly sql: Sql;
  readonly system: Pick<System, 'ask'>;
}

const ASK_DEADLINE_MS = 10_000;

export function nodesApp({ sql, system }: NodeParts): NodeRouteDeps['nodes'] {
  return {
    list: (filter, order, page) => listNodes(sql, filter, order, page),
    find: (id) => findNode(sql, id),
    async edit(id, { pause_reason: pauseReason, is_paused: isPaused, is_active: isActive }) {
      if ((await findNode(sql, id)) === undefined) throw new AppError('NOT_FOUND', 'there is no such node');
      const message: NodeMessage = {
        type: 'edit',
        ...(pauseReason === undefined ? {} : { pauseReason: pauseReason === '' ? null : pauseReason }),
        ...(isPaused === undefined ? {} : { isPaused }),
        ...(isActive === undefined ? {} : { isActive }),
      };
      await system.ask(nodeAddress(id), message, { deadlineMs: ASK_DEADLINE_MS });
    },
  };
}
