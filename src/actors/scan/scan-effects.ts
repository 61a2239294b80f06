/** What the handlers of a scan share: their types, and saving what changed of its row. */
import type { Change } from '../../domain/changes.ts';
import type { ArrivalRecord } from '../../domain/ingest/ingest.ts';
import type { ListingPage } from '../../domain/node/agent-messages.ts';
import type { ScanPatch } from '../../domain/scan/scan.ts';
import type { ScanState } from '../../domain/scan/scan-state.ts';
import type { IngestRule } from '../../domain/strike/ingest-rule.ts';
import { type Ctx, type Effect, type Outcome, type ReplyTo, save } from '../../kernel/mod.ts';
import type { IngestTag } from '../ingest/ingest-effects.ts';

/** `life`: of the state that asked. */
export type ScanTag =
  | IngestTag
  /** Of no particular state: the page itself says what it follows. */
  | { readonly about: 'matched'; readonly page: ListingPage; readonly rules: readonly IngestRule[] }
  | { readonly about: 'recorded'; readonly arrivals: readonly ArrivalRecord[] }
  | {
      readonly about: 'liveJobs';
      readonly replyTo: ReplyTo | undefined;
      /** Of the scan's own that were canceled. */
      readonly ownJobIds: readonly number[];
      /** The `life` of the state that asked; any later one goes on with the answer. */
      readonly asker: object;
    }
  | { readonly about: 'cancelPage'; readonly life: object };

export type ScanOutcome = Outcome<ScanState, Change>;
export type ScanEffect = Effect<Change>;

export function saveScan(state: ScanState, patch: ScanPatch, ctx: Ctx): ScanEffect {
  return save({ type: 'editScan', scanId: state.id, patch, atMs: ctx.nowMs });
}

/** Says why what is under way waits; nothing where that is said already. */
export function explain(state: ScanState, reason: string | null, ctx: Ctx): readonly ScanEffect[] {
  if (state.reason === reason) return [];
  state.reason = reason;
  return [saveScan(state, { reason }, ctx)];
}
