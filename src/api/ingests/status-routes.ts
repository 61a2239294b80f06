/** `/v6/ingests/status/`: how much each strike has ingested, by hour. */
import { type Static, Type } from '@sinclair/typebox';
import { defineList, type Listed } from '../../http/list.ts';
import type { Paging } from '../../http/request/paging.ts';
import { flag } from '../../http/request/parameters.ts';
import { timeRange, weekAgo } from '../../http/request/time-range.ts';
import { id, instant, integer, named, orNull } from '../../http/schema.ts';
import { assert } from '../../lib/assert.ts';
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
export type IngestStatusRecord = Static<typeof IngestStatus>;

export interface IngestStatusQuery {
  readonly startedMs: number;
  readonly endedMs: number;
  readonly useIngestTime: boolean;
}

export interface IngestStatusRouteDeps {
  readonly ingestStatus: {
    /** Lists the status of all strikes, by id. */
    list(query: IngestStatusQuery, page: Paging): Promise<Listed<IngestStatusRecord>>;
  };
}

const list = defineList({
  path: '/v6/ingests/status/',
  summary: 'What strikes have ingested, by hour',
  description:
    'Ingested files of each strike, from the hour of `started` to that of `ended`, both whole. The range begins a ' +
    'week ago, at midnight UTC, when it is not given.',
  query: {
    range: timeRange({ daysMax: 31, startDefault: weekAgo }),
    use_ingest_time: flag('True: by when files were ingested. Default: by when their data begins.'),
  },
  record: IngestStatus,
  async records({ query }, { ingestStatus }: IngestStatusRouteDeps) {
    const { startedMs, endedMs } = query.range;
    assert(startedMs !== undefined && endedMs !== undefined, 'both ends of a range that is limited');
    const useIngestTime = query.use_ingest_time ?? false;
    const found = await ingestStatus.list({ startedMs, endedMs, useIngestTime }, query.paging);
    return found;
  },
});

export const ingestStatusRoutes = [list];
