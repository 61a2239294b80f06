/** The output of executions, read by byte offset. */
import type { Sql } from '../sql/sql.ts';

/** A piece of a task's output. */
export interface LogPieceRow {
  /** Byte offset in its stream. */
  readonly seq: number;
  readonly content: Buffer;
}

/** Agents send pieces of at most this many bytes. */
const PIECE_BYTES_MAX = 262_144;
// limit: pieces of one read.
const PIECES_MAX = 16;

const READ = {
  name: 'read_log_bytes',
  // = job_log_pkey
  text: `select seq, content from job_log
    where job_exe_id = $1 and stream = $2 and seq > $3 - ${PIECE_BYTES_MAX} and seq + length(content) > $3
    order by seq limit ${PIECES_MAX}`,
};

/** The next pieces with bytes from an offset on. They may begin before it, and overlap. */
export function readLogBytes(
  sql: Sql,
  wanted: { readonly executionId: number; readonly stream: 'stdout' | 'stderr' },
  offset: number,
): Promise<LogPieceRow[]> {
  return sql.execute<LogPieceRow>(READ, [wanted.executionId, wanted.stream, offset]);
}

/** Whether an execution has not ended. */
export async function isRunning(sql: Sql, executionId: number): Promise<boolean> {
  const running = 'select from job_exe where id = $1 and ended is null';
  return (await sql.execute(running, [executionId])).length > 0;
}
