/** `/v6/failures/`: failed jobs in groups, and what people noted about them. */
import { Type } from '@sinclair/typebox';
import { AppError } from '../../domain/errors.ts';
import { defineList } from '../../http/list.ts';
import { flag, integers } from '../../http/request/parameters.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { timeRange } from '../../http/request/time-range.ts';
import { defineRoute, reply } from '../../http/route.ts';
import { instant, NO_BODY, named, orNull } from '../../http/schema.ts';
import { findBatch } from '../../store/batch/list.ts';
import { BATCH_FAILURES_MAX, listBatchFailures, listFailures } from '../../store/failure/list.ts';
import { noteFailure } from '../../store/failure/save.ts';
import type { Parts } from '../parts.ts';
import { existing } from '../shared/existing.ts';
import { count, ErrorRecord, JobTypeSummary, nullableInstant, nullableText } from '../shared/records.ts';

const DAY_MS = 86_400_000;

export const FailureGroup = named(
  'FailureGroup',
  Type.Object({
    job_type: JobTypeSummary,
    error: orNull(ErrorRecord),
    count,
    most_recent: instant('When the last of these jobs failed.'),
    is_known: Type.Boolean({ description: 'Somebody has marked the group as known.' }),
    note: Type.String({ description: 'What was noted about it; empty without a note.' }),
    noted_by: nullableText,
    noted: nullableInstant,
  }),
);
const FailureNote = named(
  'FailureNote',
  Type.Object(
    {
      is_known: Type.Optional(Type.Boolean()),
      note: Type.Optional(Type.String({ maxLength: 1_000, description: 'Replaces the note.' })),
    },
    { additionalProperties: false },
  ),
);

const list = defineList({
  path: '/v6/failures/',
  summary: 'Failed jobs by job type and error',
  description: `Counts the jobs that are FAILED now and failed within the range, by default the last day. The range
begins with a whole slot of five minutes. Groups that are not marked as known come first, larger groups before smaller
ones.`,
  query: {
    range: timeRange({ daysMax: 31, startDefault: (nowMs) => nowMs - DAY_MS }),
    is_known: flag('True: only groups that are marked as known; false: only the others.'),
    job_type_id: integers('Ids of job types.', { minimum: 1 }),
  },
  record: FailureGroup,
  records({ query: { range, is_known, job_type_id, paging }, request }, { sql }: Parts<'sql'>) {
    const { startedMs = request.nowMs - DAY_MS, endedMs = request.nowMs } = range;
    return listFailures(sql, { startedMs, endedMs, is_known, job_type_id }, paging);
  },
});

const note = defineRoute({
  method: 'PATCH',
  path: '/v6/failures/{job_type_id}/{error_id}/',
  summary: 'Mark a group of failures as known, or note something about it',
  description: 'Everybody sees it. It also applies to later failures of the job type with this error.',
  params: { job_type_id: pathId, error_id: pathId },
  body: FailureNote,
  replies: { 204: NO_BODY },
  async handle({ params, body, request }, { sql }: Parts<'sql'>) {
    if (body.is_known === undefined && body.note === undefined) {
      throw new AppError('INVALID_REQUEST', 'nothing is to be changed: give is_known or note');
    }
    const { job_type_id: jobTypeId, error_id: errorId } = params;
    const { username } = request.caller;
    const { is_known: isKnown, note } = body;
    await noteFailure(sql, { jobTypeId, errorId, isKnown, note, username, nowMs: request.nowMs });
    return reply(204);
  },
});

const batchFailures = defineList({
  path: '/v6/batches/{id}/failures/',
  summary: 'Failed jobs of a batch by job type and error',
  description: `Counts the jobs that belong to the batch now and are FAILED, ${BATCH_FAILURES_MAX} at most.`,
  params: { id: pathId },
  record: FailureGroup,
  async records({ params, query }, { sql }: Parts<'sql'>) {
    existing(await findBatch(sql, params.id), 'batch', params.id);
    return listBatchFailures(sql, params.id, query.paging);
  },
});

export const failureRoutes = [list, batchFailures, note];
