/** Types and ports that strikes and scans share for their ingests. */
import type { Change } from '../../domain/changes.ts';
import type { IngestOfJob, IngestState } from '../../domain/ingest/ingest.ts';
import type { WorkspaceRef } from '../../domain/node/coordinator-messages.ts';
import type { WorkspaceInfo } from '../../domain/node/node.ts';
import { type Done, type Effect, type Failed, portsOf, type ReplyTo } from '../../kernel/mod.ts';
import type { JobsChanged, OwnedIngestResult } from '../owner.messages.ts';
import type { IngestFacts, IngestPorts } from './ingest.ports.ts';

/**
 * A call for facts about reports, and the reports that wait for the next call. They are kept in the message and not in
 * the state, so that they outlive the state.
 */
export interface FactsQuestion {
  readonly results: readonly OwnedIngestResult[];
  readonly waiting: Map<string, OwnedIngestResult>;
}

/** A request to cancel or requeue jobs of ingests, whose rows are being read. */
export interface IngestJobsContext {
  readonly isCancel: boolean;
  /** System jobs of the strike or scan itself that have already been changed. */
  readonly ownJobIds: readonly number[];
  readonly priority: number | undefined;
  /** The position of the request for many jobs; undefined if there is none. */
  readonly position: number | undefined;
  readonly replyTo: ReplyTo<JobsChanged> | undefined;
}

/** Outcomes of a strike's or scan's calls and timers for its ingests. */
export type IngestReturn =
  | { readonly type: 'dispatchDue' }
  /** `about`: the joined ids of the workspaces. */
  | Done<'nodesReachingRead', readonly number[], string>
  | Failed<'nodesReachingFailed', string>
  | Done<'factsRead', IngestFacts, FactsQuestion>
  | Failed<'ingestFactsFailed', FactsQuestion>
  | Done<'workspacesRead', readonly WorkspaceInfo[]>
  | Failed<'activeWorkspacesFailed'>
  | Done<'ingestJobsRead', readonly IngestOfJob[], IngestJobsContext>
  | Failed<'ingestsOfJobsFailed', IngestJobsContext>
  | Done<'liveIngestsRead', readonly IngestState[]>
  | Failed<'liveIngestsFailed'>;

export type IngestEffect = Effect<Change, IngestReturn>;

export const ingestPorts = portsOf<IngestPorts>();

export function workspaceRef(workspace: WorkspaceInfo): WorkspaceRef {
  return {
    uuid: workspace.uuid,
    name: workspace.name,
    configuration: JSON.stringify(workspace.configuration),
  };
}
