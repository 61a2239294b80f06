/**
 * Looks at the files directly in one directory: a few names, or all of them. Sub-directories, symbolic links
 * and hidden names are not its business. On local file systems it looks synchronously, in short pieces: a
 * look at a cached inode takes microseconds, a thread's round trip ten times that. On others a look may hang,
 * and waits in a thread.
 */
import { lstatSync, type PathLike } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { nameToBytes, needsBytes } from '../../src/domain/paths.ts';
import { type FileFacts, toFacts } from '../../src/storage/file-facts.ts';
import { isHidden, nameOf } from '../../src/storage/file-name.ts';
import { isLocalDirectory } from '../../src/storage/recent-file.ts';
import { errnoOf } from '../../src/storage/storage-errors.ts';

const SYNC_PIECE = 128;
const ASYNC_PIECE = 16;

export type Look = readonly [name: string, facts: FileFacts | undefined];

export interface DirectoryReader {
  /** Whether what arrival-proof.ts concludes holds for this file system. */
  readonly isLocal: boolean;
  /** What is there under each name; undefined facts where nothing is. */
  look(names: Iterable<string>): AsyncGenerator<readonly Look[]>;
  /** All names of regular files, in no order. */
  list(): Promise<readonly string[]>;
}

/** Throws the file call's failure when the directory is not there. */
export async function openDirectoryReader(root: string): Promise<DirectoryReader> {
  const isLocal = await isLocalDirectory(root);
  return { isLocal, look: (names) => look(root, names, isLocal), list: () => list(root) };
}

async function* look(
  root: string,
  names: Iterable<string>,
  isLocal: boolean,
): AsyncGenerator<readonly Look[]> {
  let piece: string[] = [];
  for (const name of names) {
    piece.push(name);
    if (piece.length < (isLocal ? SYNC_PIECE : ASYNC_PIECE)) continue;
    yield await lookAt(root, piece, isLocal);
    piece = [];
    if (isLocal) await new Promise((resolve) => setImmediate(resolve));
  }
  if (piece.length > 0) yield await lookAt(root, piece, isLocal);
}

async function lookAt(root: string, names: readonly string[], isLocal: boolean): Promise<readonly Look[]> {
  if (!isLocal)
    return Promise.all(names.map(async (name): Promise<Look> => [name, await factsOf(root, name)]));
  return names.map((name): Look => {
    const stat = lstatSync(pathOf(root, name), { bigint: true, throwIfNoEntry: false });
    return [name, stat === undefined ? undefined : toFacts(stat)];
  });
}

async function factsOf(root: string, name: string): Promise<FileFacts | undefined> {
  try {
    return toFacts(await lstat(pathOf(root, name), { bigint: true }));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function list(root: string): Promise<readonly string[]> {
  const names: string[] = [];
  for (const entry of await readdir(root, { withFileTypes: true, encoding: 'buffer' })) {
    if (!entry.isFile()) continue;
    const name = nameOf(entry.name);
    if (!isHidden(name)) names.push(name);
  }
  return names;
}

function pathOf(root: string, name: string): PathLike {
  return needsBytes(name) ? Buffer.concat([Buffer.from(`${root}/`), nameToBytes(name)]) : `${root}/${name}`;
}
