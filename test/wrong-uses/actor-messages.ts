/**
 * Wrong uses of actors that must not compile. `npm run types` reads this file: where one of them compiles after all,
 * its `@ts-expect-error` is an error. Nothing here runs.
 */
import { nodeAddress } from '../../src/actors/node/node.messages.ts';
import { ingestOwnerAddress, ownerAddress } from '../../src/actors/owner.messages.ts';
import { SCHEDULER } from '../../src/actors/scheduler/scheduler.messages.ts';
import { type StrikeMessage, strikeAddress } from '../../src/actors/strike/strike.messages.ts';
import type { StrikePorts } from '../../src/actors/strike/strike.ports.ts';
import { type StrikeReturn, strikePorts } from '../../src/actors/strike/strike-effects.ts';
import type { Change } from '../../src/domain/changes.ts';
import type { StrikeState } from '../../src/domain/strike/strike.ts';
import {
  address,
  askerOf,
  type Ctx,
  call,
  type Done,
  defineActor,
  type Effect,
  type Failed,
  type Outcome,
  reply,
  restartWithin,
  type System,
  save,
  stay,
  tell,
  timer,
} from '../../src/kernel/mod.ts';

declare const system: System;
declare const ctx: Ctx<StrikeMessage>;
declare const anyCtx: Ctx;
declare const edit: Extract<StrikeMessage, { type: 'edit' }>;
declare const wake: Extract<StrikeMessage, { type: 'wake' }>;
const options = { deadlineMs: 1 };

export function tells(): void {
  tell(strikeAddress(1), { type: 'wake' });
  // @ts-expect-error no such message
  tell(strikeAddress(1), { type: 'awake' });
  // @ts-expect-error a field is missing
  tell(strikeAddress(1), { type: 'monitorLost' });
  // @ts-expect-error a field has another type
  tell(strikeAddress(1), { type: 'monitorLost', executionId: '7' });
  // @ts-expect-error another actor's message
  tell(nodeAddress(1), { type: 'notified', objects: [] });
  // @ts-expect-error the scheduler places no ingests
  system.tell(SCHEDULER, { type: 'ingestsEnded', results: [] });
  // @ts-expect-error an address names what its actor accepts
  tell({ kind: 'strike', key: '1' }, { type: 'wake' });
  // @ts-expect-error owners of jobs without ingests do not know it
  tell(ownerAddress({ kind: 'job', key: 1 }), { type: 'workMissing', nodeId: 1, executionIds: [] });
  // @ts-expect-error a recipe owns no ingests
  ingestOwnerAddress({ kind: 'recipe', key: 1 });
  // @ts-expect-error a handler may tell its own actor only what it accepts
  tell(ctx.self, { type: 'queued', jobs: [] });
  // @ts-expect-error a helper that does not know its actor can tell it nothing
  tell(anyCtx.self, { type: 'wake' });
}

export async function asks(): Promise<void> {
  const answer = await system.ask(strikeAddress(1), { type: 'notified', objects: [] }, options);
  answer.files.toFixed();
  // @ts-expect-error the answer has no such field
  answer.jobIds;
  // @ts-expect-error it is told, and answers nothing
  await system.ask(strikeAddress(1), { type: 'wake' }, options);
  // @ts-expect-error no such message
  await system.ask(strikeAddress(1), { type: 'pause' }, options);
  // @ts-expect-error a field is missing
  await system.ask(nodeAddress(1), { type: 'sendFile' }, options);
  // @ts-expect-error an ask ends by its deadline
  await system.ask(nodeAddress(1), { type: 'edit' });
}

export function replies(): void {
  const asker = askerOf(edit, ctx);
  if (asker === undefined || ctx.replyTo === undefined) return;
  reply(asker, {});
  // @ts-expect-error an edit is answered with nothing
  reply(asker, { files: 1 });
  // @ts-expect-error whose question it was is not known here: askerOf says it
  reply(ctx.replyTo, {});
  const nobody = askerOf(wake, ctx);
  // @ts-expect-error a message that is only told is not answered
  if (nobody !== undefined) reply(nobody, {});
}

type StrikeEffect = Effect<Change, StrikeReturn>;
const outcomes = { done: 'monitorNodesRead', failed: 'monitorNodesFailed' } as const;

export const calls: readonly StrikeEffect[] = [
  call(strikePorts.nodesReaching, [1], outcomes),
  // @ts-expect-error the port takes numbers
  call(strikePorts.nodesReaching, ['1'], outcomes),
  // @ts-expect-error no such port
  call(strikePorts.nodesReached, [1], outcomes),
  // @ts-expect-error nobody handles the failure
  call(strikePorts.nodesReaching, [1], { done: 'monitorNodesRead', failed: 'oops' }),
  // @ts-expect-error the message brings another result
  call(strikePorts.nodesReaching, [1], { done: 'workspacesRead', failed: 'activeWorkspacesFailed' }),
  // @ts-expect-error its handler needs to know what was asked
  call(strikePorts.nodesReaching, [1], { done: 'nodesReachingRead', failed: 'nodesReachingFailed' }),
  // @ts-expect-error both outcomes are named
  call(strikePorts.nodesReaching, [1], { done: 'monitorNodesRead' }),
  timer('monitor', 1, { type: 'monitorDue' }),
  // @ts-expect-error no such message
  timer('monitor', 1, { type: 'monitorIsDue' }),
  // @ts-expect-error no such change
  save({ type: 'saveStrike', strikeId: 1 }),
];

type Inbox = StrikeMessage | Done<'monitorNodesRead', readonly number[]> | Failed<'monitorNodesFailed'>;

export const actor = defineActor<StrikeState, Inbox, StrikePorts, Change>({
  kind: 'strike',
  mailboxMax: 1,
  idleMs: 1,
  turnMax: 1,
  supervise: restartWithin({ timesMax: 1, windowMs: 1 }),
  load: async () => new Map(),
  receive: (state): Outcome<StrikeState, Change, Inbox> =>
    stay(
      state,
      // @ts-expect-error the actor has no message for the outcome of a call that it makes
      call(strikePorts.matchRules, { rules: [], paths: [] }, { done: 'matched', failed: 'unmatched' }),
    ),
});

// @ts-expect-error an address of one actor is none of another's
export const wrong: ReturnType<typeof nodeAddress> = address<StrikeMessage>('strike', '1');
