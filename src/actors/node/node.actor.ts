/**
 * One host. It holds the agent's session, sends work to it, passes its reports to the owners of the work, and
 * acknowledges them only after the owner's commit. It gives up executions of a node that stays silent.
 *
 * poll: every heartbeat interval it checks its own silence; the agent's next hello and every reconciliation find lost
 * orders by comparing rows; the agent repeats lost reports.
 */
import type { Change } from '../../domain/changes.ts';
import type { NodePatch } from '../../domain/node/node.ts';
import { type NodeState, nodeStateOf, pulseOf } from '../../domain/node/node-state.ts';
import { askerOf, type Ctx, defineActor, refuse, reply, restartWithin, stay } from '../../kernel/mod.ts';
import { answer } from '../defer-until-reload.ts';
import { deleteFiles, filesDeleted } from './deletions.ts';
import { filesFound, findFiles } from './finds.ts';
import { lookAt, workspaceSeen } from './looks.ts';
import type { AgentNodeMessage, NodeMessage } from './node.messages.ts';
import type { NodePorts } from './node.ports.ts';
import {
  change,
  drop,
  type NodeEffect,
  type NodeOutcome,
  type NodeReturn,
  send,
  sent,
} from './node-effects.ts';
import { askWorkspaces, claimed, reached, workspacesRead } from './reach.ts';
import {
  askExecutions,
  askUnknown,
  executionsRead,
  orderUnsent,
  retryUnknown,
  unknownRead,
} from './reconcile.ts';
import { filesListed, filesSeen, ingestsEnded, progressed, tasksEnded } from './reports.ts';
import { greet, heard, isCurrent, isJustHeard, offered, sessionEnded } from './session.ts';
import { isCalm, watch } from './silence.ts';
import { formerFailed, formerRead } from './successor.ts';
import {
  kill,
  launch,
  launchesBuilt,
  launchesFailed,
  resultsCommitted,
  startIngests,
  startListing,
  startMonitor,
  stopListing,
  stopMonitor,
} from './work.ts';

const USUAL_LEVEL = 'INFO';

type Inbox = NodeMessage | NodeReturn;
/** Outcomes of calls and saves, without timers. */
type NodeCallReturn = Exclude<NodeReturn, { type: `${string}Due` }>;

export interface NodeLimits {
  /** How long a node may be offline before its executions are given up, in milliseconds. */
  readonly lostAfterMs: number;
}

export const nodeActor = (limits: NodeLimits) =>
  defineActor<NodeState, Inbox, NodePorts, Change>({
    kind: 'node',
    mailboxMax: 20_000,
    idleMs: Number.POSITIVE_INFINITY,
    turnMax: 500,
    supervise: restartWithin({ timesMax: 5, windowMs: 60_000 }),
    reconcile: {
      everyMs: 15_000,
      async find(shards, ports) {
        const nodeIds = await ports.dueNodes(shards);
        return nodeIds.map((id) => ({ key: String(id), message: { type: 'wake' } as const }));
      },
    },
    async load(keys, ports) {
      const rows = await ports.loadNodes(keys.map(Number));
      return new Map([...rows].map(([id, row]) => [String(id), nodeStateOf(row)]));
    },
    start(state, ctx) {
      if (state === undefined) return stay<NodeState, Change>(state);
      state.watchedMs = ctx.nowMs;
      return stay(state);
    },
    poll: { everyMs: pulseOf(limits.lostAfterMs).heartbeatMs, message: { type: 'watchDue' } },
    absorb(state, message, nowMs) {
      if (message.type === 'heard') return isJustHeard(state, message.sessionId, nowMs);
      return message.type === 'watchDue' && isCalm(state, nowMs, limits.lostAfterMs);
    },
    receive(state, message, ctx) {
      if (state === undefined) {
        ctx.count('node_unknown');
        if (ctx.replyTo === undefined) return stay<NodeState, Change>(state);
        return stay<NodeState, Change>(
          state,
          refuse(ctx.replyTo, { code: 'NOT_FOUND', message: 'no such node' }),
        );
      }
      return receive(state, message, ctx, limits);
    },
  });

/** Messages that only the current session may send. */
const FROM_AGENT: ReadonlySet<string> = new Set<AgentNodeMessage['type']>([
  'heard',
  'offer',
  'taskUpdates',
  'ingestUpdates',
  'filesSeen',
  'ingestProgress',
  'listingPage',
  'reachable',
  'filesDeleted',
  'filesFound',
  'workspaceSeen',
]);

function isFromAgent(
  message: Inbox,
): message is Exclude<AgentNodeMessage, { type: 'hello' | 'sessionEnded' }> {
  return FROM_AGENT.has(message.type);
}

function receive(state: NodeState, message: Inbox, ctx: Ctx, limits: NodeLimits): NodeOutcome {
  if (!isFromAgent(message)) return fromActors(state, message, ctx, limits);
  if (isCurrent(state, message.sessionId, ctx.nowMs)) return fromAgent(state, message, ctx);
  ctx.count('said_by_stale_session');
  return stay(state, ...drop(state, message.sessionId));
}

function fromAgent(
  state: NodeState,
  message: Exclude<AgentNodeMessage, { type: 'hello' | 'sessionEnded' }>,
  ctx: Ctx,
): NodeOutcome {
  switch (message.type) {
    case 'heard':
      return heard(state, ctx);
    case 'offer':
      return offered(state, message, ctx);
    case 'taskUpdates':
      return tasksEnded(state, message.updates, ctx);
    case 'ingestUpdates':
      return ingestsEnded(state, message.updates, ctx);
    case 'filesSeen':
      return filesSeen(state, message, ctx);
    case 'ingestProgress':
      return progressed(state, message.ingests);
    case 'listingPage':
      return filesListed(state, message.page, ctx);
    case 'filesDeleted':
      return filesDeleted(state, message.answer);
    case 'filesFound':
      return filesFound(state, message.answer);
    case 'workspaceSeen':
      return workspaceSeen(state, message.answer);
    case 'reachable':
      return reached(state, message.workspaces, ctx);
  }
}

type FromActors = Exclude<Inbox, Exclude<AgentNodeMessage, { type: 'hello' | 'sessionEnded' }>>;

function fromActors(state: NodeState, message: FromActors, ctx: Ctx, limits: NodeLimits): NodeOutcome {
  switch (message.type) {
    case 'hello':
      return greet(state, message, ctx);
    case 'sessionEnded':
      return sessionEnded(state, message.sessionId);
    case 'launch':
      return launch(state, message.executions);
    case 'startIngests':
      return startIngests(state, message.items, message.workspaces);
    case 'startMonitor':
      return startMonitor(state, message.order);
    case 'stopMonitor':
      return stopMonitor(state, message.executionId);
    case 'filesCommitted': {
      const { executionId, batch } = message;
      return stay(state, ...send(state, [{ type: 'filesAck', executionId, batch }]));
    }
    case 'startListing':
      return startListing(state, message.order);
    case 'stopListing':
      return stopListing(state, message.executionId);
    case 'pageCommitted': {
      const { executionId, sequence } = message;
      return stay(state, ...send(state, [{ type: 'listingAck', executionId, sequence }]));
    }
    case 'kill':
      return kill(state, message.executionIds, ctx);
    case 'resultsCommitted':
      return resultsCommitted(state, message.items);
    case 'edit':
      return edit(state, message, ctx);
    case 'sendFile':
    case 'receiveFile':
      return transferFile(state, message, ctx);
    case 'deleteFiles':
      return deleteFiles(state, message, ctx);
    case 'findFiles':
      return findFiles(state, message, ctx);
    case 'lookAt':
      return lookAt(state, message, ctx);
    case 'workspacesChanged':
      return stay(state, ...askWorkspaces(state));
    case 'configure':
      return stay(state, ...send(state, [{ type: 'configure', loggingLevel: message.loggingLevel }]));
    case 'wake':
      return stay(state, ...askExecutions(state));
    case 'orderDue':
      return stay(state, ...orderUnsent(state));
    case 'unknownDue':
      return stay(state, ...askUnknown(message.executionIds));
    case 'watchDue':
      return watch(state, ctx, limits.lostAfterMs);
    default:
      return receiveReturn(state, message, ctx);
  }
}

/** Outcomes of the node's own calls and saves. The next reconciliation repeats a call that failed. */
function receiveReturn(state: NodeState, message: NodeCallReturn, ctx: Ctx): NodeOutcome {
  switch (message.type) {
    case 'workspacesClaimed':
      return claimed(state, message.result.claimed);
    case 'launchesBuilt':
      return launchesBuilt(state, message.about.sessionId, message.result, ctx);
    case 'launchSpecsFailed':
      return stay(state, ...launchesFailed(state, message.about.sessionId));
    case 'messagesSent':
    case 'sendFailed':
      return stay(state, ...sent(state, message.about.sessionId));
    case 'executionsRead':
      return executionsRead(state, message.result);
    case 'assignedToFailed':
      // The next reconciliation asks again.
      state.checking = null;
      return stay(state);
    case 'unknownRead':
      return unknownRead(state, message.result, ctx);
    case 'unknownExecutionsFailed':
      return stay(state, retryUnknown(message.about.executionIds));
    case 'formerRead':
      return formerRead(state, message.about, message.result, ctx);
    case 'formerFailed':
      return formerFailed(state, message.about);
    case 'workspacesRead':
      return stay(state, ...workspacesRead(state, message.result));
    case 'activeWorkspacesFailed':
      // They are read again at the next check.
      state.isAskingWorkspaces = false;
      return stay(state);
    case 'loggingLevelRead':
      // The default level is not sent to an agent that was started with its own.
      if (message.result === USUAL_LEVEL) return stay(state);
      return stay(state, ...send(state, [{ type: 'configure', loggingLevel: message.result }]));
    case 'loggingLevelFailed':
    case 'sessionDropped':
    case 'dropSessionFailed':
      return stay(state);
  }
}

function transferFile(
  state: NodeState,
  message: Extract<NodeMessage, { type: 'sendFile' | 'receiveFile' }>,
  ctx: Ctx,
): NodeOutcome {
  const asker = askerOf(message, ctx);
  if (asker === undefined) return stay(state);
  if (state.session !== null) return stay(state, ...send(state, [message.file]), reply(asker, {}));
  const text = `no agent speaks for the node '${state.hostname}'`;
  return stay(state, refuse(asker, { code: 'AGENT_UNAVAILABLE', message: text }));
}

function edit(state: NodeState, message: Extract<NodeMessage, { type: 'edit' }>, ctx: Ctx): NodeOutcome {
  const isPaused = message.isPaused ?? state.isPaused;
  const patch: NodePatch = {
    ...(message.isPaused === undefined ? {} : { isPaused }),
    ...(message.isActive === undefined ? {} : { isActive: message.isActive }),
    ...(message.isPaused === false
      ? { pauseReason: null }
      : message.pauseReason === undefined
        ? {}
        : { pauseReason: message.pauseReason }),
  };
  const effects: NodeEffect[] = [...change(state, patch, ctx)];
  return stay(state, ...effects, ...answer(message, ctx, {}));
}
