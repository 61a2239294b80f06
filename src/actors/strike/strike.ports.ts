/** What a strike's actor needs of the world. */
import type { IngestOfJob, IngestState } from '../../domain/ingest/ingest.ts';
import type { WorkspaceInfo } from '../../domain/node/node.ts';
import type { RecipePlan } from '../../domain/recipe/recipe-plan.ts';
import type { IngestRule } from '../../domain/strike/ingest-rule.ts';
import type { StrikeRow } from '../../domain/strike/strike.ts';

/** An undeleted, current source file at a path. */
export interface SourceAt {
  readonly fileId: number;
  readonly workspaceId: number;
  readonly filePath: string;
  readonly size: number;
  readonly sha256: string | null;
}

export interface IngestFacts {
  readonly sources: readonly SourceAt[];
  /** Null: no such recipe type or revision, or it is deprecated. */
  readonly plan: RecipePlan | null;
}

export interface StrikePorts {
  loadStrikes(strikeIds: readonly number[]): Promise<ReadonlyMap<number, StrikeRow>>;
  /** Strikes of these shards: all that are not paused, and paused ones with live ingests. */
  dueStrikes(shards: readonly number[]): Promise<readonly number[]>;
  /** For each path the index of the first rule that takes it, or -1. */
  matchRules(args: {
    readonly rules: readonly IngestRule[];
    readonly paths: readonly string[];
  }): Promise<readonly number[]>;
  /** Nodes that may take new work and reach all these workspaces, ascending. */
  nodesReaching(workspaceIds: readonly number[]): Promise<readonly number[]>;
  activeWorkspaces(): Promise<readonly WorkspaceInfo[]>;
  ingestFacts(args: {
    readonly at: readonly { readonly workspaceId: number; readonly filePath: string }[];
    readonly recipe: { readonly name: string; readonly revisionNum: number | null } | null;
  }): Promise<IngestFacts>;
  liveIngests(args: {
    readonly strikeId: number;
    readonly afterId: number;
    readonly limit: number;
  }): Promise<readonly IngestState[]>;
  /** The ingests of these jobs as far as they are the strike's, whatever their status. */
  ingestsOfJobs(args: {
    readonly strikeId: number;
    readonly jobIds: readonly number[];
  }): Promise<readonly IngestOfJob[]>;
  deferredIngests(args: {
    readonly strikeId: number;
    readonly afterId: number;
    readonly limit: number;
  }): Promise<readonly IngestState[]>;
}
