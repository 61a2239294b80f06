/** The broker of a directory on this host. The directory's marker identifies its workspace (see marker.ts). */
import type { Readable } from 'node:stream';
import { AppError } from '../domain/errors.ts';
import { NO_MARKER } from '../domain/workspace/unmarked.ts';
import type { Broker, ListOptions, Reach, Removal, Stored, StoredEntry, StoreOptions } from './broker.ts';
import type { ByteRange, Content } from './content.ts';
import { isSameIdentity } from './file-facts.ts';
import { MARKER_NAME, temporaryName } from './file-name.ts';
import type { BeforeStep, Folder } from './folder.ts';
import { listFiles, toEntry } from './listing/listing.ts';
import { checkedPath, LocalRoot } from './local-root.ts';
import { ensureMarker, markRefusal, readMarker, refusalOf } from './marker.ts';
import { notLinkable, place } from './place.ts';
import { copyToTemporary } from './temporary-copy.ts';

export interface HostBrokerOptions {
  readonly workspaceUuid: string;
  /** Absolute path of the workspace's directory on this host. */
  readonly root: string;
  /** Unique to this agent; part of the name of its temporary file while it claims a directory. */
  readonly agentId: string;
  /** The agent's configuration declares the directory to be the workspace, with or without a marker. */
  readonly isDeclared?: boolean;
  /** The name of another workspace of this installation. */
  readonly nameOf?: (workspaceUuid: string) => string | undefined;
  readonly beforeStep?: BeforeStep;
  /** Default `host`. */
  readonly kind?: 'host' | 'nfs';
  /** Runs before anything below the root is touched; throws WORKSPACE_UNAVAILABLE when the root is not there. */
  readonly ready?: () => Promise<void>;
}

const REACHED: Reach = { isReachable: true, isUnmarked: false, reason: '' };

export function createHostBroker(options: HostBrokerOptions): Broker {
  const local = new LocalRoot(options.root, options.beforeStep, options.ready);
  return {
    kind: options.kind ?? 'host',
    local,
    check: ({ claim = false } = {}) => check(local, options, claim),
    list: (listOptions: ListOptions) => listFiles(local, listOptions),
    stat: (path) => stat(local, path),
    openRead: (path, range) => openRead(local, path, range),
    // Files of a directory are opened below it and copied.
    mountedFile: async () => undefined,
    store: (content, path, storeOptions) => store(local, content, path, storeOptions),
    // A directory keeps no ids with its files.
    storedBy: async () => undefined,
    abandon: (path, id) => abandon(local, path, id),
    proofAt: (path) => proofAt(local, path),
    withdraw: async (path, proof) => {
      await unlessMissing(() => remove(local, path, proof), 'absent');
    },
    remove: (path, identity) => remove(local, path, identity),
  };
}

async function check(local: LocalRoot, options: HostBrokerOptions, claim: boolean): Promise<Reach> {
  try {
    const { workspaceUuid, agentId } = options;
    const marked = await (claim
      ? ensureMarker(local, workspaceUuid, agentId)
      : readMarker(local, workspaceUuid));
    if (marked.state === 'ours') return REACHED;
    if (marked.state === 'other')
      return { ...REACHED, isReachable: false, reason: otherOwner(marked.uuid, options.nameOf) };
    if (options.isDeclared === true) return REACHED;
    const refusal = marked.refusal ?? (await markRefusal(local));
    return { isReachable: false, isUnmarked: true, reason: refusal ?? NO_MARKER };
  } catch (error) {
    return { isReachable: false, isUnmarked: false, reason: refusalOf(error) };
  }
}

function otherOwner(uuid: string, nameOf: HostBrokerOptions['nameOf']): string {
  const name = nameOf?.(uuid);
  if (name !== undefined) return `the directory belongs to the workspace '${name}': use that one`;
  const whose = `the directory is marked as workspace ${uuid}, perhaps of another installation`;
  return `${whose}: if that one no longer uses it, remove its ${MARKER_NAME}`;
}

async function stat(local: LocalRoot, path: string): Promise<StoredEntry | undefined> {
  const checked = checkedPath(path);
  const look = () => local.beside(checked, (folder, name) => folder.facts(name));
  const facts = await unlessMissing(look, undefined);
  return facts?.kind === 'file' ? toEntry(checked, facts) : undefined;
}

/** The identity of anything that is at the path. */
async function proofAt(local: LocalRoot, path: string): Promise<string> {
  const look = () => local.beside(path, (folder, name) => folder.facts(name));
  return (await unlessMissing(look, undefined))?.identity ?? '';
}

/** `otherwise`: the result if a directory of the path is missing. */
async function unlessMissing<T>(look: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof AppError && error.code === 'FILE_NOT_FOUND') return otherwise;
    throw error;
  }
}

/** The stream closes the file. */
function openRead(local: LocalRoot, path: string, range: ByteRange = { offset: 0 }): Promise<Readable> {
  return local.beside(path, async (folder, name) => {
    const handle = await folder.openRead(name);
    const start = range.offset;
    // An empty range has no last byte, so it is read as a range past the file's end.
    if (range.length === 0) return handle.createReadStream({ start: Number.MAX_SAFE_INTEGER - 1 });
    return handle.createReadStream(
      range.length === undefined ? { start } : { start, end: start + range.length - 1 },
    );
  });
}

async function store(
  local: LocalRoot,
  content: Content,
  path: string,
  options: StoreOptions,
): Promise<Stored> {
  const keep = async (folder: Folder): Promise<Stored> => {
    const name = temporaryName(options.id);
    const { content: digest, facts } = await copyToTemporary(content, folder, name, options);
    try {
      const { id, isExact, reserve } = options;
      const proof = facts.identity;
      const keptProof = await reserve?.({ proof, ...digest });
      if (keptProof !== undefined) {
        const kept = await stat(local, path);
        const mtimeMs = kept?.mtimeMs ?? facts.mtimeMs;
        return { path: checkedPath(path), ...digest, mtimeMs, isDuplicate: false, proof: keptProof };
      }
      const placed = await place({ folder, name, facts, content: digest, into: local, path, id, isExact });
      if (placed.how === 'impossible') throw notLinkable(path);
      const isDuplicate = placed.how === 'identical';
      const kept = isDuplicate ? await stat(local, placed.path) : undefined;
      const mtimeMs = kept?.mtimeMs ?? facts.mtimeMs;
      return { path: placed.path, ...digest, mtimeMs, isDuplicate, ...(reserve && { proof }) };
    } finally {
      await folder.unlink(name);
    }
  };
  return local.beside(path, keep, true);
}

/** Removes the temporary file, unless it has a second name: then it is a stored file. */
async function abandon(local: LocalRoot, path: string, id: string | number): Promise<void> {
  const name = temporaryName(id);
  const clear = async (folder: Folder): Promise<void> => {
    const facts = await folder.facts(name);
    if (facts !== undefined && facts.linkCount < 2) await folder.unlink(name);
  };
  await unlessMissing(() => local.beside(path, clear), undefined);
}

function remove(local: LocalRoot, path: string, identity?: string): Promise<Removal> {
  return local.beside(path, async (folder, name) => {
    const facts = await folder.facts(name);
    if (facts === undefined) return 'absent';
    if (facts.kind !== 'file') throw notRegular(path);
    if (identity !== undefined && !isSameIdentity(facts.identity, identity)) return 'absent';
    const isRemoved = await folder.unlink(name);
    await folder.sync();
    return isRemoved ? 'removed' : 'absent';
  });
}

function notRegular(path: string): AppError {
  return new AppError('PATH_NOT_ALLOWED', `'${path}' is not a regular file`, { path });
}
