/** The uploads that an agent holds: what comes of them, what is known of them, and their removal. */
import { AppError } from '../../domain/errors.ts';
import type { UploadReport } from '../../domain/node/agent-messages.ts';
import type { ReceiveFile, UploadPiece, WorkspaceRef } from '../../domain/node/coordinator-messages.ts';
import type { Broker } from '../broker.ts';
import { LocalRoot } from '../local-root.ts';
import { pathTaken } from '../place.ts';
import { HeldUpload } from './held-upload.ts';
import { type UploadNote, UploadNotes } from './upload-notes.ts';

export interface HeldUploadsOptions {
  readonly workspaces: {
    open(workspace: WorkspaceRef): Broker;
    reached(workspace: WorkspaceRef): Promise<Broker>;
  };
  /** Holds what is sent for buckets, and the notes of all uploads. */
  readonly folder: string;
  readonly clock: { nowMs(): number };
  readonly log: { debug(message: string, fields: Record<string, unknown>): void };
}

/** One stream of an upload. What a report leaves out is empty. */
export interface UploadChannel {
  report(report: Partial<UploadReport>): void;
  /** Ends early if the sender stops. */
  readonly pieces: AsyncIterable<UploadPiece>;
  readonly ended: AbortSignal;
}

export class HeldUploads {
  readonly #options: HeldUploadsOptions;
  readonly #folder: LocalRoot;
  readonly #notes: UploadNotes;

  constructor(options: HeldUploadsOptions) {
    this.#options = options;
    this.#folder = new LocalRoot(options.folder);
    this.#notes = new UploadNotes(this.#folder);
  }

  /** Removes what nobody will go on with: it has expired, or its stream ended with an earlier run of the agent. */
  async sweep(isTaken: (id: string) => boolean): Promise<void> {
    for (const id of await this.#notes.all()) {
      if (isTaken(id)) continue;
      try {
        const note = await this.#notes.read(id);
        if (note === undefined || note.expiresMs <= this.#options.clock.nowMs())
          await this.#abandon(id, note);
      } catch (error) {
        this.#options.log.debug('upload not removed yet', { id, error });
      }
    }
  }

  /** Takes what comes on the channel, and tells how it ends. */
  async take({ report, pieces, ended }: UploadChannel, request: ReceiveFile): Promise<void> {
    const { uploadId, workspace } = request;
    const note = await this.#noteOf(request);
    const { path, size, expiresMs, isRecorded, sha256 = '' } = note;
    const begun = { path, size, expiresMs, isRecorded };
    if (request.isAbandoned) await this.#abandon(uploadId, note);
    if (request.isAbandoned || sha256 !== '') {
      report({ ...begun, offset: Math.max(0, size), sha256 });
      await fill(pieces);
      report({ ...begun, offset: Math.max(0, size), isStored: sha256 !== '', sha256 });
      return;
    }
    const broker = await this.#options.workspaces.reached(workspace);
    const held = await HeldUpload.open(broker.local ?? this.#folder, uploadId);
    try {
      // What is whole may be at its path already.
      if (held.offset !== size && (await broker.stat(path)) !== undefined) throw pathTaken(path);
      if (size >= 0) await held.checkRoom(size - held.offset);
      report({ ...begun, offset: held.offset });
      const isLast = await fill(pieces, held, size);
      await held.sync();
      const isWhole = isLast && (size < 0 || held.offset === size);
      const hash = isWhole ? await held.storeAt(broker, path, uploadId, ended) : '';
      if (isWhole && expiresMs > 0) {
        await this.#notes.write(uploadId, { ...note, sha256: hash });
        await held.remove();
      }
      report({ ...begun, offset: held.offset, isStored: isWhole, sha256: hash });
    } finally {
      await held.close();
      if (expiresMs === 0) await this.#abandon(uploadId, note);
    }
  }

  /** The note of an upload that goes on, or a new one. */
  async #noteOf({
    uploadId,
    workspace,
    path,
    size,
    expiresMs,
    isRecorded,
  }: ReceiveFile): Promise<UploadNote> {
    if (path !== '') {
      const note = { path, size, expiresMs, isRecorded, workspace };
      await this.#notes.write(uploadId, note);
      return note;
    }
    const note = await this.#notes.read(uploadId);
    if (note?.workspace.uuid === workspace.uuid) return { ...note, workspace };
    throw new AppError('NOT_FOUND', 'there is no such upload; it may have expired');
  }

  async #abandon(id: string, note: UploadNote | undefined): Promise<void> {
    if (note !== undefined && note.sha256 === undefined) {
      const isBucket = this.#options.workspaces.open(note.workspace).local === undefined;
      const { local } = isBucket
        ? { local: this.#folder }
        : await this.#options.workspaces.reached(note.workspace);
      await HeldUpload.remove(local ?? this.#folder, id);
    }
    await this.#notes.remove(id);
  }
}

/** Resolves with whether the sender was done; it may also have stopped before. */
async function fill(pieces: AsyncIterable<UploadPiece>, held?: HeldUpload, size = -1): Promise<boolean> {
  for await (const { content, isLast } of pieces) {
    if (size >= 0 && (held?.offset ?? size) + content.length > size) {
      throw new AppError('INVALID_REQUEST', `there is more to the file than the ${size} bytes announced`);
    }
    await held?.write(content);
    if (isLast) return true;
  }
  return false;
}
