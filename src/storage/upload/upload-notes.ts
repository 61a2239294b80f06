/**
 * The agent's notes of the uploads that it holds, one small file each in a folder of the agent. A note is written
 * before the first byte is held and removed after the last one, so that every held byte has a note, whenever the agent
 * is killed.
 */
import type { WorkspaceRef } from '../../domain/node/coordinator-messages.ts';
import { withoutCredentials } from '../../domain/workspace/withheld-credentials.ts';
import type { LocalRoot } from '../local-root.ts';

export interface UploadNote {
  readonly path: string;
  /** -1: not known before its end. */
  readonly size: number;
  /** 0: it is not kept when its stream ends. */
  readonly expiresMs: number;
  /** The file still has to be recorded. */
  readonly isRecorded: boolean;
  /** 0: it belongs to no account. */
  readonly accountId: number;
  /** On the disk without credentials. */
  readonly workspace: WorkspaceRef;
  /** The hash, once the file is stored; the received bytes are then removed. */
  readonly sha256?: string;
}

const BYTES_MAX = 65_536;
const SUFFIX = '.note';
/** The ending of a note that is being written. Held bytes of uploads into buckets also end so, behind a dot. */
const FRESH = /^[^.].*\.tmp$/;

export class UploadNotes {
  readonly #root: LocalRoot;
  /** The times at which they expire, once the folder was read, so that only expired notes are read for removal. */
  #expiries: Promise<Map<string, number>> | undefined;

  constructor(root: LocalRoot) {
    this.#root = root;
  }

  /** Undefined if there is none; one that was not finished when the agent was killed counts as none. */
  read(id: string): Promise<UploadNote | undefined> {
    return this.#root.within('', async (folder) => {
      if ((await folder.facts(id + SUFFIX)) === undefined) return undefined;
      const bytes = await folder.readUpTo(id + SUFFIX, BYTES_MAX);
      try {
        return JSON.parse(Buffer.from(bytes ?? []).toString()) as UploadNote;
      } catch {
        return undefined;
      }
    });
  }

  /** Durable when it resolves. Replaces an earlier note. */
  async write(id: string, note: UploadNote): Promise<void> {
    const expiries = await this.#known();
    await this.#root.within('', async (folder) => {
      const fresh = `${id}.tmp`;
      await folder.unlink(fresh);
      try {
        const handle = await folder.createNew(fresh, 0o600);
        try {
          await handle.writeFile(JSON.stringify({ ...note, workspace: withoutCredentials(note.workspace) }));
          await handle.sync();
        } finally {
          await handle.close();
        }
        await folder.renameToOwn(fresh, id + SUFFIX);
      } catch (error) {
        await folder.unlink(fresh); // on a full disk each refused upload would leave one
        throw error;
      }
      await folder.sync();
    });
    expiries.set(id, note.expiresMs);
  }

  async remove(id: string): Promise<void> {
    const expiries = await this.#known();
    await this.#root.within('', (folder) => folder.unlink(id + SUFFIX));
    expiries.delete(id);
  }

  async count(): Promise<number> {
    return (await this.#known()).size;
  }

  /** The ids of the notes that have expired, in no order. */
  async expired(nowMs: number): Promise<readonly string[]> {
    const expiries = await this.#known();
    return [...expiries].filter(([, expiresMs]) => expiresMs <= nowMs).map(([id]) => id);
  }

  #known(): Promise<Map<string, number>> {
    this.#expiries ??= this.#readAll().catch((error: unknown) => {
      this.#expiries = undefined;
      throw error;
    });
    return this.#expiries;
  }

  async #readAll(): Promise<Map<string, number>> {
    const ids = await this.#root.within('', async (folder) => {
      const found: string[] = [];
      for await (const { name } of folder.names()) {
        if (name.endsWith(SUFFIX)) found.push(name.slice(0, -SUFFIX.length));
        // An agent that was killed left it, or an earlier version on a full disk.
        else if (FRESH.test(name)) await folder.unlink(name);
      }
      return found;
    });
    const expiries = new Map<string, number>();
    for (const id of ids) expiries.set(id, (await this.read(id))?.expiresMs ?? 0);
    return expiries;
  }
}
