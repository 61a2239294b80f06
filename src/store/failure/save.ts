/** Notes on groups of failures. */
import { AppError } from '../../domain/errors.ts';
import type { Sql } from '../sql/sql.ts';

export interface FailureNote {
  readonly jobTypeId: number;
  readonly errorId: number;
  /** Undefined fields are not changed; in a new note they are false or empty. */
  readonly isKnown: boolean | undefined;
  readonly note: string | undefined;
  /** The account that writes the note. */
  readonly username: string;
  readonly nowMs: number;
}

const NOTE = /* sql */ `
  insert into failure_note as f (job_type_id, error_id, is_known, note, username, last_modified)
  select jt.id, e.id, coalesce($3::boolean, false), coalesce($4::text, ''), $5, to_timestamp($6::float8 / 1000)
  from job_type jt, error e where jt.id = $1 and jt.deleted is null and e.id = $2
  on conflict (job_type_id, error_id) do update set   -- = failure_note_group_key
    is_known = coalesce($3::boolean, f.is_known), note = coalesce($4::text, f.note), username = excluded.username,
    last_modified = excluded.last_modified
  returning job_type_id`;

/** Throws NOT_FOUND if there is no such job type or error. */
export async function noteFailure(sql: Sql, note: FailureNote): Promise<void> {
  const { jobTypeId, errorId, isKnown = null, note: text = null, username, nowMs } = note;
  const rows = await sql.execute(NOTE, [jobTypeId, errorId, isKnown, text, username, nowMs]);
  if (rows.length === 0) throw new AppError('NOT_FOUND', 'there is no such job type or error');
}
