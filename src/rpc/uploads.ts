/** The Upload stream: passes the bytes of a file from its HTTP client to an agent. */
import { type ServerDuplexStream, status } from '@grpc/grpc-js';
import { AppError, ERROR_CODES, type ErrorCode } from '../domain/errors.ts';
import type { UploadReport } from '../domain/node/agent-messages.ts';
import type { UploadPiece } from '../domain/node/coordinator-messages.ts';
import { PIECE_BYTES_MAX } from '../wire/agent-service.ts';

type Call = ServerDuplexStream<UploadReport, UploadPiece>;

// limit: how long an agent may take to write the bytes that wait for it.
const WRITE_MS_MAX = 60_000;
const NOTHING = new Uint8Array();

/** An agent's side of an upload. Failures are AppErrors. */
export interface UploadStream {
  /** The agent's first report: how the upload was begun. */
  readonly begun: UploadReport;
  /** Called once if the agent goes away or gives the upload up, also while nothing is being sent. */
  onFailure(listener: (error: AppError) => void): void;
  /** Resolves when more may be sent. */
  send(bytes: Uint8Array): Promise<void>;
  /**
   * Ends the sending. Resolves with the last report, once the bytes are synced, or stored if the upload is complete.
   */
  finish(): Promise<UploadReport>;
  /** Stops the sending. The agent keeps the received bytes only if the upload is resumable. */
  cancel(): void;
}

/** Open requests by id. Each is answered by one stream, once. */
export class UploadRequests {
  readonly #open = new Map<string, PromiseWithResolvers<UploadStream>>();

  /** Resolves with the agent's stream. */
  expect(requestId: string): Promise<UploadStream> {
    const waiting = Promise.withResolvers<UploadStream>();
    waiting.promise.catch(() => undefined); // the requester may have given up
    this.#open.set(requestId, waiting);
    return waiting.promise;
  }

  /** The requester no longer waits. */
  forget(requestId: string): void {
    this.#open.delete(requestId);
  }

  take(requestId: string): PromiseWithResolvers<UploadStream> | undefined {
    const waiting = this.#open.get(requestId);
    this.#open.delete(requestId);
    return waiting;
  }
}

export interface UploadSender {
  readonly isKnown: (token: string, call: { getPeer(): string }) => boolean;
  readonly uploads: UploadRequests;
}

export function sendUploads({ isKnown, uploads }: UploadSender): (call: Call) => void {
  return (call) => {
    // A stream that ends before its first report answers no request.
    const onEnd = () => call.end();
    call.once('end', onEnd);
    call.once('data', (report: UploadReport) => {
      call.removeListener('end', onEnd);
      const waiting = isKnown(report.joinToken, call) ? uploads.take(report.requestId) : undefined;
      if (waiting === undefined) {
        call.emit('error', { code: status.CANCELLED, details: 'not wanted' });
        return;
      }
      const failure = failureOf(report);
      if (failure === undefined) waiting.resolve(new SentUpload(call, report));
      else {
        waiting.reject(failure);
        call.end();
      }
    });
    call.on('error', () => undefined);
  };
}

class SentUpload implements UploadStream {
  readonly begun: UploadReport;
  readonly #call: Call;
  readonly #ended = Promise.withResolvers<UploadReport>();
  #failure: AppError | undefined;

  constructor(call: Call, begun: UploadReport) {
    this.begun = begun;
    this.#call = call;
    const { promise } = this.#ended;
    promise.catch((error: AppError) => {
      this.#failure = error;
    });
    const gone = () => {
      this.#ended.reject(new AppError('AGENT_UNAVAILABLE', 'the agent went away'));
      call.end();
    };
    call.once('data', (report: UploadReport) => {
      const failure = failureOf(report);
      if (failure === undefined) this.#ended.resolve(report);
      else this.#ended.reject(failure);
      call.end();
    });
    call.once('cancelled', gone).once('end', gone).once('error', gone);
  }

  onFailure(listener: (error: AppError) => void): void {
    this.#ended.promise.catch(listener);
  }

  async send(bytes: Uint8Array): Promise<void> {
    for (let start = 0; start < bytes.length; start += PIECE_BYTES_MAX) {
      if (this.#failure !== undefined) throw this.#failure;
      const content = bytes.subarray(start, start + PIECE_BYTES_MAX);
      if (!this.#call.write({ content, isLast: false })) await this.#drained();
    }
  }

  finish(): Promise<UploadReport> {
    if (this.#failure === undefined) this.#call.write({ content: NOTHING, isLast: true });
    return this.#ended.promise;
  }

  cancel(): void {
    this.#ended.reject(new AppError('AGENT_UNAVAILABLE', 'the transfer ended early: try again'));
    this.#call.emit('error', { code: status.CANCELLED, details: 'ended' });
  }

  async #drained(): Promise<void> {
    const drained = Promise.withResolvers<void>();
    this.#call.once('drain', drained.resolve);
    const late = setTimeout(() => {
      drained.reject(new AppError('WORKSPACE_UNAVAILABLE', 'the agent writes too slowly'));
    }, WRITE_MS_MAX);
    try {
      await Promise.race([drained.promise, this.#ended.promise]);
    } finally {
      clearTimeout(late);
      this.#call.removeListener('drain', drained.resolve);
    }
  }
}

function failureOf({ error, code }: UploadReport): AppError | undefined {
  if (error === '') return undefined;
  const known = (ERROR_CODES as readonly string[]).includes(code) ? (code as ErrorCode) : 'FILESYSTEM_IO';
  return new AppError(known, error);
}
