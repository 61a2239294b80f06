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
  /** `refusal`: why this agent cannot mark the directory; null if nothing is known that would keep it from that. */
  | { readonly state: 'unmarked'; readonly refusal: string | null }
  | { readonly state: 'other'; readonly uuid: string };

/** What helps against a failure to write the marker. */
const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: 'give the directory to the user of this agent',
  EPERM: 'give the directory to the user of this agent',
  EROFS: 'mount it writable, or name the workspace in MILLRACE_WORKSPACES of this agent',
};

/**
 * Reads the directory's marker, and writes nothing. Throws WORKSPACE_UNAVAILABLE when it cannot be opened,
 * FILESYSTEM_IO when it cannot be read.
 */
export function readMarker(root: LocalRoot, workspaceUuid: string): Promise<Marked> {
  return root.within('', (folder) => readIn(folder, workspaceUuid));
}

/** Why this agent may not mark the unmarked directory; null if nothing is known against it. Writes nothing. */
export function markRefusal(root: LocalRoot): Promise<string | null> {
  return root.within('', (folder) => refusalIn(() => folder.mayWrite()));
}

/**
 * As `readMarker`, and marks an unmarked directory: once, completely and durably, also when others try at the same
 * time. `claimant` is unique to the agent; it names the temporary file. A failure to write is the result's `refusal`,
 * because another agent may be able to.
 */
export function ensureMarker(root: LocalRoot, workspaceUuid: string, claimant: string): Promise<Marked> {
  return root.within('', async (folder) => {
    const found = await readIn(folder, workspaceUuid);
    if (found.state !== 'unmarked') return found;
    const refusal = await refusalIn(() => write(folder, workspaceUuid, claimant));
    return refusal === null ? readIn(folder, workspaceUuid) : { ...found, refusal };
  });
}

/** Why a call that writes failed; null if it did not. */
async function refusalIn(call: () => Promise<void>): Promise<string | null> {
  try {
    await call();
    return null;
  } catch (error) {
    return `it has no marker, and this agent cannot write one: ${helped(error)}`;
  }
}

/** The failure, and what helps against it. */
function helped(error: unknown): string {
  const errno = error instanceof AppError ? error.detail.errno : errnoOf(error);
  if (typeof errno !== 'string') return refusalOf(error);
  const remedy = REMEDIES[errno];
  return remedy === undefined ? errnoWords(errno) : `${errnoWords(errno)}; ${remedy}`;
}

async function write(folder: Folder, workspaceUuid: string, claimant: string): Promise<void> {
  const temporary = temporaryName(`claim-${claimant}`);
  await folder.unlink(temporary);
  const handle = await folder.createNew(temporary);
  let linked: Awaited<ReturnType<Folder['link']>>;
  try {
    await translating('mark', MARKER_NAME, async () => {
      await handle.writeFile(`${workspaceUuid}\n`);
      await handle.sync();
    });
    linked = await folder.link(temporary, folder, MARKER_NAME);
  } finally {
    await handle.close();
    await folder.unlink(temporary);
  }
  if (linked === 'impossible') {
    throw new AppError(
      'FILESYSTEM_IO',
      'the file system has no hard links: nothing could be stored in it',
      {},
    );
  }
  await folder.sync();
}

async function readIn(folder: Folder, workspaceUuid: string): Promise<Marked> {
  if ((await folder.facts(MARKER_NAME)) === undefined) return { state: 'unmarked', refusal: null };
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
