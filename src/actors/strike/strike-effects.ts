/** What the handlers of a strike share. */
import type { Change } from '../../domain/changes.ts';
import type { ArrivalRecord, IngestState } from '../../domain/ingest/ingest.ts';
import type { SeenFile } from '../../domain/node/agent-messages.ts';
import type { WorkspaceRef } from '../../domain/node/coordinator-messages.ts';
import type { WorkspaceInfo } from '../../domain/node/node.ts';
import type { StrikeState } from '../../domain/strike/strike-state.ts';
import type { Effect, Outcome, ReplyTo } from '../../kernel/mod.ts';
import type { OwnedIngestResult } from '../owner.messages.ts';

/** Where a batch of files came from: who is told when it is committed. */
export interface BatchOrigin {
  readonly executionId: number;
  readonly nodeId: number;
  readonly batch: number;
}

export type StrikeTag =
  | { readonly about: 'matched'; readonly origin: BatchOrigin; readonly files: readonly SeenFile[] }
  | {
      readonly about: 'recorded';
      readonly origin: BatchOrigin | null;
      readonly arrivals: readonly ArrivalRecord[];
    }
  | { readonly about: 'reaching'; readonly key: string; readonly isForMonitor: boolean }
  | { readonly about: 'facts'; readonly results: readonly OwnedIngestResult[] }
  | {
      readonly about: 'jobsRead';
      readonly isCancel: boolean;
      readonly ownJobIds: readonly number[];
      readonly priority: number | undefined;
      readonly replyTo: ReplyTo | undefined;
    }
  | { readonly about: 'more' }
  | { readonly about: 'deferred' }
  | { readonly about: 'deferredMatched'; readonly ingests: readonly IngestState[] };
export type StrikeOutcome = Outcome<StrikeState, Change>;
export type StrikeEffect = Effect<Change>;

export function workspaceRef(workspace: WorkspaceInfo): WorkspaceRef {
  return {
    uuid: workspace.uuid,
    name: workspace.name,
    configuration: JSON.stringify(workspace.configuration),
  };
}
