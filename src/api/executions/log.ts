/**
 * Logs for readers: the chunks of both streams, merged by the time of their arrival and cut at line ends, so that a
 * line of one stream is never inside a line of the other. At most one page of each stream is in memory.
 */

import { hasExecution, readLog } from '../../store/execution/list.ts';
import type { Sql } from '../../store/sql/sql.ts';
import type { LogPiece } from './log-page.ts';
import type { LogStream } from './schema.ts';

type Stream = LogPiece['stream'];

// limit: bytes of an incomplete line that are buffered; a longer line is sent in parts.
const LINE_BYTES_MAX = 65_536;
const NEWLINE = 0x0a;

export interface LogRequest {
  readonly executionId: number;
  readonly stream: LogStream;
  readonly sinceMs: number | undefined;
  readonly signal: AbortSignal;
}

/** Resolves with undefined if there is no such execution, with null if it has no output. */
export async function openLog(
  sql: Sql,
  request: LogRequest,
): Promise<AsyncIterable<LogPiece> | null | undefined> {
  const streams: readonly Stream[] = request.stream === 'combined' ? ['stdout', 'stderr'] : [request.stream];
  const readers = streams.map((stream) => piecesOf(sql, request, stream));
  const heads = await Promise.all(readers.map((reader) => reader.next()));
  if (heads.some((head) => head.done !== true)) return merge(readers, heads);
  return (await hasExecution(sql, request.executionId)) ? null : undefined;
}

async function* merge(
  readers: readonly AsyncGenerator<LogPiece, void>[],
  heads: IteratorResult<LogPiece, void>[],
): AsyncGenerator<LogPiece> {
  for (;;) {
    let first: { at: number; piece: LogPiece } | undefined;
    for (const [at, head] of heads.entries()) {
      if (head.done === true) continue;
      if (first === undefined || head.value.atMs < first.piece.atMs) first = { at, piece: head.value };
    }
    const reader = first === undefined ? undefined : readers[first.at];
    if (first === undefined || reader === undefined) return;
    yield first.piece;
    heads[first.at] = await reader.next();
  }
}

async function* piecesOf(sql: Sql, request: LogRequest, stream: Stream): AsyncGenerator<LogPiece, void> {
  const wanted = { executionId: request.executionId, stream, sinceMs: request.sinceMs ?? 0 };
  let held: Buffer = Buffer.alloc(0);
  let atMs = 0;
  let afterSeq = -1;
  let readTo = 0;
  while (!request.signal.aborted) {
    const chunks = await readLog(sql, wanted, afterSeq);
    for (const chunk of chunks) {
      afterSeq = chunk.seq;
      // Pieces may overlap: skips what was read.
      const content = chunk.content.subarray(Math.max(0, readTo - chunk.seq));
      if (content.length === 0) continue;
      readTo = chunk.seq + chunk.content.length;
      atMs = chunk.atMs;
      const bytes = held.length === 0 ? content : Buffer.concat([held, content]);
      const end = bytes.lastIndexOf(NEWLINE) + 1;
      const cut = bytes.length - end > LINE_BYTES_MAX ? bytes.length : end;
      held = bytes.subarray(cut);
      if (cut > 0) yield { stream, atMs, text: bytes.toString('utf8', 0, cut) };
    }
    if (chunks.length === 0) break;
  }
  if (held.length > 0) yield { stream, atMs, text: held.toString('utf8') };
}
