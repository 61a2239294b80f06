/** The Logs stream: pieces of tasks' output are kept in order, a group at a time, and acknowledged when they are. */
import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { LogChunk } from '../domain/node/agent-messages.ts';
import type { LogAck } from '../domain/node/coordinator-messages.ts';

export interface LogReceiver {
  readonly isKnown: (token: string) => boolean;
  readonly saveLogs: (chunks: readonly LogChunk[]) => Promise<void>;
  readonly log: { warn(event: string, fields?: Record<string, unknown>): void };
}

/** Chunks of one stream that may wait; beyond, reading stops until the store has kept up. */
const WAITING_MAX = 64;
export const LOG_CHUNK_BYTES_MAX = 262_144;

export function receiveLogs(receiver: LogReceiver): (stream: ServerDuplexStream<LogChunk, LogAck>) => void {
  return (stream) => {
    let isFirst = true;
    let isSaving = false;
    let isEnded = false;
    let waiting: LogChunk[] = [];
    const finish = (): void => {
      if (isEnded && !isSaving && waiting.length === 0) stream.end();
    };
    const save = async (): Promise<void> => {
      if (isSaving || waiting.length === 0) return finish();
      isSaving = true;
      const chunks = waiting;
      waiting = [];
      try {
        await receiver.saveLogs(chunks);
        for (const ack of acksOf(chunks)) stream.write(ack);
      } catch (error) {
        // The agent sends again from the last acknowledged offset over a new stream.
        receiver.log.warn('logs_not_kept', { error: String(error) });
        stream.destroy();
        return;
      }
      isSaving = false;
      stream.resume();
      await save();
    };
    stream.on('data', (chunk: LogChunk) => {
      if (isFirst && !receiver.isKnown(chunk.joinToken)) {
        stream.destroy();
        return;
      }
      isFirst = false;
      if (chunk.content.length > LOG_CHUNK_BYTES_MAX) return;
      waiting.push(chunk);
      if (waiting.length >= WAITING_MAX) stream.pause();
      void save();
    });
    stream.on('end', () => {
      isEnded = true;
      finish();
    });
    stream.on('error', () => {
      waiting = [];
    });
  };
}

/** One acknowledgement for each stream of each execution: how far it is kept. */
function acksOf(chunks: readonly LogChunk[]): readonly LogAck[] {
  const acks = new Map<string, LogAck>();
  for (const { executionId, stream, offset, content } of chunks) {
    acks.set(`${executionId}/${stream}`, { executionId, stream, offset: offset + content.length });
  }
  return [...acks.values()];
}
