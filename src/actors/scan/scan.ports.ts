/** The ports of a scan's actor. */
import type { ScanRow } from '../../domain/scan/scan.ts';
import type { IngestPorts } from '../ingest/ingest.ports.ts';

/** The jobs of the live ingests of a scan: ids ascending, and the highest id of the ingests, 0 if there is none. */
export interface LiveIngestJobs {
  readonly jobIds: readonly number[];
  readonly lastIngestId: number;
}

export interface ScanPorts extends IngestPorts {
  loadScans(scanIds: readonly number[]): Promise<ReadonlyMap<number, ScanRow>>;
  /** Scans of these shards with work in progress. */
  dueScans(shards: readonly number[]): Promise<readonly number[]>;
  liveIngestJobs(scanId: number): Promise<LiveIngestJobs>;
}
