/**
 * The marker with the uuid of a directory's workspace, so that different directories with the same path on two hosts
 * are never confused.
 */
import { AppError } from '../domain/errors.ts';
import { errnoWords } from '../lib/errno-words.ts';
import { MARKER_NAME, temporaryName } from './file-name.ts';
import type { Folder } from './folder.ts';
import type { LocalRoot } from './local-root.ts';
import { errnoOf, translating } from './storage-errors.ts';

const MARKER_BYTES_MAX = 200;

export type Marked =
  | { readonly state: 'ours' }
  | { readonly state: 'unmarked' }
  | { readonly state: 'other'; readonly uuid: string };

/**
 * Reads the directory's marker. Throws WORKSPACE_UNAVAILABLE when it cannot be opened, FILESYSTEM_IO when it cannot be
 * read.
 */
export function readMarker(root: LocalRoot, workspaceUuid: string): Promise<Marked> {
  return root.within('', (folder) => readIn(folder, workspaceUuid));
}

/**
 * As `readMarker`, and marks an unmarked directory: once, completely and durably, also when others try at the same
 * time. `claimant` is unique to the agent; it names the temporary file.
 */
export function ensureMarker(root: LocalRoot, workspaceUuid: string, claimant: string): Promise<Marked> {
  return root.within('', async (folder) => {
    const found = await readIn(folder, workspaceUuid);
    if (found.state !== 'unmarked') return found;
    const temporary = temporaryName(`claim-${claimant}`);
    await folder.unlink(temporary);
    const handle = await folder.createNew(temporary);
    try {
      await translating('mark', MARKER_NAME, async () => {
        await handle.writeFile(`${workspaceUuid}\n`);
        await handle.sync();
      });
    } finally {
      await handle.close();
    }
    const linked = await folder.link(temporary, folder, MARKER_NAME);
    await folder.unlink(temporary);
    if (linked === 'impossible') {
      throw new AppError(
        'FILESYSTEM_IO',
        'the file system has no hard links: nothing could be stored in it',
        {},
      );
    }
    await folder.sync();
    return readIn(folder, workspaceUuid);
  });
}

async function readIn(folder: Folder, workspaceUuid: string): Promise<Marked> {
  if ((await folder.facts(MARKER_NAME)) === undefined) return { state: 'unmarked' };
  const handle = await folder.openRead(MARKER_NAME);
  try {
    const bytes = Buffer.alloc(MARKER_BYTES_MAX);
    const { bytesRead } = await translating('read', MARKER_NAME, () =>
      handle.read(bytes, 0, bytes.length, 0),
    );
    const uuid = bytes.toString('utf8', 0, bytesRead).trim();
    return uuid === workspaceUuid ? { state: 'ours' } : { state: 'other', uuid };
  } finally {
    await handle.close();
  }
}

/** Why a directory could not be used as the workspace; for `Reach`. */
export function refusalOf(error: unknown): string {
  if (error instanceof AppError) return error.message;
  const errno = errnoOf(error);
  if (errno === undefined) throw error;
  return errnoWords(errno);
}
