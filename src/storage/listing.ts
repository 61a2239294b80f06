/**
 * Lists the regular files below a local root in pages, by path in the order of UTF-16 code units, so that a list can
 * resume after any path. Leaves out hidden names, symbolic links and special files; enters other file systems mounted
 * below. Holds the names of one directory of each level at a time, within the limit of name-runs.ts.
 */
import { AppError } from '../domain/errors.ts';
import type { ListOptions, StoredEntry } from './broker.ts';
import type { FileFacts } from './file-facts.ts';
import { isHidden } from './file-name.ts';
import type { Folder } from './folder.ts';
import type { LocalRoot } from './local-root.ts';
import { NameRuns } from './name-runs.ts';

const PAGE_SIZE = 1_000;
// Files checked at the same time: Node's pool has sixteen file threads.
const LOOKS_MAX = 32;
/**
 * On local disks files are checked synchronously, one after another, which takes a tenth of the time (4 us a file
 * instead of 30; 100,000 files, 2026-11-22). When this becomes slow, the files are not in memory, and threads wait for
 * them.
 */
const QUICK_LOOKS_MAX = 256;
const QUICK_MS_MAX = 2;
// limit: nested directories. A path of 1,000 characters has no more.
const DEPTH_MAX = 500;

/** See `Broker.list`. A directory that vanishes while it is listed has no files. */
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
  let from: string | undefined;
  do {
    const { names, looksMax, entries, cutAfter } = await visit(root, directory, options, from);
    if (entries !== undefined) return yield entries;
    yield* filesOf(root, directory, options, depth, { names, looksMax });
    from = cutAfter;
  } while (from !== undefined);
}

async function* filesOf(
  root: LocalRoot,
  directory: string,
  options: ListOptions,
  depth: number,
  { names, looksMax }: Pick<Visit, 'names' | 'looksMax'>,
): AsyncGenerator<readonly StoredEntry[]> {
  let files: string[] = [];
  for (const name of names) {
    if (!name.endsWith('/')) {
      files.push(name);
      if (files.length < looksMax) continue;
    }
    yield await lookAt(root, directory, files);
    files = [];
    const below = directory === '' ? name : `${directory}/${name}`;
    if (name.endsWith('/')) yield* filesBelow(root, below.slice(0, -1), options, depth + 1);
  }
  yield await lookAt(root, directory, files);
}

interface Visit {
  /** Sorted. Directories end in `/`, which sorts them as their files are. */
  readonly names: Iterable<string>;
  /** The last of `names`, when the directory has more names after it. */
  readonly cutAfter: string | undefined;
  /** How many files may be checked at the same time. */
  readonly looksMax: number;
  /** All entries, if the directory has only files, and few: there is no need to read it again. */
  readonly entries?: readonly StoredEntry[];
}

/** The content of one directory after `from`, as far as the options allow. */
async function visit(
  root: LocalRoot,
  directory: string,
  options: ListOptions,
  from: string | undefined,
): Promise<Visit> {
  let found: Visit = { names: [], looksMax: LOOKS_MAX, cutAfter: undefined };
  await unlessVanished(directory, () =>
    root.within(directory, async (folder) => {
      const runs = await namesIn(folder, options, from);
      const { cutAfter, count } = runs;
      const isQuick = await root.isQuick(folder);
      const looksMax = isQuick ? QUICK_LOOKS_MAX : LOOKS_MAX;
      found = { names: runs.sorted(), looksMax, cutAfter };
      if (from !== undefined || count > looksMax) return;
      const names = [...runs.sorted()];
      const isLeaf = !names.some((name) => name.endsWith('/'));
      found = { ...found, names, ...(isLeaf ? { entries: await entriesOf(folder, names, isQuick) } : {}) };
    }),
  );
  return found;
}

async function namesIn(folder: Folder, options: ListOptions, from: string | undefined): Promise<NameRuns> {
  const names = new NameRuns(options.namesMax);
  for await (const { name, kind } of folder.names()) {
    if (isHidden(name) || (kind !== 'file' && kind !== 'directory')) continue;
    if (kind === 'directory' && !options.recursive) continue;
    const key = kind === 'directory' ? `${name}/` : name;
    if ((from === undefined || key > from) && isWanted(folder.pathOf(key), options)) names.add(key);
  }
  return names;
}

function isWanted(key: string, { prefix = '', after = '' }: ListOptions): boolean {
  const isDirectory = key.endsWith('/');
  if (!key.startsWith(prefix) && !(isDirectory && prefix.startsWith(key))) return false;
  return key > after || (isDirectory && after.startsWith(key));
}

async function lookAt(root: LocalRoot, directory: string, names: string[]): Promise<readonly StoredEntry[]> {
  if (names.length === 0) return [];
  let found: readonly StoredEntry[] = [];
  await unlessVanished(directory, async () => {
    found = await root.within(directory, async (folder) =>
      entriesOf(folder, names, await root.isQuick(folder)),
    );
  });
  return found;
}

/** The entries of those names that exist and are regular files. */
async function entriesOf(
  folder: Folder,
  names: readonly string[],
  isQuick: boolean,
): Promise<readonly StoredEntry[]> {
  const found: StoredEntry[] = [];
  const take = (name: string, facts: FileFacts | undefined): void => {
    if (facts?.kind === 'file') found.push(toEntry(folder.pathOf(name), facts));
  };
  let next = 0;
  if (isQuick) {
    const untilMs = performance.now() + QUICK_MS_MAX;
    for (; next < names.length && performance.now() < untilMs; next += 1) {
      const name = names[next] as string;
      take(name, folder.factsNow(name));
    }
  }
  for (; next < names.length; next += LOOKS_MAX) {
    const some = names.slice(next, next + LOOKS_MAX);
    const facts = await Promise.all(some.map((name) => folder.facts(name)));
    for (const [at, name] of some.entries()) take(name, facts[at]);
  }
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
    // A directory replaced by something else during the walk counts as gone; the root does not.
    const isGone = error instanceof AppError && ['FILE_NOT_FOUND', 'PATH_NOT_ALLOWED'].includes(error.code);
    if (!isGone || directory === '') throw error;
  }
}
