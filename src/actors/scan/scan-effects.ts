/** Shared by the handlers of a scan: types, and saving changes of its row. */
import type { ArrivalResult, Change } from '../../domain/changes.ts';
import type { ArrivalRecord, IngestState } from '../../domain/ingest/ingest.ts';
import type { IngestRule } from '../../domain/ingest/ingest-rule.ts';
import type { ListingPage } from '../../domain/node/agent-messages.ts';
import type { ScanPatch } from '../../domain/scan/scan.ts';
import type { ScanState } from '../../domain/scan/scan-state.ts';
import {
  type Ctx,
  type Done,
  type Effect,
  type Failed,
  portsOf,
  type ReplyTo,
  type Saved,
  save,
} from '../../kernel/mod.ts';
import type { IngestReturn } from '../ingest/ingest-effects.ts';
import type { LiveIngestJobs, ScanPorts } from './scan.ports.ts';

/** A page that is being matched. */
export interface PageContext {
  readonly page: ListingPage;
  readonly rules: readonly IngestRule[];
}

/** A cancel whose live ingests are being read. */
export interface CancelContext {
  readonly replyTo: ReplyTo<{ readonly jobIds: readonly number[] }> | undefined;
  /** The scan's own jobs that were canceled. */
  readonly ownJobIds: readonly number[];
}

/** Outcomes of the scan actor's calls, timers and saves. */
export type ScanReturn =
  | IngestReturn
  | { readonly type: 'listingDue' }
  | { readonly type: 'cancelDue' }
  | { readonly type: 'pagesDue' }
  | Saved<'arrivalsRecorded', ArrivalResult, readonly ArrivalRecord[]>
  | Done<'rulesMatched', readonly number[], PageContext>
  | Failed<'matchRulesFailed', PageContext>
  | Done<'listingNodesRead', readonly number[]>
  | Failed<'listingNodesFailed'>
  | Done<'liveJobsRead', LiveIngestJobs, CancelContext>
  | Failed<'liveIngestJobsFailed', CancelContext>
  | Done<'cancelPageRead', readonly IngestState[]>
  | Failed<'cancelPageFailed'>;

export type ScanEffect = Effect<Change, ScanReturn>;

export const scanPorts = portsOf<ScanPorts>();

export function saveScan(state: ScanState, patch: ScanPatch, ctx: Ctx): ScanEffect {
  return save({ type: 'editScan', scanId: state.id, patch, atMs: ctx.nowMs });
}

/** Sets why the scan waits; does nothing if the row has that reason already. */
export function explain(state: ScanState, reason: string | null, ctx: Ctx): readonly ScanEffect[] {
  if (state.reason === reason) return [];
  state.reason = reason;
  return [saveScan(state, { reason }, ctx)];
}
