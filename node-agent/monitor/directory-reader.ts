/**
 * Reads the facts of files directly in one directory: some names, or all of them. Sub-directories, symbolic links and
 * hidden names are ignored. On local file systems it reads synchronously, in short pieces: a cached inode takes
 * microseconds, a thread's round trip ten times that. On others a read may hang, and runs in a thread.
 */
import type { FileFacts } from '../../src/storage/file-facts.ts';
import { isHidden } from '../../src/storage/file-name.ts';
import { LocalRoot } from '../../src/storage/local-root.ts';
import type { NamedKind } from '../../src/storage/quick-folder.ts';
import { isLocalDirectory } from '../../src/storage/recent-file.ts';

const SYNC_PIECE = 128;
const ASYNC_PIECE = 16;
/** Names that a listing brings at a time. */
const NAMES_PIECE = 1_024;

export type Look = readonly [name: string, facts: FileFacts | undefined];

export interface DirectoryReader {
  /** Whether the conclusions of arrival-proof.ts are valid for this file system. */
  readonly isLocal: boolean;
  /** The facts under each name; undefined if there is no file. */
  look(names: Iterable<string>): AsyncGenerator<readonly Look[]>;
  /** All names of regular files, in no order, some at a time. `return` closes the directory. */
  list(): AsyncGenerator<readonly string[]>;
}

/** Throws the file call's failure if the directory does not exist; the reader's methods throw AppErrors. */
export async function openDirectoryReader(path: string): Promise<DirectoryReader> {
  const isLocal = await isLocalDirectory(path);
  const root = new LocalRoot(path);
  return { isLocal, look: (names) => look(root, names, isLocal), list: () => list(root) };
}

async function* look(
  root: LocalRoot,
  names: Iterable<string>,
  isLocal: boolean,
): AsyncGenerator<readonly Look[]> {
  let piece: string[] = [];
  for (const name of names) {
    piece.push(name);
    if (piece.length < (isLocal ? SYNC_PIECE : ASYNC_PIECE)) continue;
    yield await lookAt(root, piece);
    piece = [];
    if (isLocal) await new Promise((resolve) => setImmediate(resolve));
  }
  if (piece.length > 0) yield await lookAt(root, piece);
}

async function lookAt(root: LocalRoot, names: readonly string[]): Promise<readonly Look[]> {
  const quick = await root.openQuick('');
  if (quick === undefined) {
    return root.within('', (folder) =>
      Promise.all(names.map(async (name): Promise<Look> => [name, await folder.facts(name)])),
    );
  }
  try {
    return names.map((name): Look => [name, quick.facts(name)]);
  } finally {
    quick.close();
  }
}

async function* list(root: LocalRoot): AsyncGenerator<readonly string[]> {
  const quick = await root.openQuick('');
  if (quick !== undefined) {
    try {
      return yield* pieces(quick.names());
    } finally {
      quick.close();
    }
  }
  const folder = await root.open('');
  let piece: string[] = [];
  try {
    for await (const { name, kind } of folder.names()) {
      if (kind === 'file' && !isHidden(name)) piece.push(name);
      if (piece.length < NAMES_PIECE) continue;
      yield piece;
      piece = [];
    }
    yield piece;
  } finally {
    await folder.close();
  }
}

/** Synchronous: what is yielded at a time takes a millisecond. */
function* pieces(names: Iterable<NamedKind>): Generator<readonly string[]> {
  let piece: string[] = [];
  for (const { name, kind } of names) {
    if (kind === 'file' && !isHidden(name)) piece.push(name);
    if (piece.length < NAMES_PIECE) continue;
    yield piece;
    piece = [];
  }
  yield piece;
}
