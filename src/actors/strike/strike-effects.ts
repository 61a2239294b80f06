/** What the handlers of a strike share. */
import type { Change } from '../../domain/changes.ts';
import type { ArrivalRecord, IngestState } from '../../domain/ingest/ingest.ts';
import type { ListingPage, SeenFile } from '../../domain/node/agent-messages.ts';
import type { IngestRule } from '../../domain/strike/ingest-rule.ts';
import type { StrikeState } from '../../domain/strike/strike-state.ts';
import type { Effect, Outcome, ReplyTo } from '../../kernel/mod.ts';
import type { IngestTag } from '../ingest/ingest-effects.ts';

/** Where a batch of files came from: who is told when it is committed. */
export type BatchOrigin =
  | {
      readonly from: 'monitor';
      readonly executionId: number;
      readonly nodeId: number;
      readonly batch: number;
    }
  /** Notifications: whoever read them waits for the answer. */
  | { readonly from: 'queue'; readonly replyTo: ReplyTo };

/** A page of a listing. */
export interface ListingOrigin {
  readonly from: 'listing';
  readonly page: ListingPage;
}

/** `life`: of the state that asked. `rules`: those that were matched; others may be in force by now. */
export type StrikeTag =
  | IngestTag
  | {
      readonly about: 'matched';
      readonly rules: readonly IngestRule[];
      readonly origin: BatchOrigin | ListingOrigin;
      readonly files: readonly SeenFile[];
    }
  | {
      readonly about: 'recorded';
      readonly origin: BatchOrigin | null;
      readonly arrivals: readonly ArrivalRecord[];
    }
  | { readonly about: 'queueWatched' }
  | { readonly about: 'deferred'; readonly life: object; readonly afterId: number }
  | {
      readonly about: 'deferredMatched';
      readonly life: object;
      readonly rules: readonly IngestRule[];
      readonly ingests: readonly IngestState[];
    };
export type StrikeOutcome = Outcome<StrikeState, Change>;
export type StrikeEffect = Effect<Change>;
