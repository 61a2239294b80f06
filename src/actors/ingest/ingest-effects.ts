/** What strikes and scans share where they ingest files: their questions, and how they speak of workspaces. */
import type { Change } from '../../domain/changes.ts';
import type { WorkspaceRef } from '../../domain/node/coordinator-messages.ts';
import type { WorkspaceInfo } from '../../domain/node/node.ts';
import type { Effect, ReplyTo } from '../../kernel/mod.ts';
import type { OwnedIngestResult } from '../owner.messages.ts';

/**
 * A question for facts about reports, and the reports that wait for the next one: kept here and not in the state, so
 * that they outlive it.
 */
export interface FactsQuestion {
  readonly about: 'facts';
  readonly results: readonly OwnedIngestResult[];
  readonly waiting: Map<string, OwnedIngestResult>;
}

/** `life`: of the state that asked. */
export type IngestTag =
  | {
      readonly about: 'reaching';
      readonly life: object;
      readonly key: string;
      /** Asked for the owner's own system job, not for ingests. */
      readonly isForMonitor: boolean;
    }
  | FactsQuestion
  | { readonly about: 'workspaces'; readonly life: object }
  | {
      readonly about: 'jobsRead';
      readonly isCancel: boolean;
      readonly ownJobIds: readonly number[];
      readonly priority: number | undefined;
      /** Of the request for many jobs; undefined: there is none. */
      readonly position: number | undefined;
      readonly replyTo: ReplyTo | undefined;
    }
  | { readonly about: 'more'; readonly life: object };

export type IngestEffect = Effect<Change>;

export function workspaceRef(workspace: WorkspaceInfo): WorkspaceRef {
  return {
    uuid: workspace.uuid,
    name: workspace.name,
    configuration: JSON.stringify(workspace.configuration),
  };
}
