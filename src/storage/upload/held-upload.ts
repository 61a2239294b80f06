/**
 * The bytes of a file that a client sends, held under a hidden name until the file is complete. In a directory that is
 * the workspace's own root, so that the file only needs a second name then; for a bucket, a folder of the agent.
 */
import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { AppError } from '../../domain/errors.ts';
import type { Broker } from '../broker.ts';
import { contentOf } from '../content.ts';
import { digest } from '../digest.ts';
import { toFacts } from '../file-facts.ts';
import { temporaryName } from '../file-name.ts';
import type { Folder } from '../folder.ts';
import type { LocalRoot } from '../local-root.ts';
import { place } from '../place.ts';
import { translating } from '../storage-errors.ts';

export class HeldUpload {
  readonly #root: LocalRoot;
  readonly #folder: Folder;
  readonly #name: string;
  readonly #handle: FileHandle;
  /** Undefined if there are bytes of an earlier call; the hash is then computed at the end. */
  readonly #hash: Hash | undefined;
  #offset: number;

  private constructor(root: LocalRoot, folder: Folder, name: string, handle: FileHandle, offset: number) {
    this.#root = root;
    this.#folder = folder;
    this.#name = name;
    this.#handle = handle;
    this.#offset = offset;
    this.#hash = offset === 0 ? createHash('sha256') : undefined;
  }

  /** Opens the received bytes of the upload, or begins it. Existing bytes are synced. */
  static async open(root: LocalRoot, id: string): Promise<HeldUpload> {
    const folder = await root.open('');
    const name = uploadName(id);
    try {
      if ((await folder.facts(name)) === undefined) {
        await (await folder.createNew(name)).close();
        await folder.sync();
      }
      const handle = await folder.openWrite(name);
      await translating('sync', name, () => handle.sync());
      return new HeldUpload(root, folder, name, handle, (await handle.stat()).size);
    } catch (error) {
      await folder.close();
      throw error;
    }
  }

  /** Removes the received bytes, if any, of an upload that is not open. */
  static async remove(root: LocalRoot, id: string): Promise<void> {
    await root.within('', (folder) => folder.unlink(uploadName(id)));
  }

  /** Bytes that are held; synced as of the last `sync`. */
  get offset(): number {
    return this.#offset;
  }

  /** Throws NO_ROOM when the file system has less room than `bytes`. */
  async checkRoom(bytes: number): Promise<void> {
    const free = await this.#folder.freeBytes();
    if (free === undefined || bytes <= free) return;
    throw new AppError(
      'NO_ROOM',
      `${bytes} bytes are needed where the file is to be stored, and ${free} are free`,
    );
  }

  async write(bytes: Uint8Array): Promise<void> {
    let written = 0;
    while (written < bytes.length) {
      const { bytesWritten } = await translating('write', this.#name, () =>
        this.#handle.write(bytes, written, bytes.length - written, this.#offset + written),
      );
      written += bytesWritten;
    }
    this.#hash?.update(bytes);
    this.#offset += bytes.length;
  }

  async sync(): Promise<void> {
    await translating('sync', this.#name, () => this.#handle.sync());
  }

  /**
   * Stores the received bytes at `path`, and keeps them. May be repeated: a file that this upload has stored there
   * counts as stored. Throws CONFLICT if anything else is there. Resolves with the hash.
   */
  async storeAt(broker: Broker, path: string, id: string, signal: AbortSignal): Promise<string> {
    await this.sync();
    const content = {
      size: this.#offset,
      sha256: this.#hash?.digest('hex') ?? (await digest(this.#handle, { signal })).sha256,
    };
    if (broker.local === this.#root) {
      const facts = toFacts(await this.#handle.stat({ bigint: true }));
      const [folder, name] = [this.#folder, this.#name];
      const placed = await place({ folder, name, facts, content, into: this.#root, path, id, isExact: true });
      if (placed.how !== 'impossible') return content.sha256;
    }
    await broker.store(contentOf(this.#handle, this.#offset), path, { id, signal, isExact: true });
    return content.sha256;
  }

  async remove(): Promise<void> {
    await this.#folder.unlink(this.#name);
  }

  async close(): Promise<void> {
    await this.#handle.close();
    await this.#folder.close();
  }
}

function uploadName(id: string): string {
  return temporaryName(`upload-${id}`);
}
