/** What the actors that ingest files need of the world: those of strikes and of scans. */
import type { IngestOfJob, IngestOwner, IngestState } from '../../domain/ingest/ingest.ts';
import type { WorkspaceInfo } from '../../domain/node/node.ts';
import type { RecipeTypeRevision } from '../../domain/recipe/type-revisions.ts';
import type { IngestRule } from '../../domain/strike/ingest-rule.ts';

/** An undeleted, current source file at a path. */
export interface SourceAt {
  readonly fileId: number;
  readonly workspaceId: number;
  readonly filePath: string;
  readonly size: number;
  readonly sha256: string | null;
  /** When the content that it was made of arrived; null when that is not known. */
  readonly arrivedMs: number | null;
}

/** Content that was purged at a place. */
export interface PurgedAt {
  readonly workspaceId: number;
  readonly filePath: string;
  readonly size: number;
  readonly sha256: string;
}

export interface IngestFacts {
  readonly sources: readonly SourceAt[];
  readonly purged: readonly PurgedAt[];
  /** Null: no such recipe type or revision, or it is deprecated, or none was asked for. */
  readonly plan: RecipeTypeRevision | null;
}

export interface IngestPorts {
  /** For each path the index of the first rule that takes it, or -1. */
  matchRules(args: {
    readonly rules: readonly IngestRule[];
    readonly paths: readonly string[];
  }): Promise<readonly number[]>;
  /** Nodes that may take new work and reach all these workspaces, ascending. */
  nodesReaching(workspaceIds: readonly number[]): Promise<readonly number[]>;
  activeWorkspaces(): Promise<readonly WorkspaceInfo[]>;
  /** `at`: where the content is now; `from`: where it arrived. */
  ingestFacts(args: {
    readonly at: readonly { readonly workspaceId: number; readonly filePath: string }[];
    readonly from: readonly { readonly workspaceId: number; readonly filePath: string }[];
    readonly recipe: { readonly name: string; readonly revisionNum: number | null } | null;
  }): Promise<IngestFacts>;
  liveIngests(args: {
    readonly owner: IngestOwner;
    readonly afterId: number;
    readonly limit: number;
  }): Promise<readonly IngestState[]>;
  /** The ingests of these jobs as far as they are the owner's, whatever their status. */
  ingestsOfJobs(args: {
    readonly owner: IngestOwner;
    readonly jobIds: readonly number[];
  }): Promise<readonly IngestOfJob[]>;
}
