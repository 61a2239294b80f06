/** Explains why a node that could run a job accepts none at present. */
import { type Action, type Cause, type CauseName, cause, subject } from '../cause.ts';
import { type ShownState, shownState } from '../node/shown-state.ts';
import type { NodeView } from './snapshot.ts';

/** A node, whether its agent is connected or not. */
export interface NodeFacts extends NodeView {
  readonly hostname: string;
  readonly isActive: boolean;
  readonly isOnline: boolean;
  readonly isPaused: boolean;
  readonly pauseReason: string | null;
  readonly errors: readonly {
    readonly title: string;
    readonly description: string;
    readonly startedMs: number;
  }[];
  readonly lastSeenMs: number | null;
  readonly deprecatedMs: number | null;
}

const NOT_READY: Partial<
  Readonly<
    Record<
      ShownState['name'],
      {
        readonly name: CauseName;
        readonly help: string;
        /** The change of the node that would help. */
        readonly change?: Pick<Action, 'title' | 'body'>;
      }
    >
  >
> = {
  DEPRECATED: {
    name: 'node-deprecated',
    help: 'Activate the node.',
    change: { title: 'Activate the node', body: { is_active: true } },
  },
  OFFLINE: {
    name: 'node-offline',
    help: 'Start its agent, or see why it does not reach a coordinator.',
  },
  PAUSED: {
    name: 'node-paused',
    help: 'Resume the node.',
    change: { title: 'Resume the node', body: { is_paused: false } },
  },
  DEGRADED: { name: 'node-degraded', help: 'Fix what its agent reports; it takes jobs again by itself.' },
};

/**
 * The causes for which a node that could run the job accepts none at present. A paused scheduler is a separate cause.
 */
export function notReady(node: NodeFacts): readonly Cause[] {
  const shown = shownState({ ...node, errorCount: node.errors.length }, false);
  const what = NOT_READY[shown.name];
  if (what === undefined) return [];
  const [error] = node.errors;
  const detail =
    shown.name === 'PAUSED' && node.pauseReason !== null
      ? ` (${node.pauseReason})`
      : shown.name === 'DEGRADED' && error !== undefined
        ? ` (${error.title}: ${error.description})`
        : '';
  const since = {
    DEPRECATED: node.deprecatedMs,
    OFFLINE: node.lastSeenMs,
    DEGRADED: error?.startedMs ?? null,
  };
  return [
    cause(what.name, {
      reason: `the node ${node.hostname} could run it, and is ${shown.title.toLowerCase()}${detail}`,
      sinceMs: since[shown.name as keyof typeof since] ?? null,
      subjects: [subject('node', node.nodeId, node.hostname)],
      help: what.help,
      ...(what.change === undefined
        ? {}
        : { action: { ...what.change, method: 'PATCH', path: `/v6/nodes/${node.nodeId}/` } }),
    }),
  ];
}
