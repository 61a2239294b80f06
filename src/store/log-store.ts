/** Output of tasks, kept in pieces by their offset: a repeated piece is recognised and changes nothing. */
import type { LogChunk } from '../domain/node/agent-messages.ts';
import { RowSet } from './rows.ts';
import type { Sql } from './sql.ts';

const CHUNKS = new RowSet<LogChunk>([
  ['job_exe_id', 'id', (chunk) => chunk.executionId],
  ['stream', 'text', (chunk) => chunk.stream],
  ['seq', 'id', (chunk) => chunk.offset],
  ['at', 'ms', (chunk) => chunk.atMs],
  ['content', 'text', (chunk) => Buffer.from(chunk.content).toString('base64')],
]);

// Pieces of executions that nobody knows (purged, or another cluster's) are dropped.
const INSERT = {
  name: 'insert_logs',
  text: /* sql */ `
    insert into job_log (job_exe_id, stream, seq, at, content)
    select d.job_exe_id, d.stream, d.seq, d.at, decode(d.content, 'base64')
    from ${CHUNKS.table('d')}
    where d.stream in ('stdout', 'stderr') and exists (select from job_exe where id = d.job_exe_id)
    on conflict do nothing   -- = job_log_pkey`,
};

export async function saveLogs(sql: Sql, chunks: readonly LogChunk[]): Promise<void> {
  if (chunks.length > 0) await sql.execute(INSERT, CHUNKS.params(chunks));
}
