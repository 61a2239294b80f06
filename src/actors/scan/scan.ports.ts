/** What a scan's actor needs of the world. */
import type { ScanRow } from '../../domain/scan/scan.ts';
import type { IngestPorts } from '../ingest/ingest.ports.ts';

/** Live ingests of a scan as their jobs: ids ascending, and the highest id of the ingests, 0 when there is none. */
export interface LiveIngestJobs {
  readonly jobIds: readonly number[];
  readonly lastIngestId: number;
}

export interface ScanPorts extends IngestPorts {
  loadScans(scanIds: readonly number[]): Promise<ReadonlyMap<number, ScanRow>>;
  /** Scans of these shards with something under way. */
  dueScans(shards: readonly number[]): Promise<readonly number[]>;
  liveIngestJobs(scanId: number): Promise<LiveIngestJobs>;
}
