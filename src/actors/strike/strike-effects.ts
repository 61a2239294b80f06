/** What the handlers of a strike share. */
import type { Change } from '../../domain/changes.ts';
import type { ArrivalRecord, IngestState } from '../../domain/ingest/ingest.ts';
import type { SeenFile } from '../../domain/node/agent-messages.ts';
import type { WorkspaceRef } from '../../domain/node/coordinator-messages.ts';
import type { WorkspaceInfo } from '../../domain/node/node.ts';
import type { IngestRule } from '../../domain/strike/ingest-rule.ts';
import type { StrikeState } from '../../domain/strike/strike-state.ts';
import type { Effect, Outcome, ReplyTo } from '../../kernel/mod.ts';
import type { OwnedIngestResult } from '../owner.messages.ts';

/** Where a batch of files came from: who is told when it is committed. */
export interface BatchOrigin {
  readonly executionId: number;
  readonly nodeId: number;
  readonly batch: number;
}

/**
 * A question for facts about reports, and the reports that wait for the next one: kept here and not in the state, so
 * that they outlive it.
 */
export interface FactsQuestion {
  readonly about: 'facts';
  readonly results: readonly OwnedIngestResult[];
  readonly waiting: Map<string, OwnedIngestResult>;
}

/** `life`: of the state that asked. `rules`: those that were matched; others may be in force by now. */
export type StrikeTag =
  | {
      readonly about: 'matched';
      readonly rules: readonly IngestRule[];
      readonly origin: BatchOrigin;
      readonly files: readonly SeenFile[];
    }
  | {
      readonly about: 'recorded';
      readonly origin: BatchOrigin | null;
      readonly arrivals: readonly ArrivalRecord[];
    }
  | {
      readonly about: 'reaching';
      readonly life: object;
      readonly key: string;
      readonly isForMonitor: boolean;
    }
  | FactsQuestion
  | { readonly about: 'workspaces'; readonly life: object }
  | {
      readonly about: 'jobsRead';
      readonly isCancel: boolean;
      readonly ownJobIds: readonly number[];
      readonly priority: number | undefined;
      readonly replyTo: ReplyTo | undefined;
    }
  | { readonly about: 'more'; readonly life: object }
  | { readonly about: 'deferred'; readonly life: object; readonly afterId: number }
  | {
      readonly about: 'deferredMatched';
      readonly life: object;
      readonly rules: readonly IngestRule[];
      readonly ingests: readonly IngestState[];
    };
export type StrikeOutcome = Outcome<StrikeState, Change>;
export type StrikeEffect = Effect<Change>;

export function workspaceRef(workspace: WorkspaceInfo): WorkspaceRef {
  return {
    uuid: workspace.uuid,
    name: workspace.name,
    configuration: JSON.stringify(workspace.configuration),
  };
}
