/** What strikes have ingested by hour: what its route needs, from the store. */

import { listIngestStatus } from '../../store/ingest/status.ts';
import type { Sql } from '../../store/sql/sql.ts';
import type { IngestStatusRecord, IngestStatusRouteDeps } from './status-routes.ts';

const HOUR_MS = 3_600_000;

type Slot = IngestStatusRecord['values'][number];

export function ingestStatusApp(sql: Sql): IngestStatusRouteDeps['ingestStatus'] {
  return {
    async list(query, page) {
      const { count, results } = await listIngestStatus(sql, query, page);
      // Most hours of most strikes are empty, so these share their entries.
      const empty = emptyHours(query.startedMs, query.endedMs);
      return { count, results: results.map((one) => ({ ...one, values: filled(empty, one.values) })) };
    },
  };
}

function emptyHours(startedMs: number, endedMs: number): readonly Slot[] {
  const first = Math.floor(startedMs / HOUR_MS);
  const length = Math.floor(endedMs / HOUR_MS) - first + 1;
  return Array.from({ length }, (_, at) => ({
    time: new Date((first + at) * HOUR_MS).toISOString(),
    files: 0,
    size: 0,
  }));
}

function filled(empty: readonly Slot[], counted: readonly Slot[]): Slot[] {
  const byTime = new Map(counted.map((slot) => [slot.time, slot]));
  return empty.map((slot) => byTime.get(slot.time) ?? slot);
}
