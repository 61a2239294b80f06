/** Scans: rows and what their actor asks to be saved of them. */
import type { IngestOwnerRow } from '../ingest/ingest-owner.ts';
import type { MonitorExecution, SystemJob } from '../job/job.ts';

/** A dry run counts what the rules take; an ingest run ingests it as well. */
export type ScanMode = 'dry_run' | 'ingest';

/** Files that an operation has found so far, or in all. */
export interface ScanCounts {
  readonly mode: ScanMode;
  /** Those that a rule takes. */
  readonly matched: number;
  /** Those that no rule takes. */
  readonly unmatched: number;
  /** Those that each rule takes, in the order of the rules. */
  readonly by_rule: readonly number[];
}

export interface ScanPatch {
  readonly title?: string;
  readonly description?: string;
  readonly configuration?: Readonly<Record<string, unknown>>;
  readonly workspaceId?: number;
  /** Which of the scan's jobs is under way; null = neither. */
  readonly run?: ScanMode | null;
  /** What begins when nothing is under way any more, in this order. */
  readonly waiting?: readonly ScanMode[];
  /** The listing is committed through this path. */
  readonly cursor?: string;
  readonly counts?: ScanCounts;
  /** Ingests up to this id are being canceled; null = done. */
  readonly cancelThrough?: number | null;
  /** Why what is under way waits, or has failed. */
  readonly reason?: string | null;
}

/** A scan's row and what is live of it: what its actor loads. */
export interface ScanRow extends IngestOwnerRow {
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly workspaceId: number;
  readonly jobs: Readonly<Record<ScanMode, Readonly<SystemJob>>>;
  readonly run: ScanMode | null;
  readonly waiting: readonly ScanMode[];
  readonly cursor: string;
  readonly counts: ScanCounts | null;
  readonly cancelThrough: number | null;
  readonly reason: string | null;
  /** The execution of the job that is under way. */
  readonly listing: MonitorExecution | null;
}
