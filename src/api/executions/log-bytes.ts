/** The output of a task as it was written, from any byte on, also while it is being written. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenStream } from '../../auth/open-streams.ts';
import { AppError } from '../../domain/errors.ts';
import { isRunning, readLogBytes } from '../../store/execution/log.ts';
import type { Sql } from '../../store/sql/sql.ts';

/** Pause between two reads that find nothing new. Agents send new output four times a second. */
const LOOK_MS = 400;
/** How long no output may come after the end of an execution before the output counts as complete. */
const LATE_MS = 3_000;

export interface LogBytesRequest {
  readonly executionId: number;
  readonly stream: 'stdout' | 'stderr';
  /** The first byte. */
  readonly offset: number;
  /** Fires when the client has disconnected. */
  readonly gone: AbortSignal;
  /** Present: waits for more output until the execution has ended, as long as this stream may stay open. */
  readonly open?: OpenStream;
}

/**
 * Throws AppError SHUTTING_DOWN if it has to end before the output does, so that the client sees that some is missing.
 */
export async function* logBytes(sql: Sql, request: LogBytesRequest): AsyncGenerator<Uint8Array> {
  const { executionId, stream, gone, open } = request;
  const stop = open === undefined ? gone : AbortSignal.any([gone, open.ending]);
  let at = request.offset;
  let isOver = open === undefined;
  let waitMs = LATE_MS;
  while (!stop.aborted) {
    const pieces = await readLogBytes(sql, { executionId, stream }, at);
    for (const { seq, content } of pieces) {
      // Pieces may overlap: skips what was sent.
      const rest = content.subarray(Math.max(0, at - seq));
      if (rest.length === 0) continue;
      at = seq + content.length;
      yield rest;
      if (stop.aborted) break;
    }
    if (pieces.length > 0) {
      // A task may write faster than its agent sends: much of the output comes after the end, with pauses.
      waitMs = LATE_MS;
      continue;
    }
    if (isOver && (open === undefined || waitMs <= 0)) return;
    if (isOver) waitMs -= LOOK_MS;
    await sleep(LOOK_MS, undefined, { signal: stop }).catch(() => undefined);
    isOver ||= !(await isRunning(sql, executionId));
  }
  if (!gone.aborted)
    throw new AppError('SHUTTING_DOWN', `the stream has ended early: ${open?.ending.reason}`);
}
