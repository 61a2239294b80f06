/**
 * What an agent knows of the uploads that it holds: one small file each, in a folder of the agent. It is written before
 * the first byte is held and removed after the last, so that nothing is held which no note names, whenever the agent is
 * killed.
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
  readonly isRecorded: boolean;
  /** On the disk without credentials. */
  readonly workspace: WorkspaceRef;
  /** The hash, once the file is stored: nothing is held any more. */
  readonly sha256?: string;
}

const BYTES_MAX = 65_536;
const SUFFIX = '.note';

export class UploadNotes {
  readonly #root: LocalRoot;

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
  write(id: string, note: UploadNote): Promise<void> {
    return this.#root.within('', async (folder) => {
      const fresh = `${id}.tmp`;
      await folder.unlink(fresh);
      const handle = await folder.createNew(fresh, 0o600);
      try {
        await handle.writeFile(JSON.stringify({ ...note, workspace: withoutCredentials(note.workspace) }));
        await handle.sync();
      } finally {
        await handle.close();
      }
      await folder.renameToOwn(fresh, id + SUFFIX);
      await folder.sync();
    });
  }

  remove(id: string): Promise<boolean> {
    return this.#root.within('', (folder) => folder.unlink(id + SUFFIX));
  }

  /** The ids of all notes, in no order. */
  all(): Promise<readonly string[]> {
    return this.#root.within('', async (folder) => {
      const ids: string[] = [];
      for await (const { name } of folder.names()) {
        if (name.endsWith(SUFFIX)) ids.push(name.slice(0, -SUFFIX.length));
      }
      return ids;
    });
  }
}
