/** What the owner of a batch needs of the world. */
import type { BatchPage, BatchRun } from '../../domain/batch/batch.ts';
import type { Reprocess } from '../recipe/recipe.messages.ts';

/** One recipe to reprocess into the batch. */
export interface ReprocessOrder {
  readonly memberId: number;
  readonly chainId: number;
  readonly message: Reprocess;
}

export interface ReprocessReport {
  /** Members whose recipe cannot be reprocessed as the batch's revision. */
  readonly refused: readonly number[];
  /** How many owners did not answer: they are to be asked again. */
  readonly failedCount: number;
}

export interface BatchPorts {
  loadBatches(ids: readonly number[]): Promise<ReadonlyMap<number, BatchRun>>;
  /** Batches of these shards that have recipes to make; bounded. */
  dueBatches(shards: readonly number[]): Promise<readonly number[]>;
  /** What comes after the cursor, without members that have their recipe. */
  batchPage(run: BatchRun): Promise<BatchPage>;
  /** Asks the owners of the recipes' chains. Repeats change nothing. */
  reprocessRecipes(orders: readonly ReprocessOrder[]): Promise<ReprocessReport>;
}
