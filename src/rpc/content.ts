/** The Content stream: the bytes of a stored file, from an agent to the HTTP request for it. */
import { type ServerReadableStream, type sendUnaryData, status } from '@grpc/grpc-js';
import { AppError } from '../domain/errors.ts';
import type { ContentChunk } from '../domain/node/agent-messages.ts';

/** `totalSize`: bytes that will follow. `fileSize`: bytes of the whole file, if only a part of it was requested. */
export type Begun = Pick<ContentChunk, 'totalSize' | 'fileSize'>;

/** Receives a requested file. */
export interface ContentSink {
  begin(begun: Begun): void;
  /** Resolves when more may be written. Rejects when the reader is gone. */
  write(content: Uint8Array): Promise<void>;
  end(): void;
  fail(error: AppError): void;
}

/** Open requests by id. Each is answered by one stream, once. */
export class ContentRequests {
  readonly #open = new Map<string, ContentSink>();

  expect(requestId: string, sink: ContentSink): void {
    this.#open.set(requestId, sink);
  }

  /** The requester no longer waits. */
  forget(requestId: string): void {
    this.#open.delete(requestId);
  }

  take(requestId: string): ContentSink | undefined {
    const sink = this.#open.get(requestId);
    this.#open.delete(requestId);
    return sink;
  }
}

export interface ContentReceiver {
  readonly isKnown: (token: string, call: { getPeer(): string }) => boolean;
  readonly contents: ContentRequests;
}

/** The handler of the Content stream. The agent only gets to know that its stream was not requested or has failed. */
export function receiveContent(
  receiver: ContentReceiver,
): (stream: ServerReadableStream<ContentChunk, object>, done: sendUnaryData<object>) => void {
  return (stream, done) => {
    pump(receiver, stream).then(
      () => done(null, {}),
      () => done({ code: status.CANCELLED, details: 'not wanted' }),
    );
  };
}

async function pump(
  receiver: ContentReceiver,
  stream: ServerReadableStream<ContentChunk, object>,
): Promise<void> {
  let sink: ContentSink | undefined;
  let left = 0;
  try {
    for await (const chunk of stream as AsyncIterable<ContentChunk>) {
      if (sink === undefined) {
        if (!receiver.isKnown(chunk.joinToken, stream))
          throw new AppError('UNAUTHENTICATED', 'the join token is not this cluster’s');
        sink = receiver.contents.take(chunk.requestId);
        if (sink === undefined) throw new AppError('NOT_FOUND', 'nobody waits for this file');
        left = chunk.totalSize;
        if (chunk.error === '') sink.begin(chunk);
      }
      if (chunk.error !== '') {
        const code = chunk.isMissing === true ? 'FILE_NOT_FOUND' : 'WORKSPACE_UNAVAILABLE';
        throw new AppError(code, chunk.error);
      }
      left -= chunk.content.length;
      if (left < 0) throw new AppError('AGENT_UNAVAILABLE', 'the agent sent more bytes than it announced');
      if (chunk.content.length > 0) await sink.write(chunk.content);
    }
    // A stream that is cut off ends like any other: only the number of bytes shows it.
    if (left > 0) throw new AppError('AGENT_UNAVAILABLE', 'the agent went away');
    sink?.end();
  } catch (error) {
    const reason =
      error instanceof AppError ? error : new AppError('AGENT_UNAVAILABLE', 'the agent went away');
    sink?.fail(reason);
    throw reason;
  }
}
