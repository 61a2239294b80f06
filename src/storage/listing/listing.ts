/**
 * Lists the regular files below a local root in pages, by path in the order of UTF-16 code units, so that a list can
 * resume after any path. Leaves out hidden names, symbolic links and special files; enters other file systems mounted
 * below. Holds the names of one directory of each level at a time, within the limit of name-runs.ts.
 */
import { AppError } from '../../domain/errors.ts';
import type { ListOptions, StoredEntry } from '../broker.ts';
import type { FileFacts } from '../file-facts.ts';
import { isHidden } from '../file-name.ts';
import type { Folder } from '../folder.ts';
import type { LocalRoot } from '../local-root.ts';
import { QuickFolder } from '../quick-folder.ts';
import { NameRuns } from './name-runs.ts';
import { Pace } from './pace.ts';

const PAGE_SIZE = 1_000;
// Files checked at the same time: Node's pool has sixteen file threads.
const LOOKS_MAX = 32;
/** Files of a directory that are checked synchronously at once, if that is quick. */
const QUICK_LOOKS_MAX = 256;
// limit: nested directories. A path of 1,000 characters has no more.
const DEPTH_MAX = 500;

/** See `Broker.list`. A directory that vanishes while it is listed has no files. */
export async function* listFiles(
  root: LocalRoot,
  options: ListOptions,
): AsyncGenerator<readonly StoredEntry[]> {
  const pageSize = options.pageSize ?? PAGE_SIZE;
  let page: StoredEntry[] = [];
  for await (const files of filesBelow({ root, options, pace: new Pace() }, '', 0)) {
    for (const file of files) {
      page.push(file);
      if (page.length < pageSize) continue;
      yield page;
      page = [];
    }
  }
  if (page.length > 0) yield page;
}

interface Walk {
  readonly root: LocalRoot;
  readonly options: ListOptions;
  readonly pace: Pace;
}

async function* filesBelow(
  walk: Walk,
  directory: string,
  depth: number,
): AsyncGenerator<readonly StoredEntry[]> {
  if (depth > DEPTH_MAX) throw new AppError('FILESYSTEM_IO', `'${directory}' is nested too deeply`, {});
  let from: string | undefined;
  do {
    const { names, entries, cutAfter } = await visit(walk, directory, from);
    if (entries !== undefined) return yield entries;
    yield* filesOf(walk, directory, depth, names);
    from = cutAfter;
  } while (from !== undefined);
}

async function* filesOf(
  walk: Walk,
  directory: string,
  depth: number,
  names: Iterable<string>,
): AsyncGenerator<readonly StoredEntry[]> {
  let files: string[] = [];
  for (const name of names) {
    if (!name.endsWith('/')) {
      files.push(name);
      if (files.length < QUICK_LOOKS_MAX) continue;
    }
    yield await lookAt(walk, directory, files);
    files = [];
    const below = directory === '' ? name : `${directory}/${name}`;
    if (name.endsWith('/')) yield* filesBelow(walk, below.slice(0, -1), depth + 1);
  }
  yield await lookAt(walk, directory, files);
}

interface Visit {
  /** Sorted. Directories end in `/`, which sorts them where the paths of their files belong. */
  readonly names: Iterable<string>;
  /** The last of `names`, when the directory has more names after it. */
  readonly cutAfter: string | undefined;
  /** All entries, if the directory has only files, and few: there is no need to open it again. */
  readonly entries?: readonly StoredEntry[];
}

/** The content of one directory after `from`, as far as the options allow. */
async function visit(walk: Walk, directory: string, from: string | undefined): Promise<Visit> {
  let found: Visit = { names: [], cutAfter: undefined };
  await inDirectory(walk, directory, async (opened) => {
    const { runs, file } = await namesIn(walk, directory, opened, from);
    const { cutAfter, count } = runs;
    // Files that nobody may look at are a failure, also of a list that does not look at them.
    if (isPathsOnly(walk) && file !== undefined) await entriesOf(walk, directory, opened, [file]);
    found = { names: runs.sorted(), cutAfter };
    if (from !== undefined || count > QUICK_LOOKS_MAX) return;
    const names = [...runs.sorted()];
    found = { ...found, names };
    if (names.some((name) => name.endsWith('/'))) return;
    const entries = await (isPathsOnly(walk)
      ? pathsOf(directory, names)
      : entriesOf(walk, directory, opened, names));
    found = { ...found, entries };
  });
  return found;
}

async function lookAt(walk: Walk, directory: string, names: string[]): Promise<readonly StoredEntry[]> {
  if (names.length === 0) return [];
  if (isPathsOnly(walk)) return pathsOf(directory, names);
  let found: readonly StoredEntry[] = [];
  await inDirectory(walk, directory, async (opened) => {
    found = await entriesOf(walk, directory, opened, names);
  });
  return found;
}

function isPathsOnly({ options }: Walk): boolean {
  return options.pathsOnly === true;
}

/** Entries of files that are not looked at. */
function pathsOf(directory: string, names: readonly string[]): readonly StoredEntry[] {
  const above = aboveOf(directory);
  return names.map((name) => ({ path: `${above}${name}`, size: 0, mtimeMs: 0, identity: '' }));
}

/** What precedes the names of a directory in paths. */
function aboveOf(directory: string): string {
  return directory === '' ? '' : `${directory}/`;
}

/** A directory that vanishes meanwhile counts as empty, unless it is the root. */
async function inDirectory(
  { root, pace }: Walk,
  directory: string,
  work: (opened: Folder | QuickFolder) => Promise<void>,
): Promise<void> {
  await unlessVanished(directory, async () => {
    const quick = pace.isQuick ? await root.openQuick(directory) : undefined;
    if (quick === undefined) return root.within(directory, work);
    try {
      await work(quick);
    } finally {
      quick.close();
    }
  });
}

interface FoundNames {
  readonly runs: NameRuns;
  /** One of the files, if there are any. */
  readonly file: string | undefined;
}

async function namesIn(
  { options, pace }: Walk,
  directory: string,
  opened: Folder | QuickFolder,
  from: string | undefined,
): Promise<FoundNames> {
  const runs = new NameRuns(options.namesMax);
  const above = aboveOf(directory);
  let file: string | undefined;
  const take = (name: string, kind: FileFacts['kind'] | undefined): void => {
    if (isHidden(name) || (kind !== 'file' && kind !== 'directory')) return;
    if (kind === 'directory' && !options.recursive) return;
    const key = kind === 'directory' ? `${name}/` : name;
    if ((from === undefined || key > from) && isWanted(`${above}${key}`, options)) {
      runs.add(key);
      if (kind === 'file') file ??= name;
    }
  };
  if (opened instanceof QuickFolder) {
    for (const { name, kind } of opened.names()) {
      take(name, kind);
      if (pace.isTurnOver()) await pace.nextTurn();
    }
  } else for await (const { name, kind } of opened.names()) take(name, kind);
  return { runs, file };
}

function isWanted(key: string, { prefix = '', after = '' }: ListOptions): boolean {
  const isDirectory = key.endsWith('/');
  if (!key.startsWith(prefix) && !(isDirectory && prefix.startsWith(key))) return false;
  return key > after || (isDirectory && after.startsWith(key));
}

/** The entries of those names that exist and are regular files. */
async function entriesOf(
  { root, pace }: Walk,
  directory: string,
  opened: Folder | QuickFolder,
  names: readonly string[],
): Promise<readonly StoredEntry[]> {
  const found: StoredEntry[] = [];
  const above = aboveOf(directory);
  let next = 0;
  if (!(opened instanceof QuickFolder)) {
    await lookInThreads(opened, names, pace, found);
    return found;
  }
  while (next < names.length && pace.isQuick) {
    const [first, sinceMs] = [next, performance.now()];
    let isTurnOver = false;
    for (; next < names.length && !isTurnOver; next += 1) {
      const name = names[next] as string;
      const entry = opened.entry(name);
      if (entry !== undefined) found.push(toEntry(`${above}${name}`, entry));
      isTurnOver = pace.isTurnOver();
    }
    pace.looked(next - first, sinceMs);
    if (isTurnOver) await pace.nextTurn();
  }
  const left = names.slice(next);
  if (left.length > 0) await root.within(directory, (folder) => lookInThreads(folder, left, pace, found));
  return found;
}

async function lookInThreads(
  folder: Folder,
  names: readonly string[],
  pace: Pace,
  found: StoredEntry[],
): Promise<void> {
  for (let next = 0; next < names.length; next += LOOKS_MAX) {
    const some = names.slice(next, next + LOOKS_MAX);
    const facts = await Promise.all(some.map((name) => folder.facts(name)));
    for (const [at, name] of some.entries()) {
      const file = facts[at];
      if (file?.kind === 'file') found.push(toEntry(folder.pathOf(name), file));
    }
    pace.lookedInThreads(some.length);
  }
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
