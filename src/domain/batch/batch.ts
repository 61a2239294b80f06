/** Batches: their rows, and the state that their owner keeps while it creates their recipes. */
import type { Data } from '../data/data.ts';
import type { FileInfo } from '../file/file.ts';
import type { ForcedNodes } from '../recipe/forced-nodes.ts';
import type { RecipeTypeRevision } from '../recipe/type-revisions.ts';
import type { WorkspaceIds } from '../workspace/workspace-ids.ts';
import type { BatchConfiguration, BatchDefinition } from './batch-documents.ts';

/**
 * What a batch is at. CREATING: not all of its recipes exist. FAILED or CANCELED: it is not complete, none of its jobs
 * is pending, queued or running, and some have failed, or else were canceled. RUNNING: otherwise, until all recipes
 * are complete. SUPERSEDED, whatever it was: a newer batch has reprocessed its recipes.
 */
export const BATCH_STATUSES = [
  'CREATING',
  'RUNNING',
  'COMPLETED',
  'FAILED',
  'CANCELED',
  'SUPERSEDED',
] as const;
export type BatchStatus = (typeof BATCH_STATUSES)[number];

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
  /** The first batch of its chain; the batch itself if it begins one. */
  readonly rootBatchId: number;
  readonly supersededBatchId: number | null;
  readonly recipesEstimated: number;
  readonly atMs: number;
}

/** Absent fields do not change. */
export interface BatchPatch {
  readonly title?: string;
  readonly description?: string;
  readonly configuration?: BatchConfiguration;
}

/** A batch whose owner is creating its recipes. */
export interface BatchRun {
  readonly id: number;
  readonly eventId: number;
  readonly revision: RecipeTypeRevision;
  readonly source:
    | { readonly kind: 'dataset'; readonly datasetId: number; readonly supersedes: boolean }
    /** The recipes of the batch that it supersedes. */
    | { readonly kind: 'batch'; readonly batchId: number };
  readonly forced: ForcedNodes;
  readonly configuration: BatchConfiguration;
  /** The last member, or recipe of the previous batch, that has been handled. */
  readonly cursor: number;
  readonly isDone: boolean;
}

/** The member of a dataset, or the recipe of the previous batch, that one recipe of the batch is created from. */
export interface BatchMember {
  /** The id of the dataset's member, or of the recipe of the previous batch: the cursor counts these. */
  readonly id: number;
  /** Input of a new recipe; null if none is to be created because it is reprocessed or exists. */
  readonly input: Data | null;
  /** The recipe to reprocess, and the root that its chain began with. */
  readonly old: { readonly recipeId: number; readonly chainId: number } | null;
}

/** A page of members, ascending by id. */
export interface BatchPage {
  readonly members: readonly BatchMember[];
  /** Members that get no recipe because their data do not fit. */
  readonly unfitCount: number;
  readonly files: readonly FileInfo[];
  readonly workspaces: WorkspaceIds;
  /** The cursor after the page. */
  readonly to: number;
  readonly isLast: boolean;
}
