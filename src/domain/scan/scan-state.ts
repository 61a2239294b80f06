/** The state of a scan's actor: its run, the pages that wait for their commit, and its window of ingests. */

import { jsonEquals } from '../document/json-value.ts';
import { type IngestOwnerState, ingestOwnerOf } from '../ingest/ingest-owner.ts';
import type { IngestRule } from '../ingest/ingest-rule.ts';
import { newQueue, type PageQueue } from '../ingest/page-queue.ts';
import type { MonitorExecution, SystemJob } from '../job/job.ts';
import type { ScanCounts, ScanMode, ScanRow } from './scan.ts';
import type { ScanConfiguration } from './scan-config.ts';

/** A dry run or ingest run in progress. */
export interface ScanRun {
  readonly mode: ScanMode;
  /** The listing is committed through this path. */
  cursor: string;
  counts: ScanCounts;
}

export interface ScanState extends IngestOwnerState {
  readonly id: number;
  configuration: ScanConfiguration;
  workspaceId: number;
  /** True while the ingests that it found are being canceled. */
  isPaused: boolean;
  readonly jobs: Readonly<Record<ScanMode, SystemJob>>;
  run: ScanRun | null;
  /** The counts of the last run, when none is in progress. */
  counts: ScanCounts | null;
  /** The counts of the last completed run. */
  completed: ScanCounts | null;
  /** Runs that begin when the present one has ended: each mode at most once. */
  waiting: readonly ScanMode[];
  listing: MonitorExecution | null;
  queue: PageQueue;
  /** The time when the listing was restarted because its pages did not follow each other. */
  restartedMs: number;
  reason: string | null;
  /** Consecutive listings that failed without a page. */
  failures: number;
  /** Ingests up to this id are being canceled; null: none are. */
  cancelThrough: number | null;
  /** Cancels whose ingests are being looked up. */
  cancelsPending: number;
  /** Ingests up to this one have been checked. */
  cancelAfter: number;
  /** The number of checked ingests whose cancel a node has yet to report. */
  cancelOpen: number;
  isCanceling: boolean;
}

export function noCounts(mode: ScanMode, rules: number): ScanCounts {
  return { mode, matched: 0, unmatched: 0, by_rule: new Array<number>(rules).fill(0) };
}

/** The counts plus those of a page. `ruleIndexes`: for each file, -1 = no rule matches. */
export function countPage(counts: ScanCounts, ruleIndexes: readonly number[]): ScanCounts {
  const byRule = [...counts.by_rule];
  let matched = 0;
  for (const index of ruleIndexes) {
    if (index < 0) continue;
    matched += 1;
    byRule[index] = (byRule[index] ?? 0) + 1;
  }
  const unmatched = counts.unmatched + ruleIndexes.length - matched;
  return { mode: counts.mode, matched: counts.matched + matched, unmatched, by_rule: byRule };
}

/**
 * The counts of a run that has ended, when the scan gets other rules: with those that the run counted by, unless the
 * scan has the same again.
 */
export function keepRules(
  { rules: counted, ...counts }: ScanCounts,
  before: readonly IngestRule[],
  after: readonly IngestRule[],
): ScanCounts {
  const rules = counted ?? before;
  return jsonEquals(rules, after) ? counts : { ...counts, rules };
}

/** Whether the last run was completed. */
function isCompleted({ counts, jobs }: ScanRow): boolean {
  return counts !== null && jobs[counts.mode].status === 'COMPLETED';
}

export function scanStateOf(row: ScanRow): ScanState {
  // Validated when it was stored.
  const configuration = row.configuration;
  const { run, jobs } = row;
  const counts = row.counts ?? noCounts(run ?? 'dry_run', configuration.files_to_ingest.length);
  return {
    ...ingestOwnerOf('scan', row),
    id: row.id,
    configuration,
    workspaceId: row.workspaceId,
    isPaused: row.cancelThrough !== null,
    monitor: null,
    jobs: { dry_run: { ...jobs.dry_run }, ingest: { ...jobs.ingest } },
    completed: run === null && isCompleted(row) ? row.counts : row.previousCounts,
    run: run === null ? null : { mode: run, cursor: row.cursor, counts },
    counts: row.counts,
    waiting: row.waiting,
    listing: row.listing,
    queue: newQueue(row.cursor),
    restartedMs: 0,
    reason: row.reason,
    failures: 0,
    cancelThrough: row.cancelThrough,
    cancelsPending: 0,
    cancelAfter: 0,
    cancelOpen: 0,
    isCanceling: false,
  };
}
