/** `/v6/ingests/status/`: how much each strike has ingested, by hour. */
import { type Static, Type } from '@sinclair/typebox';
import { defineList } from '../../http/list.ts';
import { flag } from '../../http/request/parameters.ts';
import { timeRange, weekAgo } from '../../http/request/time-range.ts';
import { id, instant, integer, named, orNull } from '../../http/schema.ts';
import { assert } from '../../lib/assert.ts';
import { listIngestStatus } from '../../store/ingest/status.ts';
import type { Parts } from '../parts.ts';
import { count, ErrorRecord, IdRef, JobStatus, JobTypeSummary } from '../shared/records.ts';

const Slot = Type.Object({
  time: instant('The beginning of the hour.'),
  files: count,
  size: integer({ minimum: 0, description: 'Bytes.' }),
});

const IngestStatus = named(
  'IngestStatus',
  Type.Object({
    strike: Type.Object({
      id: id(),
      name: Type.String(),
      title: Type.String(),
      description: Type.String(),
      is_paused: Type.Boolean(),
      job: Type.Object({
        id: id(),
        job_type: JobTypeSummary,
        event: IdRef,
        error: orNull(ErrorRecord),
        status: JobStatus,
        priority: integer(),
        num_exes: count,
      }),
      created: instant(),
      last_modified: instant(),
    }),
    most_recent: orNull(instant('When the strike last completed an ingest, in the range or not.')),
    files: count,
    size: integer({ minimum: 0, description: 'Bytes of all files.' }),
    values: Type.Array(Slot, { description: 'One entry for each hour of the range, the oldest first.' }),
  }),
);
type Slot = Static<typeof IngestStatus>['values'][number];

const HOUR_MS = 3_600_000;

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

const list = defineList({
  path: '/v6/ingests/status/',
  summary: 'What strikes have ingested, by hour',
  description:
    'Ingested files of each strike, from the hour of `started` to that of `ended`, both whole. The range begins a ' +
    'week ago, at midnight UTC, when it is not given.',
  query: {
    range: timeRange({ daysMax: 31, startDefault: weekAgo }),
    use_ingest_time: flag(
      'True: counts files by when they were ingested. Default: by when their data begins.',
    ),
  },
  record: IngestStatus,
  async records({ query }, { sql }: Parts<'sql'>) {
    const { startedMs, endedMs } = query.range;
    assert(startedMs !== undefined && endedMs !== undefined, 'both ends of a range that is limited');
    const useIngestTime = query.use_ingest_time ?? false;
    const { count, results } = await listIngestStatus(
      sql,
      { startedMs, endedMs, useIngestTime },
      query.paging,
    );
    // Most hours of most strikes are empty, so these share their entries.
    const empty = emptyHours(startedMs, endedMs);
    return { count, results: results.map((one) => ({ ...one, values: filled(empty, one.values) })) };
  },
});

export const ingestStatusRoutes = [list];
