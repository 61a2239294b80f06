/** Messages to the owner of a batch. Its key is the id of the batch. */
import type { BatchPatch, NewBatch } from '../../domain/batch/batch.ts';
import type { NewEvent } from '../../domain/event.ts';
import { type Address, type AnsweredWith, address, type Confirmed } from '../../kernel/mod.ts';
import type { Keyed } from '../keyed-answer.ts';

export function batchAddress(batchId: number): Address<BatchMessage> {
  return address('batch', String(batchId));
}

export type BatchMessage =
  /** An ask with `isNew`. Answered once the batch is saved; its recipes are created afterwards. */
  | (Keyed &
      AnsweredWith<Confirmed> & {
        readonly type: 'begin';
        readonly event: NewEvent;
        readonly batch: NewBatch;
      })
  /** An ask. */
  | (AnsweredWith<Confirmed> & { readonly type: 'edit'; readonly patch: BatchPatch })
  /** Creates the next recipes, if any are left. */
  | { readonly type: 'wake' };
