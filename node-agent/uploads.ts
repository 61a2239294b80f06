/** Files that clients send: taken from a coordinator on a stream, no faster than they are written. */
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

export class Uploads {
  readonly #options: HeldUploadsOptions & { readonly joinToken: string; readonly log: Logger };
  readonly #held: HeldUploads;
  /** By upload: ends the stream that has it, and resolves when that has let it go. */
  readonly #taken = new Map<string, () => Promise<void>>();

  constructor(options: HeldUploadsOptions & { readonly joinToken: string; readonly log: Logger }) {
    this.#options = options;
    this.#held = new HeldUploads(options);
  }

  /** Never rejects: a failure is told on the stream. A later stream of an upload ends the earlier one. */
  async receive(session: LiveSession | undefined, request: ReceiveFile): Promise<void> {
    if (session === undefined) return;
    const { joinToken, log } = this.#options;
    const { uploadId, requestId, receiver, path } = request;
    const call = await session.openUpload(receiver);
    const ended = new AbortController();
    call.on('error', () => ended.abort());
    call.on('status', () => ended.abort());
    const before = this.#taken.get(uploadId);
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = (): Promise<void> => {
      call.cancel();
      return promise;
    };
    this.#taken.set(uploadId, end);
    const report = (told: Partial<UploadReport>): void => {
      if (!ended.signal.aborted) call.write({ ...NOTHING, joinToken, requestId, ...told });
    };
    const pieces = call.iterator({ destroyOnReturn: false }) as AsyncIterable<UploadPiece>;
    try {
      await before?.();
      await this.#held.take({ report, pieces, ended: ended.signal }, request);
    } catch (error) {
      const code = error instanceof AppError ? error.code : 'FILESYSTEM_IO';
      const reason = error instanceof Error ? error.message : String(error);
      log.warn('file not taken', { path, reason });
      report({ error: reason, code });
    } finally {
      call.end();
      if (this.#taken.get(uploadId) === end) this.#taken.delete(uploadId);
      resolve();
    }
  }

  /** Removes what nobody will go on with. */
  sweep(): Promise<void> {
    return this.#held.sweep((id) => this.#taken.has(id));
  }
}
