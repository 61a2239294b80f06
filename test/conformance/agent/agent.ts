/**
 * What every node-agent does, by the messages that it and its coordinator exchange: the real one over gRPC and the
 * double of the simulation have the same conversations. Where the order of independent things is free, none is asked
 * for.
 */
import type { Test } from 'tap';
import type { AgentBed } from './agent-bed.ts';
import type { Conversation } from './conversation.ts';
import { INGESTS } from './ingests.ts';
import { LISTINGS } from './listings.ts';
import { MONITORS } from './monitors.ts';
import { SESSIONS } from './sessions.ts';
import { Talk } from './talk.ts';
import { TASKS } from './tasks.ts';
import { WORK_AHEAD } from './work-ahead.ts';
import { WORKSPACES } from './workspaces.ts';

const ALL: Readonly<Record<string, Conversation>> = {
  ...SESSIONS,
  ...TASKS,
  ...WORK_AHEAD,
  ...INGESTS,
  ...MONITORS,
  ...LISTINGS,
  ...WORKSPACES,
};

/**
 * `make` gives a bed whose agent has not begun to live, and is taken down with the test. `mounts`: whether the bed can
 * protect directories.
 */
export function agentConformance(
  t: Test,
  name: string,
  make: (t: Test, needs: { readonly isKilled: boolean }) => Promise<AgentBed>,
  mounts: { readonly skip?: string } = {},
): void {
  for (const [what, { hold, isKilled = false, isProtected = false }] of Object.entries(ALL)) {
    t.test(`${name}: ${what}`, isProtected ? mounts : {}, async (t) => {
      await hold(t, new Talk(await make(t, { isKilled })));
    });
  }
}
