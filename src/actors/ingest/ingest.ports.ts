/** The ports of actors that ingest files: strikes and scans. */
import type { IngestOfJob, IngestOwner, IngestState } from '../../domain/ingest/ingest.ts';
import type { IngestRule } from '../../domain/ingest/ingest-rule.ts';
import type { WorkspaceInfo } from '../../domain/node/node.ts';
import type { RecipeTypeRevision } from '../../domain/recipe/type-revisions.ts';

/** An undeleted, current source file at a path. */
export interface SourceAt {
  readonly fileId: number;
  readonly workspaceId: number;
  readonly filePath: string;
  readonly size: number;
  readonly sha256: string | null;
  /** When its content arrived; null if unknown. */
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
  /** Null: the recipe type or revision does not exist or is deprecated, or none was requested. */
  readonly revision: RecipeTypeRevision | null;
}

export interface IngestPorts {
  /** For each path the index of the first rule that matches, or -1. */
  matchRules(args: {
    readonly rules: readonly IngestRule[];
    readonly paths: readonly string[];
  }): Promise<readonly number[]>;
  /** Nodes that may take new work and reach all these workspaces, ascending. */
  nodesReaching(workspaceIds: readonly number[]): Promise<readonly number[]>;
  activeWorkspaces(): Promise<readonly WorkspaceInfo[]>;
  /** `at`: the present place of the content; `from`: the place where it arrived. */
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
  /** The ingests of these jobs that belong to the owner, whatever their status. */
  ingestsOfJobs(args: {
    readonly owner: IngestOwner;
    readonly jobIds: readonly number[];
  }): Promise<readonly IngestOfJob[]>;
}
