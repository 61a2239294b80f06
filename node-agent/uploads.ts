/** Receives uploads from a coordinator on a stream, no faster than they are written. */
import { AppError } from '../src/domain/errors.ts';
import type { UploadReport } from '../src/domain/node/agent-messages.ts';
import type { ReceiveFile, UploadPiece } from '../src/domain/node/coordinator-messages.ts';
import type { Logger } from '../src/observe/log.ts';
import { HeldUploads, type HeldUploadsOptions } from '../src/storage/upload/held-uploads.ts';
import type { LiveSession } from './session.ts';

const NOTHING: UploadReport = {
  ...{ joinToken: '', requestId: '', offset: 0, isStored: false, sha256: '', error: '', code: '' },
  ...{ path: '', size: 0, expiresMs: 0, isRecorded: false },
};

/** How long a coordinator may take to close a stream that the agent has ended. */
const ENDING_MS_MAX = 2_000;

export class Uploads {
  readonly #options: HeldUploadsOptions & { readonly joinToken: string; readonly log: Logger };
  readonly #held: HeldUploads;
  /** By upload: ends the stream that continues it, and resolves when this stream is closed. */
  readonly #taken = new Map<string, () => Promise<void>>();

  constructor(options: HeldUploadsOptions & { readonly joinToken: string; readonly log: Logger }) {
    this.#options = options;
    this.#held = new HeldUploads(options);
  }

  /** Never rejects: a failure is reported on the stream. A later stream of an upload ends the earlier one. */
  async receive(session: LiveSession | undefined, request: ReceiveFile): Promise<void> {
    if (session === undefined) return;
    const { joinToken, log } = this.#options;
    const { uploadId, requestId, receiver, path } = request;
    const call = await session.openUpload(receiver);
    const ended = new AbortController();
    call.on('error', () => ended.abort());
    call.on('status', () => ended.abort());
    const { promise, resolve } = Promise.withResolvers<void>();
    let isFilled = false;
    const filled = (): void => {
      isFilled = true;
    };
    const report = (fields: Partial<UploadReport>): void => {
      if (!ended.signal.aborted) call.write({ ...NOTHING, joinToken, requestId, ...fields });
    };
    const end = async (): Promise<void> => {
      // Storing is awaited, because it ends soon, and both requests then get the same answer.
      if (isFilled) return promise;
      report({ error: 'another request continues this upload', code: 'STATE_CONFLICT' });
      const cut = setTimeout(() => call.cancel(), ENDING_MS_MAX);
      await promise.finally(() => clearTimeout(cut));
    };
    const pieces = call.iterator({ destroyOnReturn: false }) as AsyncIterable<UploadPiece>;
    try {
      await this.#held.check(request);
      const before = this.#taken.get(uploadId);
      this.#taken.set(uploadId, end);
      await before?.();
      await this.#held.take({ report, filled, pieces, ended: ended.signal }, request);
    } catch (error) {
      const code = error instanceof AppError ? error.code : 'FILESYSTEM_IO';
      const reason = error instanceof Error ? error.message : String(error);
      log.warn('file_not_taken', { path, reason });
      report({ error: reason, code });
    } finally {
      call.end();
      if (this.#taken.get(uploadId) === end) this.#taken.delete(uploadId);
      resolve();
    }
  }

  /** Removes expired uploads. */
  sweep(): Promise<void> {
    return this.#held.sweep((id) => this.#taken.has(id));
  }
}
