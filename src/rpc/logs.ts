/** The Logs stream: stores pieces of tasks' output in order, a group at a time, and acknowledges them when stored. */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ServerDuplexStream, status } from '@grpc/grpc-js';
import type { LogChunk } from '../domain/node/agent-messages.ts';
import type { LogAck } from '../domain/node/coordinator-messages.ts';
import { PIECE_BYTES_MAX } from '../wire/agent-service.ts';

export interface LogReceiver {
  readonly isKnown: (token: string, call: { getPeer(): string }) => boolean;
  readonly saveLogs: (chunks: readonly LogChunk[]) => Promise<void>;
  readonly log: { warn(event: string, fields?: Record<string, unknown>): void };
}

/** Most chunks of one stream that wait; beyond that, reading stops until the store has caught up. */
const WAITING_MAX = 64;
const STREAMS: ReadonlySet<string> = new Set(['stdout', 'stderr']);
/** The largest instant in the database: the year 10000. */
const MS_MAX = 253_402_300_800_000;
/**
 * The time between two saves of a stream. A piece after a pause is saved at once, while pieces of tasks that end
 * shortly after one another share a commit. Without this each of 130 short tasks a second had a commit of its own
 * (2026-11-22).
 */
const SAVE_EVERY_MS = 20;

export function receiveLogs(receiver: LogReceiver): (stream: ServerDuplexStream<LogChunk, LogAck>) => void {
  return (stream) => {
    let isKnown = false;
    let isSaving = false;
    let isEnded = false;
    let isBroken = false;
    let waiting: LogChunk[] = [];
    let savedAtMs = Number.NEGATIVE_INFINITY;
    const giveUp = (code: status, details: string): void => {
      if (isBroken) return;
      isBroken = true;
      waiting = [];
      // Ends a call with a status; destroying the call would leave the agent waiting.
      stream.emit('error', { code, details });
    };
    const save = async (): Promise<void> => {
      isSaving = true;
      while (waiting.length > 0) {
        const earlyMs = savedAtMs + SAVE_EVERY_MS - performance.now();
        if (earlyMs > 0 && waiting.length < WAITING_MAX) await sleep(earlyMs);
        if (isBroken) return;
        savedAtMs = performance.now();
        const chunks = waiting;
        waiting = [];
        await receiver.saveLogs(chunks);
        if (isBroken) return;
        for (const ack of acksOf(chunks)) stream.write(ack);
        stream.resume();
      }
      isSaving = false;
      if (isEnded) stream.end();
    };
    stream.on('data', (chunk: LogChunk) => {
      if (isBroken) return;
      isKnown ||= receiver.isKnown(chunk.joinToken, stream);
      if (!isKnown) return giveUp(status.UNAUTHENTICATED, 'the join token is not this cluster’s');
      if (!isSound(chunk))
        return giveUp(status.INVALID_ARGUMENT, 'a piece is too large, or its place or time is invalid');
      waiting.push(chunk);
      if (waiting.length >= WAITING_MAX) stream.pause();
      if (isSaving) return;
      save().catch((error: unknown) => {
        // The agent sends again from the last acknowledged offset, over a new stream.
        receiver.log.warn('logs_not_kept', { error: String(error) });
        giveUp(status.UNAVAILABLE, 'the store does not answer');
      });
    });
    stream.on('end', () => {
      isEnded = true;
      if (!isSaving) stream.end();
    });
    for (const end of ['error', 'cancelled']) {
      stream.on(end, () => {
        isBroken = true;
        waiting = [];
      });
    }
  };
}

/** An invalid chunk ends its stream: skipping it would leave a gap, and the store would refuse it each time. */
function isSound({ executionId, stream, offset, atMs, content }: LogChunk): boolean {
  const areNumbers = Number.isSafeInteger(executionId) && Number.isSafeInteger(offset);
  const isPlace = areNumbers && offset >= 0 && STREAMS.has(stream);
  return isPlace && atMs >= 0 && atMs < MS_MAX && content.length <= PIECE_BYTES_MAX;
}

/** One acknowledgement for each stream of each execution: the offset up to which it is stored. */
function acksOf(chunks: readonly LogChunk[]): readonly LogAck[] {
  const acks = new Map<string, LogAck>();
  for (const { executionId, stream, offset, content } of chunks) {
    acks.set(`${executionId}/${stream}`, { executionId, stream, offset: offset + content.length });
  }
  return [...acks.values()];
}
