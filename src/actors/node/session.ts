/** The agent's session: its hello, its heartbeats, its silence. */

import {
  conditionsOf,
  isSameConditions,
  isSameHost,
  LAST_SEEN_EVERY_MS,
  type LossError,
  type NodeState,
  newSession,
  pulseOf,
} from '../../domain/node/node-state.ts';
import { keptWarnings } from '../../domain/node/unknown-executions.ts';
import { askerOf, type Ctx, call, type ReplyTo, reply, stay, timer } from '../../kernel/mod.ts';
import { hasElapsed } from '../../lib/elapsed.ts';
import type { AgentNodeMessage, HelloAnswer } from './node.messages.ts';
import { change, drop, type NodeEffect, type NodeOutcome, nodePorts } from './node-effects.ts';
import { askWorkspaces } from './reach.ts';
import { reconcile } from './reconcile.ts';
import { giveUp, type Lost } from './reports.ts';
import { noteSuccessor, searchFormer, settle } from './successor.ts';

/** Lost executions are reported again at this interval, until the owners have committed. */
const GIVE_UP_EVERY_MS = 10_000;

/** An agent connects or reconnects: compares what it holds with what its rows say runs here. */
export function greet(
  state: NodeState,
  message: Extract<AgentNodeMessage, { type: 'hello' }>,
  ctx: Ctx,
): NodeOutcome {
  const { sessionId, hello } = message;
  const asker = askerOf(message, ctx);
  const { session: rival } = state;
  if (rival !== null && rival.agentId !== hello.agentId) {
    const reason = `another agent is connected as node '${state.hostname}'`;
    const remedy = 'give this one a MILLRACE_NODE_NAME of its own';
    return stay(state, ...answer(asker, { isAccepted: false, reason: `${reason}: ${remedy}` }));
  }
  const effects: NodeEffect[] = [...noteSuccessor(state, message, ctx)];
  state.session = newSession(sessionId, hello.agentId);
  state.silentMs = 0;
  effects.push(
    ...change(
      state,
      {
        ...(state.successor === null ? { agentId: hello.agentId, bootId: hello.bootId } : {}),
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
    ...askWorkspaces(state),
    call(nodePorts.loggingLevel, undefined, { done: 'loggingLevelRead', failed: 'loggingLevelFailed' }),
  );
  state.lastSeenSavedMs = ctx.nowMs;
  const comparesBoots = hello.bootId !== '';
  return stay(state, ...answer(asker, { isAccepted: true, comparesBoots }), ...effects);
}

function answer(asker: ReplyTo<HelloAnswer> | undefined, value: HelloAnswer): readonly NodeEffect[] {
  return asker === undefined ? [] : [reply(asker, value)];
}

/** Whether a message came over the current session, which is then alive. Messages of other sessions are ignored. */
export function isCurrent(state: NodeState, sessionId: string): boolean {
  if (state.session?.id !== sessionId) return false;
  state.session.isHeard = true;
  return true;
}

/** A heartbeat. `last_seen` of the row is updated less often. */
export function heard(state: NodeState, ctx: Ctx): NodeOutcome {
  const isDue = hasElapsed(state.lastSeenSavedMs, LAST_SEEN_EVERY_MS, ctx.nowMs);
  if (state.isOnline && !isDue) return stay(state);
  state.lastSeenSavedMs = ctx.nowMs;
  return stay(state, ...change(state, { isOnline: true, lastSeenMs: ctx.nowMs }, ctx));
}

export function offered(
  state: NodeState,
  { offer }: Extract<AgentNodeMessage, { type: 'offer' }>,
  ctx: Ctx,
): NodeOutcome {
  const errors = conditionsOf(offer.errors, state.errors, ctx.nowMs);
  const warnings = [
    ...conditionsOf(offer.warnings, state.warnings, ctx.nowMs),
    ...keptWarnings(state.warnings, ctx.nowMs),
  ];
  const isSame =
    JSON.stringify(offer.resources) === JSON.stringify(state.resources) &&
    (offer.host === undefined || isSameHost(offer.host, state.host)) &&
    isSameConditions(errors, state.errors) &&
    isSameConditions(warnings, state.warnings);
  if (isSame) return stay(state);
  const { resources, host } = offer;
  return stay(state, ...change(state, { resources, errors, warnings, ...(host && { host }) }, ctx));
}

export function sessionEnded(state: NodeState, sessionId: string): NodeOutcome {
  if (state.session?.id === sessionId) state.session = null;
  return stay(state);
}

/**
 * Checks the silence: an offline node gets no new work, and a lost node's executions are given up. When an
 * administrator deactivates a node, its executions are given up even if its agent is alive.
 */
export function watch(state: NodeState, ctx: Ctx, lostAfterMs: number): NodeOutcome {
  const { heartbeatMs, offlineAfterMs } = pulseOf(lostAfterMs);
  const effects: NodeEffect[] = [timer('watch', heartbeatMs, { type: 'watchDue' })];
  const elapsedMs = Math.min(Math.max(0, ctx.nowMs - state.watchedMs), 2 * heartbeatMs);
  state.watchedMs = ctx.nowMs;
  state.silentMs = state.session?.isHeard === true ? 0 : state.silentMs + elapsedMs;
  if (state.session !== null) state.session.isHeard = false;
  if (state.session !== null && state.silentMs >= offlineAfterMs) {
    effects.push(...drop(state, state.session.id));
    state.session = null;
  }
  if (state.session === null && state.isOnline && state.silentMs >= offlineAfterMs)
    effects.push(...change(state, { isOnline: false }, ctx));
  effects.push(...searchFormer(state), ...settle(state, ctx));
  return stay(state, ...effects, ...giveUpLost(state, elapsedMs, lostAfterMs, ctx));
}

function giveUpLost(
  state: NodeState,
  elapsedMs: number,
  lostAfterMs: number,
  ctx: Ctx,
): readonly NodeEffect[] {
  const isSilent = state.session === null && state.silentMs >= lostAfterMs;
  const lost = lostOf(state, isSilent);
  state.giveUpInMs -= elapsedMs;
  if (lost.length === 0) state.giveUpInMs = 0;
  if (lost.length === 0 || state.giveUpInMs > 0) return [];
  state.giveUpInMs = GIVE_UP_EVERY_MS;
  return giveUp(state, lost, ctx);
}

function lostOf({ executions, orphans, isActive }: NodeState, isSilent: boolean): readonly Lost[] {
  const detail = isSilent ? 'the node is silent' : 'the node was deactivated';
  const all: LossError | undefined = isSilent || !isActive ? { name: 'node-lost', detail } : undefined;
  return [...executions.values()].flatMap((execution) => {
    const error = orphans.get(execution.executionId) ?? all;
    return error === undefined ? [] : [{ execution, error }];
  });
}
