/** Shared by the handlers of a strike. */
import type { ArrivalResult, Change } from '../../domain/changes.ts';
import type { ArrivalRecord, IngestState } from '../../domain/ingest/ingest.ts';
import type { IngestRule } from '../../domain/ingest/ingest-rule.ts';
import type { ListingPage, SeenFile } from '../../domain/node/agent-messages.ts';
import type { StrikeState } from '../../domain/strike/strike.ts';
import {
  type Done,
  type Effect,
  type Failed,
  type Outcome,
  portsOf,
  type ReplyTo,
  type Saved,
} from '../../kernel/mod.ts';
import type { IngestReturn } from '../ingest/ingest-effects.ts';
import type { StrikePorts } from './strike.ports.ts';

/** The origin of a batch of files, which gets the answer when it is committed. */
export type BatchOrigin =
  | {
      readonly from: 'monitor';
      readonly executionId: number;
      readonly nodeId: number;
      readonly batch: number;
    }
  /** Notifications, whose reader waits for the answer. */
  | { readonly from: 'queue'; readonly replyTo: ReplyTo<{ readonly files: number }> };

/** A page of a listing. */
export interface ListingOrigin {
  readonly from: 'listing';
  readonly page: ListingPage;
}

/** Files that are being matched. The rules may have changed when the answer comes. */
export interface RulesContext {
  readonly rules: readonly IngestRule[];
  readonly origin: BatchOrigin | ListingOrigin;
  readonly files: readonly SeenFile[];
}

/** Deferred ingests that are being matched again. */
export interface DeferredContext {
  readonly rules: readonly IngestRule[];
  readonly ingests: readonly IngestState[];
}

/** Arrivals that are being saved. `origin` null: no agent or caller gets an answer. */
export interface Recording {
  readonly origin: BatchOrigin | null;
  readonly arrivals: readonly ArrivalRecord[];
}

/** Outcomes of the strike actor's calls, timers and saves. */
export type StrikeReturn =
  | IngestReturn
  | { readonly type: 'monitorDue' }
  | { readonly type: 'listingDue' }
  | { readonly type: 'pagesDue' }
  | Saved<'arrivalsRecorded', ArrivalResult, Recording>
  | Done<'rulesMatched', readonly number[], RulesContext>
  | Failed<'matchRulesFailed', RulesContext>
  | Done<'monitorNodesRead', readonly number[]>
  | Failed<'monitorNodesFailed'>
  | Done<'queueWatched', void>
  | Failed<'watchQueueFailed'>
  /** `about`: the id after which they were read. */
  | Done<'deferredRead', readonly IngestState[], number>
  | Failed<'deferredIngestsFailed', number>
  | Done<'deferredMatched', readonly number[], DeferredContext>
  | Failed<'matchDeferredFailed', DeferredContext>;
export type StrikeOutcome = Outcome<StrikeState, Change, StrikeReturn>;
export type StrikeEffect = Effect<Change, StrikeReturn>;

export const strikePorts = portsOf<StrikePorts>();
