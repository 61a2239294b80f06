/**
 * One host. Holds the agent's session, hands work to it, passes what it reports to the owners of the work, and
 * acknowledges to the agent only after the owner's commit. Gives up what ran on a node that stays silent.
 *
 * poll: every heartbeat it looks at its own silence; what was sent and lost is found at the agent's next hello.
 */
import type { Change } from '../../domain/changes.ts';
import type { SendFile } from '../../domain/node/coordinator-messages.ts';
import type { NodePatch, WorkspaceInfo } from '../../domain/node/node.ts';
import { type NodeState, nodeStateOf, pulseOf } from '../../domain/node/node-state.ts';
import {
  type Called,
  type CallFailed,
  type Ctx,
  defineActor,
  refuse,
  reply,
  restartWithin,
  type Saved,
  stay,
  timer,
} from '../../kernel/mod.ts';
import type { NodeMessage } from './node.messages.ts';
import type { LaunchSpecs, NodePorts } from './node.ports.ts';
import { change, type NodeEffect, type NodeOutcome, type NodeTag, send } from './node-effects.ts';
import { askReach, checkWorkspaces, claimed, reached } from './reach.ts';
import { filesSeen, ingestsEnded, progressed, tasksEnded } from './reports.ts';
import { greet, heard, offered, sessionEnded, watch } from './session.ts';
import {
  kill,
  launch,
  launchesBuilt,
  resultsCommitted,
  startIngests,
  startMonitor,
  stopMonitor,
} from './work.ts';

const REACH_MS = 30_000;
const USUAL_LEVEL = 'INFO';

type Inbox =
  | NodeMessage
  | { readonly type: 'watchDue' }
  | { readonly type: 'reachDue' }
  | Saved<NodeTag>
  | Called<NodeTag>
  | CallFailed<NodeTag>;

export interface NodeLimits {
  /** How long a node may be offline before its executions are given up, milliseconds. */
  readonly lostAfterMs: number;
}

export const nodeActor = (limits: NodeLimits) =>
  defineActor<NodeState, Inbox, NodePorts, Change>({
    kind: 'node',
    mailboxMax: 20_000,
    idleMs: Number.POSITIVE_INFINITY,
    turnMax: 500,
    supervise: restartWithin({ timesMax: 5, windowMs: 60_000 }),
    sweep: {
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
      state.silentSinceMs = ctx.nowMs;
      return stay(
        state,
        timer('watch', pulseOf(limits.lostAfterMs).heartbeatMs, { type: 'watchDue' }),
        timer('reach', REACH_MS, { type: 'reachDue' }),
      );
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

function receive(state: NodeState, message: Inbox, ctx: Ctx, limits: NodeLimits): NodeOutcome {
  switch (message.type) {
    case 'hello':
      return greet(state, message.sessionId, message.hello, ctx);
    case 'heard':
      return heard(state, message.sessionId, ctx);
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
    case 'reachable':
      return reached(state, message.workspaces, ctx);
    case 'sessionEnded':
      return sessionEnded(state, message.sessionId, ctx);
    case 'launch':
      return launch(state, message.executions);
    case 'startIngests':
      return startIngests(state, message.items, message.workspaces);
    case 'startMonitor':
      return startMonitor(state, message.order);
    case 'stopMonitor':
      return stopMonitor(state, message.executionId);
    case 'filesCommitted':
      return stay(
        state,
        ...send(state, [{ type: 'filesAck', executionId: message.executionId, batch: message.batch }]),
      );
    case 'kill':
      return kill(state, message.executionIds);
    case 'resultsCommitted':
      return resultsCommitted(state, message.items);
    case 'edit':
      return edit(state, message, ctx);
    case 'sendFile':
      return sendFile(state, message.file, ctx);
    case 'workspacesChanged':
      return stay(state, ...askReach(state));
    case 'reachDue':
      return stay(state, ...askReach(state), timer('reach', REACH_MS, { type: 'reachDue' }));
    case 'configure':
      return stay(state, ...send(state, [{ type: 'configure', loggingLevel: message.loggingLevel }]));
    case 'wake':
      return stay(state);
    case 'watchDue':
      return watch(state, ctx, limits.lostAfterMs);
    case 'saved':
      return message.tag.about === 'claims'
        ? claimed(state, (message.result as { claimed: readonly number[] }).claimed)
        : stay(state);
    case 'called':
      return answered(state, message.tag, message.result, ctx);
    case 'callFailed':
      // What could not be read or sent is found again at the next hello, reach or sweep.
      ctx.count(`node_${message.tag.about}_failed`);
      return stay(state);
  }
}

function answered(state: NodeState, tag: NodeTag, result: unknown, ctx: Ctx): NodeOutcome {
  switch (tag.about) {
    case 'launches':
      return launchesBuilt(state, result as LaunchSpecs, ctx);
    case 'workspaces':
      state.workspaces = new Map((result as readonly WorkspaceInfo[]).map((one) => [one.uuid, one]));
      return stay(state, ...checkWorkspaces(state, []));
    case 'level':
      // The usual level is not pushed onto an agent that was started with one of its own.
      if (result === USUAL_LEVEL) return stay(state);
      return stay(state, ...send(state, [{ type: 'configure', loggingLevel: result as string }]));
    default:
      return stay(state);
  }
}

function sendFile(state: NodeState, file: SendFile, ctx: Ctx): NodeOutcome {
  if (ctx.replyTo === undefined) return stay(state);
  if (state.session !== null) return stay(state, ...send(state, [file]), reply(ctx.replyTo, {}));
  const message = `no agent speaks for the node '${state.hostname}'`;
  return stay(state, refuse(ctx.replyTo, { code: 'AGENT_UNAVAILABLE', message }));
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
  if (ctx.replyTo !== undefined) effects.push(reply(ctx.replyTo, {}));
  return stay(state, ...effects);
}
