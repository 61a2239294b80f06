/** The agent's session: its hello, its heartbeats, what it offers. */

import {
  conditionsOf,
  isSameConditions,
  isSameHost,
  type NodeState,
  newSession,
} from '../../domain/node/node-state.ts';
import { keptWarnings } from '../../domain/node/unknown-executions.ts';
import { askerOf, type Ctx, call, type ReplyTo, reply, stay } from '../../kernel/mod.ts';
import type { AgentNodeMessage, HelloAnswer } from './node.messages.ts';
import { change, type NodeEffect, type NodeOutcome, nodePorts } from './node-effects.ts';
import { askWorkspaces } from './reach.ts';
import { reconcile } from './reconcile.ts';
import { noteSuccessor } from './successor.ts';

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
  state.session = newSession(sessionId, hello.agentId, ctx.nowMs);
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
        takesWorkAhead: hello.takesWorkAhead,
        lastSeenMs: ctx.nowMs,
      },
      ctx,
    ),
    ...reconcile(state, hello),
    ...askWorkspaces(state),
    call(nodePorts.loggingLevel, undefined, { done: 'loggingLevelRead', failed: 'loggingLevelFailed' }),
  );
  state.lastSeenSavedMs = ctx.nowMs;
  state.workspacesAskedMs = ctx.nowMs;
  const comparesBoots = hello.bootId !== '';
  return stay(state, ...answer(asker, { isAccepted: true, comparesBoots }), ...effects);
}

function answer(asker: ReplyTo<HelloAnswer> | undefined, value: HelloAnswer): readonly NodeEffect[] {
  return asker === undefined ? [] : [reply(asker, value)];
}

/** Whether a message came over the current session, which is then alive. Messages of other sessions are ignored. */
export function isCurrent(state: NodeState, sessionId: string, nowMs: number): boolean {
  if (state.session?.id !== sessionId) return false;
  state.session.heardMs = nowMs;
  return true;
}

/** Whether a heartbeat says only that the agent lives, which is noted. */
export function isJustHeard(state: NodeState, sessionId: string, nowMs: number): boolean {
  return state.isOnline && isCurrent(state, sessionId, nowMs);
}

/** A heartbeat. `last_seen` of the row is updated when the silence is checked, for many nodes together. */
export function heard(state: NodeState, ctx: Ctx): NodeOutcome {
  if (state.isOnline) return stay(state);
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
