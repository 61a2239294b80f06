/** Scans: their rows and changes. */

import type { IngestOwnerRow } from '../ingest/ingest-owner.ts';
import type { IngestRule } from '../ingest/ingest-rule.ts';
import type { MonitorExecution, SystemJob } from '../job/job.ts';
import type { Labels } from '../labels.ts';
import type { ScanConfiguration } from './scan-config.ts';

/** A dry run counts the files that the rules match; an ingest run also ingests them. */
export type ScanMode = 'dry_run' | 'ingest';

/** The files that a run has found so far. */
export interface ScanCounts {
  readonly mode: ScanMode;
  /** Files that a rule matches. */
  readonly matched: number;
  /** Files that no rule matches. */
  readonly unmatched: number;
  /** Files by matching rule, in the order of the rules. */
  readonly by_rule: readonly number[];
  /** When the run was completed, in ISO 8601. Absent until then, and in runs of earlier versions of the service. */
  readonly ended?: string;
  /** The rules that it counted by, if the scan got others since. Absent: those of its configuration. */
  readonly rules?: readonly IngestRule[];
}

export interface ScanPatch {
  readonly title?: string;
  readonly description?: string;
  readonly labels?: Labels;
  readonly configuration?: ScanConfiguration;
  readonly workspaceId?: number;
  /** The mode of the run in progress; null = none. */
  readonly run?: ScanMode | null;
  /** Runs that begin when the present one has ended, in this order. */
  readonly waiting?: readonly ScanMode[];
  /** The listing is committed through this path. */
  readonly cursor?: string;
  readonly counts?: ScanCounts;
  /** The counts of the last completed run before the present one. */
  readonly previousCounts?: ScanCounts;
  /** Ingests up to this id are being canceled; null = done. */
  readonly cancelThrough?: number | null;
  /** Why the scan waits, or has failed. */
  readonly reason?: string | null;
}

/** A scan's row and its live ingests: what its actor loads. */
export interface ScanRow extends IngestOwnerRow {
  readonly configuration: ScanConfiguration;
  readonly workspaceId: number;
  readonly jobs: Readonly<Record<ScanMode, Readonly<SystemJob>>>;
  readonly run: ScanMode | null;
  readonly waiting: readonly ScanMode[];
  readonly cursor: string;
  readonly counts: ScanCounts | null;
  readonly previousCounts: ScanCounts | null;
  readonly cancelThrough: number | null;
  readonly reason: string | null;
  /** The execution of the running job. */
  readonly listing: MonitorExecution | null;
}
