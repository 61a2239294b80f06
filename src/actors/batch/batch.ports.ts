/** The ports of the owner of a batch. */
import type { BatchPage, BatchRun } from '../../domain/batch/batch.ts';
import type { Reprocess } from '../recipe/recipe.messages.ts';

/** One recipe to reprocess into the batch. */
export interface ReprocessOrder {
  readonly memberId: number;
  readonly chainId: number;
  readonly message: Reprocess;
}

export interface ReprocessReport {
  /** Members whose recipe cannot be reprocessed with the batch's revision. */
  readonly refused: readonly number[];
  /** The number of owners that did not answer; their recipes are requested again. */
  readonly failedCount: number;
}

export interface BatchPorts {
  loadBatches(ids: readonly number[]): Promise<ReadonlyMap<number, BatchRun>>;
  /** Batches of these shards that have recipes to create; bounded. */
  dueBatches(shards: readonly number[]): Promise<readonly number[]>;
  /** The members after the cursor, without those that have their recipe. */
  batchPage(run: BatchRun): Promise<BatchPage>;
  /** Requests reprocessing from the owners of the recipes' chains. Repeats change nothing. */
  reprocessRecipes(orders: readonly ReprocessOrder[]): Promise<ReprocessReport>;
}
