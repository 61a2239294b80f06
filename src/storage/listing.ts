/**
 * Lists the regular files below a local root in pages, by path in the order of UTF-16 code units, so that a
 * list can go on after any path. Hidden names, symbolic links and special files are left out; other file
 * systems mounted below are entered. Holds the names of one directory of each level at a time.
 */
import { AppError } from '../domain/errors.ts';
import type { ListOptions, StoredEntry } from './broker.ts';
import { isHidden } from './file-name.ts';
import type { Folder, LocalRoot } from './local-root.ts';

const PAGE_SIZE = 1_000;
// How many files are looked at side by side: the pool of file threads has four.
const LOOKS_MAX = 32;
// limit: directories inside directories; a path of 1,000 characters has no more.
const DEPTH_MAX = 500;

/** What `Broker.list` says. A directory that vanishes while it is listed has no files. */
export async function* listFiles(
  root: LocalRoot,
  options: ListOptions,
): AsyncGenerator<readonly StoredEntry[]> {
  const pageSize = options.pageSize ?? PAGE_SIZE;
  let page: StoredEntry[] = [];
  for await (const files of filesBelow(root, '', options, 0)) {
    for (const file of files) {
      page.push(file);
      if (page.length < pageSize) continue;
      yield page;
      page = [];
    }
  }
  if (page.length > 0) yield page;
}

async function* filesBelow(
  root: LocalRoot,
  directory: string,
  options: ListOptions,
  depth: number,
): AsyncGenerator<readonly StoredEntry[]> {
  if (depth > DEPTH_MAX) throw new AppError('FILESYSTEM_IO', `'${directory}' is nested too deeply`, {});
  const names = await sortedNames(root, directory, options);
  let files: string[] = [];
  for (const name of names) {
    if (!name.endsWith('/')) {
      files.push(name);
      if (files.length < LOOKS_MAX) continue;
    }
    yield await lookAt(root, directory, files);
    files = [];
    const below = directory === '' ? name : `${directory}/${name}`;
    if (name.endsWith('/')) yield* filesBelow(root, below.slice(0, -1), options, depth + 1);
  }
  yield await lookAt(root, directory, files);
}

/**
 * Names in one directory that the options let through; directories end in `/`, which puts them where their
 * files go.
 */
async function sortedNames(root: LocalRoot, directory: string, options: ListOptions): Promise<string[]> {
  const names: string[] = [];
  const collect = async (folder: Folder): Promise<void> => {
    for await (const { name, kind } of folder.names()) {
      if (isHidden(name) || (kind !== 'file' && kind !== 'directory')) continue;
      if (kind === 'directory' && !options.recursive) continue;
      const key = kind === 'directory' ? `${name}/` : name;
      if (isWanted(folder.pathOf(key), options)) names.push(key);
    }
  };
  await unlessVanished(directory, () => root.within(directory, collect));
  return names.sort(byCodeUnits);
}

function isWanted(key: string, { prefix = '', after = '' }: ListOptions): boolean {
  const isDirectory = key.endsWith('/');
  if (!key.startsWith(prefix) && !(isDirectory && prefix.startsWith(key))) return false;
  return key > after || (isDirectory && after.startsWith(key));
}

async function lookAt(root: LocalRoot, directory: string, names: string[]): Promise<readonly StoredEntry[]> {
  if (names.length === 0) return [];
  const found: StoredEntry[] = [];
  const look = (folder: Folder) =>
    Promise.all(
      names.map(async (name) => {
        const facts = await folder.facts(name);
        return facts?.kind === 'file' ? toEntry(folder.pathOf(name), facts) : undefined;
      }),
    );
  await unlessVanished(directory, async () => {
    for (const entry of await root.within(directory, look)) if (entry !== undefined) found.push(entry);
  });
  return found;
}

/** The entry of a file with these facts. */
export function toEntry(path: string, facts: Omit<StoredEntry, 'path'>): StoredEntry {
  return { path, size: facts.size, mtimeMs: facts.mtimeMs, identity: facts.identity };
}

async function unlessVanished(directory: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    // A directory replaced by something else while we walk is as good as gone; the root is not.
    const isGone = error instanceof AppError && ['FILE_NOT_FOUND', 'PATH_NOT_ALLOWED'].includes(error.code);
    if (!isGone || directory === '') throw error;
  }
}

function byCodeUnits(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
