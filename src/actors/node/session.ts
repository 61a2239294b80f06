/** The agent's session: its hello, its signs of life, its silence. */
import type { Hello } from '../../domain/node/agent-messages.ts';
import type { AssignedExecution } from '../../domain/node/node.ts';
import {
  conditionsOf,
  isSameConditions,
  LAST_SEEN_EVERY_MS,
  type NodeState,
  OFFLINE_AFTER_MS,
  pulseOf,
} from '../../domain/node/node-state.ts';
import { type Ctx, call, type Effect, reply, stay, tell, timer } from '../../kernel/mod.ts';
import { ownerAddress, type WorkMissing } from '../owner.messages.ts';
import type { AgentNodeMessage, HelloAnswer } from './node.messages.ts';
import { change, type NodeEffect, type NodeOutcome, type NodeTag, send } from './node-effects.ts';
import { giveUp } from './reports.ts';
import { buildLaunches } from './work.ts';

/** An agent comes, or comes back: reconciles what it holds with what its rows say runs here. */
export function greet(state: NodeState, sessionId: string, hello: Hello, ctx: Ctx): NodeOutcome {
  const rival = state.session;
  if (rival !== null && rival.agentId !== hello.agentId && ctx.nowMs - rival.lastHeardMs < OFFLINE_AFTER_MS) {
    const reason = `another agent is connected as node '${state.hostname}': give this one a MILLRACE_NODE_NAME of its own`;
    return answer(state, ctx, { isAccepted: false, reason });
  }
  const effects: NodeEffect[] = [];
  // Another agent under the node's name has none of the old one's folders: what ran there is lost.
  if (state.agentId !== null && state.agentId !== hello.agentId) {
    effects.push(
      ...giveUp(state, [...state.executions.values()], 'the node came back with a new agent', ctx),
    );
  }
  state.session = { id: sessionId, agentId: hello.agentId, lastHeardMs: ctx.nowMs };
  state.silentSinceMs = null;
  state.claimsFailed.clear();
  effects.push(
    ...change(
      state,
      {
        agentId: hello.agentId,
        version: hello.version,
        isOnline: true,
        labels: hello.labels,
        resources: hello.resources,
        executors: hello.executors,
        lastSeenMs: ctx.nowMs,
      },
      ctx,
    ),
    ...reconcile(state, hello),
    call('activeWorkspaces', undefined, { about: 'workspaces' } satisfies NodeTag),
    call('loggingLevel', undefined, { about: 'level' } satisfies NodeTag),
  );
  state.lastSeenSavedMs = ctx.nowMs;
  const outcome = answer(state, ctx, { isAccepted: true });
  return stay(state, ...outcome.effects, ...effects);
}

function answer(state: NodeState, ctx: Ctx, value: HelloAnswer): NodeOutcome {
  return stay(state, ...(ctx.replyTo === undefined ? [] : [reply(ctx.replyTo, value)]));
}

/** Work that rows give to this node and the agent lacks is ordered again; what only the agent has is stopped. */
function reconcile(state: NodeState, hello: Hello): readonly NodeEffect[] {
  const held = new Set([
    ...hello.executions.filter((one) => !one.needsLaunch).map((one) => one.executionId),
    ...hello.monitorExecutionIds,
    ...hello.ingestExecutionIds,
  ]);
  const missing = [...state.executions.values()].filter((one) => !held.has(one.executionId));
  const tasks = missing.filter((one) => one.work === 'task').map((one) => one.executionId);
  const kills = [...hello.executions.map((one) => one.executionId), ...hello.ingestExecutionIds]
    .filter((id) => !state.executions.has(id))
    .map((executionId) => ({ type: 'kill', executionId }) as const);
  const stops = hello.monitorExecutionIds
    .filter((id) => !state.executions.has(id))
    .map((executionId) => ({ type: 'stopMonitor', executionId }) as const);
  return [
    ...send(state, [...kills, ...stops]),
    ...buildLaunches(tasks),
    ...tellMissing(
      state,
      missing.filter((one) => one.work !== 'task'),
    ),
  ];
}

function tellMissing(state: NodeState, missing: readonly AssignedExecution[]): readonly Effect<never>[] {
  const byOwner = new Map<string, AssignedExecution[]>();
  for (const one of missing) {
    const key = `${one.owner.kind}/${one.owner.key}`;
    byOwner.set(key, [...(byOwner.get(key) ?? []), one]);
  }
  return [...byOwner.values()].map((list) => {
    const owner = (list[0] as AssignedExecution).owner;
    const executionIds = list.map((one) => one.executionId);
    return tell(ownerAddress(owner), {
      type: 'workMissing',
      nodeId: state.id,
      executionIds,
    } satisfies WorkMissing);
  });
}

/** A sign of life. `last_seen` of the row follows coarsely. */
export function heard(state: NodeState, sessionId: string, ctx: Ctx): NodeOutcome {
  if (state.session?.id !== sessionId) return stay(state, ...drop(sessionId));
  state.session.lastHeardMs = ctx.nowMs;
  if (!state.isOnline) return stay(state, ...change(state, { isOnline: true, lastSeenMs: ctx.nowMs }, ctx));
  if (ctx.nowMs - state.lastSeenSavedMs < LAST_SEEN_EVERY_MS) return stay(state);
  state.lastSeenSavedMs = ctx.nowMs;
  return stay(state, ...change(state, { lastSeenMs: ctx.nowMs }, ctx));
}

/** A session this actor knows nothing of (it was loaded again, or had given it up): the agent must greet anew. */
function drop(sessionId: string): readonly NodeEffect[] {
  return [call('dropSession', { sessionId }, { about: 'sent' } satisfies NodeTag)];
}

export function offered(
  state: NodeState,
  message: Extract<AgentNodeMessage, { type: 'offer' }>,
  ctx: Ctx,
): NodeOutcome {
  if (state.session?.id !== message.sessionId) return stay(state);
  state.session.lastHeardMs = ctx.nowMs;
  const { offer } = message;
  const errors = conditionsOf(offer.errors, state.errors, ctx.nowMs);
  const warnings = conditionsOf(offer.warnings, state.warnings, ctx.nowMs);
  const isSame =
    JSON.stringify(offer.resources) === JSON.stringify(state.resources) &&
    isSameConditions(errors, state.errors) &&
    isSameConditions(warnings, state.warnings);
  if (isSame) return stay(state);
  return stay(state, ...change(state, { resources: offer.resources, errors, warnings }, ctx));
}

export function sessionEnded(state: NodeState, sessionId: string, ctx: Ctx): NodeOutcome {
  if (state.session?.id !== sessionId) return stay(state);
  state.session = null;
  state.silentSinceMs = ctx.nowMs;
  return stay(state);
}

/** Looks at the silence: nothing new for an offline node, its executions given up when it is lost. */
export function watch(state: NodeState, ctx: Ctx, lostAfterMs: number): NodeOutcome {
  const { heartbeatMs, offlineAfterMs } = pulseOf(lostAfterMs);
  const again = timer('watch', heartbeatMs, { type: 'watchDue' });
  if (state.session !== null && ctx.nowMs - state.session.lastHeardMs >= offlineAfterMs) {
    state.silentSinceMs = state.session.lastHeardMs;
    state.session = null;
  }
  if (state.session !== null || state.silentSinceMs === null) return stay(state, again);
  const silentMs = ctx.nowMs - state.silentSinceMs;
  const effects: NodeEffect[] = [again];
  if (state.isOnline && silentMs >= offlineAfterMs) effects.push(...change(state, { isOnline: false }, ctx));
  const isGivenUp = !state.isActive || silentMs >= lostAfterMs;
  if (isGivenUp && state.executions.size > 0) {
    effects.push(...giveUp(state, [...state.executions.values()], 'the node is silent', ctx));
  }
  return stay(state, ...effects);
}
