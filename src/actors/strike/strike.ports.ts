/** The ports of a strike's actor. */
import type { IngestState } from '../../domain/ingest/ingest.ts';
import type { StrikeRow } from '../../domain/strike/strike.ts';
import type { ObjstoreMonitor } from '../../domain/strike/strike-config.ts';
import type { IngestPorts } from '../ingest/ingest.ports.ts';

export interface StrikePorts extends IngestPorts {
  loadStrikes(strikeIds: readonly number[]): Promise<ReadonlyMap<number, StrikeRow>>;
  /** Strikes of these shards: all that are not paused, and paused ones with live ingests. */
  dueStrikes(shards: readonly number[]): Promise<readonly number[]>;
  /** Finds, in these shards, monitors whose node no longer reaches their workspace while another node does. */
  lostMonitors(
    shards: readonly number[],
  ): Promise<readonly { readonly strikeId: number; readonly executionId: number }[]>;
  /**
   * Makes this coordinator read the strike's queue and send its objects as `notified`; with `monitor` null nothing is
   * read. `formerly`: a queue that will not be read again. Repeats change nothing. Credentials are encrypted, as in
   * rows.
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
