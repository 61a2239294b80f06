/**
 * Output of tasks, stored in chunks by offset. A repeated chunk changes nothing; a longer one replaces the chunk at its
 * offset, because an agent that repeats unacknowledged output may divide it differently. Chunks may therefore overlap,
 * and readers skip what they have read.
 */
import type { LogChunk } from '../../domain/node/agent-messages.ts';
import type { Sql } from '../sql/sql.ts';
import { rowsOf } from '../sql/table-rows.ts';
import { JobLogEntity } from './table.ts';

const CHUNKS = rowsOf(JobLogEntity).from<LogChunk>(
  {
    jobExeId: (chunk) => chunk.executionId,
    stream: (chunk) => chunk.stream,
    seq: (chunk) => chunk.offset,
    at: (chunk) => chunk.atMs,
  },
  [['content', 'text', (chunk) => Buffer.from(chunk.content).toString('base64')]],
);

// Chunks of unknown executions (purged, or another cluster's) are dropped.
const INSERT = {
  name: 'insert_logs',
  isKeyed: true,
  text: /* sql */ `
    insert into job_log (job_exe_id, stream, seq, at, content)
    select d.job_exe_id, d.stream, d.seq, d.at, decode(d.content, 'base64')
    from ${CHUNKS.table('d')}
    where d.stream in ('stdout', 'stderr') and exists (select from job_exe where id = d.job_exe_id)
    on conflict (job_exe_id, stream, seq) do update set content = excluded.content, at = excluded.at   -- = job_log_pkey
      where length(excluded.content) > length(job_log.content)`,
};

/** Only the longest of several chunks at one offset is written. */
export async function saveLogs(sql: Sql, chunks: readonly LogChunk[]): Promise<void> {
  const longest = new Map<string, LogChunk>();
  for (const chunk of chunks) {
    const key = `${chunk.executionId}/${chunk.stream}/${chunk.offset}`;
    const known = longest.get(key);
    if (known === undefined || known.content.length < chunk.content.length) longest.set(key, chunk);
  }
  if (longest.size > 0) await sql.execute(INSERT, CHUNKS.params([...longest.values()]));
}
