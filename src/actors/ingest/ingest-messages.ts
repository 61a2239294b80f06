/** The messages that strikes and scans handle in the same way: reports on their ingests, and outcomes of calls. */
import type { IngestOwnerState } from '../../domain/ingest/ingest-owner.ts';
import { type Ctx, save } from '../../kernel/mod.ts';
import type { IngestsEnded, IngestsProgressed } from '../owner.messages.ts';
import {
  dispatchDue,
  onLiveIngestsFailed,
  onLiveIngestsRead,
  onNodesReachingFailed,
  onNodesReachingRead,
} from './dispatch.ts';
import type { IngestEffect, IngestReturn } from './ingest-effects.ts';
import { ingestsEnded, onFactsRead } from './ingest-ends.ts';
import { onFactsFailed } from './ingest-facts.ts';
import { onIngestJobsRead, onIngestsOfJobsFailed } from './ingest-jobs.ts';
import { askWorkspaces } from './known-workspaces.ts';

export type IngestMessage =
  | IngestsEnded
  | IngestsProgressed
  | { readonly type: 'workspacesChanged' }
  | Exclude<IngestReturn, { readonly type: 'workspacesRead' }>;

export function receiveIngestMessage(
  state: IngestOwnerState,
  message: IngestMessage,
  ctx: Ctx,
): readonly IngestEffect[] {
  switch (message.type) {
    case 'ingestsEnded':
      return ingestsEnded(state, message.results, ctx);
    case 'ingestsProgressed':
      return [save({ type: 'progressIngests', ingests: message.ingests })];
    case 'workspacesChanged':
      return askWorkspaces(state);
    case 'dispatchDue':
      return dispatchDue(state, ctx);
    case 'nodesReachingRead':
      return onNodesReachingRead(state, message.about, message.result, ctx);
    case 'nodesReachingFailed':
      return onNodesReachingFailed(state, message.about);
    case 'factsRead':
      return onFactsRead(state, message.about, message.result, ctx);
    case 'ingestFactsFailed':
      return onFactsFailed(state, message.about);
    case 'ingestJobsRead':
      return onIngestJobsRead(state, message.about, message.result, ctx);
    case 'ingestsOfJobsFailed':
      return onIngestsOfJobsFailed(message.about);
    case 'activeWorkspacesFailed':
      state.isAskingWorkspaces = false;
      return [];
    case 'liveIngestsRead':
      return onLiveIngestsRead(state, message.result, ctx);
    case 'liveIngestsFailed':
      return onLiveIngestsFailed(state);
  }
}
