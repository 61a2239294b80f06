/** Batches: their rows, and what their owner keeps while it makes their recipes. */
import type { Data } from '../data/data.ts';
import type { FileInfo } from '../file/file.ts';
import type { ForcedNodes } from '../recipe/forced-nodes.ts';
import type { RecipeTypeRevision } from '../recipe/type-revisions.ts';
import type { WorkspaceIds } from '../workspace/workspace-ids.ts';
import type { BatchConfiguration, BatchDefinition } from './batch-documents.ts';

export interface NewBatch {
  readonly id: number;
  readonly shard: number;
  readonly title: string;
  readonly description: string;
  readonly recipeTypeId: number;
  readonly recipeTypeRevId: number;
  readonly eventId: number;
  readonly definition: BatchDefinition;
  readonly configuration: BatchConfiguration;
  /** Itself when it begins a chain. */
  readonly rootBatchId: number;
  readonly supersededBatchId: number | null;
  readonly recipesEstimated: number;
  readonly atMs: number;
}

/** Absent fields stay. */
export interface BatchPatch {
  readonly title?: string;
  readonly description?: string;
  readonly configuration?: BatchConfiguration;
}

/** A batch as its owner makes its recipes. */
export interface BatchRun {
  readonly id: number;
  readonly eventId: number;
  readonly plan: RecipeTypeRevision;
  readonly source:
    | { readonly kind: 'dataset'; readonly datasetId: number; readonly supersedes: boolean }
    /** The recipes of the batch that it supersedes. */
    | { readonly kind: 'batch'; readonly batchId: number };
  readonly forced: ForcedNodes;
  readonly configuration: BatchConfiguration;
  /** The last member, or recipe of the previous batch, that is done. */
  readonly cursor: number;
  readonly isDone: boolean;
}

/** What one recipe of the batch is made of. */
export interface BatchMember {
  /** The id of the dataset's member, or of the recipe of the previous batch: where the cursor goes. */
  readonly id: number;
  /** Input of a new recipe; null when there is none to make: it is only reprocessed, or exists. */
  readonly input: Data | null;
  /** The recipe to reprocess, and the root that its chain began with. */
  readonly old: { readonly recipeId: number; readonly chainId: number } | null;
}

/** The next members, ascending by id. */
export interface BatchPage {
  readonly members: readonly BatchMember[];
  /** Members that have no recipe and get none: their data do not fit the recipe. */
  readonly unfitCount: number;
  readonly files: readonly FileInfo[];
  readonly workspaces: WorkspaceIds;
  /** Where the cursor stands after the page. */
  readonly to: number;
  readonly isLast: boolean;
}
