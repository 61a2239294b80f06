/** What the owner of a batch is told. Its key is the id of the batch. */
import type { BatchPatch, NewBatch } from '../../domain/batch/batch.ts';
import type { NewEvent } from '../../domain/event.ts';
import type { Keyed } from '../keyed-answer.ts';

export function batchAddress(batchId: number): { readonly kind: 'batch'; readonly key: string } {
  return { kind: 'batch', key: String(batchId) };
}

export type BatchMessage =
  /** Asked with `isNew`. Answered `{}` once the batch is saved; its recipes follow. */
  | (Keyed & { readonly type: 'begin'; readonly event: NewEvent; readonly batch: NewBatch })
  /** Asked. Answered `{}`. */
  | { readonly type: 'edit'; readonly patch: BatchPatch }
  /** Make the next recipes, if any are left. */
  | { readonly type: 'wake' };
