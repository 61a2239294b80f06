/** Reads the workspaces for a strike or scan, again at intervals, because they change. */

import type { IngestOwnerState } from '../../domain/ingest/ingest-owner.ts';
import { type Ctx, call } from '../../kernel/mod.ts';
import { hasElapsed } from '../../lib/elapsed.ts';
import { type IngestEffect, ingestPorts } from './ingest-effects.ts';

/** poll: read again at the first wake after this time, in case the message about a change was lost. */
const FRESH_MS = 60_000;

export function refreshWorkspaces(state: IngestOwnerState, ctx: Ctx): readonly IngestEffect[] {
  return hasElapsed(state.workspacesReadMs, FRESH_MS, ctx.nowMs) ? askWorkspaces(state) : [];
}

export function askWorkspaces(state: IngestOwnerState): readonly IngestEffect[] {
  if (state.isAskingWorkspaces) return [];
  state.isAskingWorkspaces = true;
  const outcomes = { done: 'workspacesRead', failed: 'activeWorkspacesFailed' } as const;
  return [call(ingestPorts.activeWorkspaces, undefined, outcomes)];
}
