/** The uploads that an agent holds: receiving their bytes, keeping notes of them, and removing them. */
import { AppError } from '../../domain/errors.ts';
import type { UploadReport } from '../../domain/node/agent-messages.ts';
import type { ReceiveFile, UploadPiece, WorkspaceRef } from '../../domain/node/coordinator-messages.ts';
import type { Broker } from '../broker.ts';
import { LocalRoot } from '../local-root.ts';
import { pathTaken } from '../place.ts';
import { errnoOf } from '../storage-errors.ts';
import { HeldUpload } from './held-upload.ts';
import { type UploadNote, UploadNotes } from './upload-notes.ts';

export interface HeldUploadsOptions {
  readonly workspaces: {
    open(workspace: WorkspaceRef): Broker;
    reached(workspace: WorkspaceRef): Promise<Broker>;
  };
  /** The folder for received bytes for buckets, and for the notes of all uploads. */
  readonly folder: string;
  readonly clock: { nowMs(): number };
  readonly log: { debug(message: string, fields: Record<string, unknown>): void };
  /** Most uploads that are kept at a time, stored ones included; default 100,000. */
  readonly keptMax?: number;
}

/** One stream of an upload. Fields that a report leaves out are sent as empty. */
export interface UploadChannel {
  report(report: Partial<UploadReport>): void;
  /** All bytes have come: storing begins. */
  filled(): void;
  /** Ends early if the sender stops. */
  readonly pieces: AsyncIterable<UploadPiece>;
  readonly ended: AbortSignal;
}

const KEPT_MAX = 100_000;
/** How long the state of a stored upload can still be read: a client may have missed the last answer. */
const STORED_MS = 3_600_000;
/** Storing a resumable upload is not aborted, because the next request would only repeat it. */
const NEVER = new AbortController().signal;

export class HeldUploads {
  readonly #options: HeldUploadsOptions;
  readonly #folder: LocalRoot;
  readonly #notes: UploadNotes;

  constructor(options: HeldUploadsOptions) {
    this.#options = options;
    this.#folder = new LocalRoot(options.folder);
    this.#notes = new UploadNotes(this.#folder);
  }

  /** Removes uploads that have expired, and those that cannot be resumed and whose stream an earlier run had. */
  async sweep(isTaken: (id: string) => boolean): Promise<void> {
    for (const id of await this.#notes.expired(this.#options.clock.nowMs())) {
      if (isTaken(id)) continue;
      try {
        await this.#abandon(id, await this.#notes.read(id));
      } catch (error) {
        this.#options.log.debug('upload_not_removed', { id, error });
      }
    }
  }

  /** Throws NOT_FOUND if the request continues an upload that is not there, or is another account's. */
  async check(request: ReceiveFile): Promise<void> {
    if (request.path === '') await this.#known(request);
  }

  /** Receives the bytes of the channel, and reports the result. Throws as `check` does, and NO_ROOM. */
  async take(channel: UploadChannel, request: ReceiveFile): Promise<void> {
    try {
      await this.#take(channel, request);
    } catch (error) {
      throw noRoom(error, 'where the file is to be stored');
    }
  }

  /** Throws NO_ROOM if the disk of the agent's own folder is full, which may be another than that of the file. */
  async #writeNote(id: string, note: UploadNote): Promise<void> {
    try {
      await this.#notes.write(id, note);
    } catch (error) {
      throw noRoom(error, `of ${this.#options.folder}, where the agent keeps notes of uploads,`);
    }
  }

  async #take(channel: UploadChannel, request: ReceiveFile): Promise<void> {
    const note = request.path === '' ? await this.#continued(request) : await this.#begun(request);
    if (request.isAbandoned || note.sha256 !== undefined) return this.#answer(channel, request, note);
    let isBegun = false;
    const report = (first: Partial<UploadReport>): void => {
      isBegun = true;
      channel.report(first);
    };
    try {
      await this.#fill({ ...channel, report }, request, note);
    } finally {
      const isRefused = request.path !== '' && !isBegun;
      if (note.expiresMs === 0 || isRefused) await this.#abandon(request.uploadId, note);
    }
  }

  async #fill(channel: UploadChannel, request: ReceiveFile, note: UploadNote): Promise<void> {
    const { uploadId } = request;
    const { path, size, expiresMs, isRecorded } = note;
    const begun = { path, size, expiresMs, isRecorded };
    const broker = await this.#options.workspaces.reached(request.workspace);
    const held = await HeldUpload.open(broker.local ?? this.#folder, uploadId);
    try {
      // A complete upload may be at its path already.
      if (held.offset !== size && (await broker.stat(path)) !== undefined) throw pathTaken(path);
      if (request.path !== '' && size >= 0) await held.checkRoom(size - held.offset);
      channel.report({ ...begun, offset: held.offset });
      const isLast = await fill(channel.pieces, held, size);
      await held.sync();
      if (!isLast || (size >= 0 && held.offset !== size)) {
        channel.report({ ...begun, offset: held.offset });
        return;
      }
      channel.filled();
      const sha256 = await held.storeAt(broker, path, uploadId, expiresMs > 0 ? NEVER : channel.ended);
      if (expiresMs > 0) {
        await this.#writeNote(uploadId, this.#stored(note, sha256));
        await held.remove();
      }
      channel.report({ ...begun, offset: held.offset, isStored: true, sha256 });
    } finally {
      await held.close();
    }
  }

  /** Reports on an upload that is stored already, or is abandoned. Further bytes are read and dropped. */
  async #answer({ report, pieces }: UploadChannel, request: ReceiveFile, note: UploadNote): Promise<void> {
    const { uploadId, workspace, isAbandoned, isSettled } = request;
    const { path, size, expiresMs, isRecorded, sha256 = '' } = note;
    if (!isAbandoned && !isSettled) {
      const broker = await this.#options.workspaces.reached(workspace);
      if ((await broker.stat(path)) === undefined) {
        await this.#abandon(uploadId, note);
        throw noSuchUpload();
      }
    }
    if (isAbandoned) await this.#abandon(uploadId, note);
    else if (isSettled) await this.#writeNote(uploadId, this.#stored({ ...note, isRecorded: false }, sha256));
    const state = { path, size, expiresMs, isRecorded, offset: Math.max(0, size) };
    report({ ...state, sha256 });
    await fill(pieces, undefined, isAbandoned ? -1 : size);
    report({ ...state, isStored: sha256 !== '', sha256 });
  }

  /** The note once the file is stored. While the file still has to be recorded, the upload keeps its expiry. */
  #stored(note: UploadNote, sha256: string): UploadNote {
    const soonMs = this.#options.clock.nowMs() + STORED_MS;
    return {
      ...note,
      sha256,
      expiresMs: note.isRecorded ? note.expiresMs : Math.min(note.expiresMs, soonMs),
    };
  }

  async #begun(request: ReceiveFile): Promise<UploadNote> {
    const { uploadId, workspace, path, size, expiresMs, isRecorded, accountId } = request;
    if (expiresMs > 0 && (await this.#notes.count()) >= (this.#options.keptMax ?? KEPT_MAX)) {
      throw new AppError('OVERLOADED', 'the agent keeps too many unfinished uploads: finish or remove some');
    }
    const note = { path, size, expiresMs, isRecorded, accountId, workspace };
    await this.#writeNote(uploadId, note);
    return note;
  }

  async #continued(request: ReceiveFile): Promise<UploadNote> {
    const note = await this.#known(request);
    if (request.expiresMs <= note.expiresMs || note.sha256 !== undefined) return note;
    const longer = { ...note, expiresMs: request.expiresMs };
    await this.#writeNote(request.uploadId, longer);
    return longer;
  }

  async #known({ uploadId, workspace, accountId }: ReceiveFile): Promise<UploadNote> {
    const note = await this.#notes.read(uploadId);
    const isOurs = note?.workspace.uuid === workspace.uuid && note.accountId === accountId;
    if (note === undefined || !isOurs || note.expiresMs <= this.#options.clock.nowMs()) throw noSuchUpload();
    return { ...note, workspace };
  }

  async #abandon(id: string, note: UploadNote | undefined): Promise<void> {
    if (note !== undefined) {
      const isBucket = this.#options.workspaces.open(note.workspace).local === undefined;
      const { local } = isBucket
        ? { local: this.#folder }
        : await this.#options.workspaces.reached(note.workspace);
      await HeldUpload.remove(local ?? this.#folder, id);
    }
    await this.#notes.remove(id);
  }
}

function noSuchUpload(): AppError {
  return new AppError('NOT_FOUND', 'there is no such upload; it may have expired');
}

/** NO_ROOM for an error of a full disk; other errors unchanged. */
function noRoom(error: unknown, where: string): unknown {
  if (error instanceof AppError && error.code === 'NO_ROOM') return error;
  const errno = errnoOf(error) ?? errnoOf((error as { cause?: unknown } | null)?.cause);
  if (errno !== 'ENOSPC' && errno !== 'EDQUOT') return error;
  return new AppError('NO_ROOM', `the disk ${where} is full`, {}, { cause: error });
}

/** Resolves with true if the sender has finished, with false if it stopped before. */
async function fill(pieces: AsyncIterable<UploadPiece>, held?: HeldUpload, size = -1): Promise<boolean> {
  let isChecked = false;
  for await (const { content, isLast } of pieces) {
    if (size >= 0 && (held?.offset ?? size) + content.length > size) {
      throw new AppError('TOO_LARGE', `there is more to the file than the ${size} bytes announced`);
    }
    // Only once bytes arrive, so that the state can be read on a full disk as well.
    if (!isChecked && size >= 0 && content.length > 0) await held?.checkRoom(size - held.offset);
    isChecked ||= content.length > 0;
    await held?.write(content);
    if (isLast) return true;
  }
  return false;
}
