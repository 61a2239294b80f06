/** What a strike's actor needs of the world. */
import type { IngestState } from '../../domain/ingest/ingest.ts';
import type { StrikeRow } from '../../domain/strike/strike.ts';
import type { ObjstoreMonitor } from '../../domain/strike/strike-config.ts';
import type { IngestPorts } from '../ingest/ingest.ports.ts';

export interface StrikePorts extends IngestPorts {
  loadStrikes(strikeIds: readonly number[]): Promise<ReadonlyMap<number, StrikeRow>>;
  /** Strikes of these shards: all that are not paused, and paused ones with live ingests. */
  dueStrikes(shards: readonly number[]): Promise<readonly number[]>;
  /** Finds, in these shards, monitors whose node does not reach what they watch any more, while another node does. */
  lostMonitors(
    shards: readonly number[],
  ): Promise<readonly { readonly strikeId: number; readonly executionId: number }[]>;
  /**
   * Has this coordinator read the strike's queue and ask the strike `notified`; with `monitor` null nobody reads.
   * `formerly`: a queue that it reads no more for good. Repeats change nothing. Credentials are as rows keep them.
   */
  watchQueue(args: {
    readonly strikeId: number;
    readonly monitor: ObjstoreMonitor | null;
    readonly formerly: ObjstoreMonitor | null;
  }): Promise<void>;
  deferredIngests(args: {
    readonly strikeId: number;
    readonly afterId: number;
    readonly limit: number;
  }): Promise<readonly IngestState[]>;
}
