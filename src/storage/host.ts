/** The broker of a directory on this host; the directory says whose it is by its marker (see marker.ts). */
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { AppError } from '../domain/errors.ts';
import { needsBytes } from '../domain/paths.ts';
import type { Broker, ByteRange, ListOptions, Reach, Stored, StoredEntry, StoreOptions } from './broker.ts';
import { temporaryName } from './file-name.ts';
import { listFiles, toEntry } from './listing.ts';
import { checkedPath, type Folder, LocalRoot, type StepGate } from './local-root.ts';
import { ensureMarker, readMarker, refusalOf } from './marker.ts';
import { place } from './place.ts';
import { translating } from './storage-errors.ts';
import { copyToTemporary } from './temporary-copy.ts';

export interface HostBrokerOptions {
  readonly workspaceUuid: string;
  /** Absolute path of the workspace's directory on this host. */
  readonly root: string;
  /** Unique to this agent: names its temporary file while it claims a directory. */
  readonly agentId: string;
  /** The agent's configuration says that the directory is the workspace, marker or not. */
  readonly isDeclared?: boolean;
  readonly gate?: StepGate;
}

const REACHED: Reach = { isReachable: true, isUnmarked: false, reason: '' };

export function createHostBroker(options: HostBrokerOptions): Broker {
  const local = new LocalRoot(options.root, options.gate);
  return {
    kind: 'host',
    local,
    check: ({ claim = false } = {}) => check(local, options, claim),
    list: (listOptions: ListOptions) => listFiles(local, listOptions),
    stat: (path) => stat(local, path),
    openRead: (path, range) => openRead(local, path, range),
    localPath: (path) => localPath(local, path),
    store: (localFile, path, storeOptions) => store(local, localFile, path, storeOptions),
    remove: (path) => remove(local, path),
  };
}

async function check(local: LocalRoot, options: HostBrokerOptions, claim: boolean): Promise<Reach> {
  try {
    const { workspaceUuid, agentId } = options;
    const marked = await (claim
      ? ensureMarker(local, workspaceUuid, agentId)
      : readMarker(local, workspaceUuid));
    if (marked.state === 'ours') return REACHED;
    if (marked.state === 'other') {
      return {
        ...REACHED,
        isReachable: false,
        reason: `the directory is marked as workspace ${marked.uuid}`,
      };
    }
    if (options.isDeclared === true) return REACHED;
    return { isReachable: false, isUnmarked: true, reason: 'the directory carries no marker' };
  } catch (error) {
    return { isReachable: false, isUnmarked: false, reason: refusalOf(error) };
  }
}

async function stat(local: LocalRoot, path: string): Promise<StoredEntry | undefined> {
  try {
    const checked = checkedPath(path);
    const facts = await local.beside(checked, (folder, name) => folder.facts(name));
    return facts?.kind === 'file' ? toEntry(checked, facts) : undefined;
  } catch (error) {
    if (error instanceof AppError && error.code === 'FILE_NOT_FOUND') return undefined;
    throw error;
  }
}

/** The stream closes the file. */
function openRead(local: LocalRoot, path: string, range: ByteRange = { offset: 0 }): Promise<Readable> {
  return local.beside(path, async (folder, name) => {
    const handle = await folder.openRead(name);
    const start = range.offset;
    // An empty range has no last byte, so it is read as one that begins and ends past the file's end.
    if (range.length === 0) return handle.createReadStream({ start: Number.MAX_SAFE_INTEGER - 1 });
    return handle.createReadStream(
      range.length === undefined ? { start } : { start, end: start + range.length - 1 },
    );
  });
}

/**
 * The path is checked at this moment only: whoever hands it to a program that runs for long mounts it
 * read-only. A name that is no valid UTF-8 has no path as a text, and must be fetched.
 */
function localPath(local: LocalRoot, path: string): Promise<string | undefined> {
  return local.beside(path, async (folder, name) => {
    const facts = await folder.facts(name);
    if (facts === undefined) throw new AppError('FILE_NOT_FOUND', `no file '${path}'`, { path });
    if (facts.kind !== 'file') throw notRegular(path);
    if (needsBytes(folder.pathOf(name))) return undefined;
    const directory = await translating('resolve', folder.path, () => realpath(folder.at('.')));
    return `${directory}/${name}`;
  });
}

/** The local file is the caller's own and is not followed if it is a symbolic link. */
async function store(
  local: LocalRoot,
  localFile: string,
  path: string,
  options: StoreOptions,
): Promise<Stored> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const from = await translating('read', localFile, () => open(localFile, flags));
  try {
    if (!(await from.stat()).isFile()) {
      throw notRegular(localFile);
    }
    const keep = async (folder: Folder): Promise<Stored> => {
      const name = temporaryName(options.id);
      const { content, facts } = await copyToTemporary(from, folder, name, options);
      try {
        const placed = await place({ folder, name, facts, content, into: local, path, id: options.id });
        if (placed.how === 'impossible')
          throw new AppError('FILESYSTEM_IO', 'the file system has no hard links', {});
        const isDuplicate = placed.how === 'identical';
        const kept = isDuplicate ? await stat(local, placed.path) : undefined;
        return { path: placed.path, ...content, mtimeMs: kept?.mtimeMs ?? facts.mtimeMs, isDuplicate };
      } finally {
        await folder.unlink(name);
      }
    };
    return await local.beside(path, keep, true);
  } finally {
    await from.close();
  }
}

function remove(local: LocalRoot, path: string): Promise<boolean> {
  return local.beside(path, async (folder, name) => {
    const facts = await folder.facts(name);
    if (facts === undefined) return false;
    if (facts.kind !== 'file') throw notRegular(path);
    const isRemoved = await folder.unlink(name);
    await folder.sync();
    return isRemoved;
  });
}

function notRegular(path: string): AppError {
  return new AppError('PATH_NOT_ALLOWED', `'${path}' is not a regular file`, { path });
}
