/**
 * Ingests one file: hashes it in place, or moves it so that a crash at any point loses nothing and duplicates nothing
 * when the same ingest is performed again.
 *
 * The order of a move: the content gets its final name (by a link, or copied to a temporary name, synced and linked),
 * the directory is synced, the result recorded, the source removed, the temporary name removed. Until the result is
 * recorded the source exists. Until the source is removed, the final name shares its inode with the source or with the
 * temporary file, which is named by the ingest's id. A repeat recognizes its own work by this.
 */
import type { FileHandle } from 'node:fs/promises';
import { AppError } from '../../src/domain/errors.ts';
import type { Broker } from '../../src/storage/broker.ts';
import { type Digest, digest } from '../../src/storage/digest.ts';
import { type FileFacts, isSameIdentity, toFacts } from '../../src/storage/file-facts.ts';
import { temporaryName } from '../../src/storage/file-name.ts';
import type { Folder } from '../../src/storage/folder.ts';
import type { LocalRoot } from '../../src/storage/local-root.ts';
import { notLinkable, type Placed, place } from '../../src/storage/place.ts';
import { translating } from '../../src/storage/storage-errors.ts';
import { copyToTemporary } from '../../src/storage/temporary-copy.ts';
import { carryFile } from './carry-file.ts';
import { type FilePlace, type IngestItem, type IngestResult, idsOf, staysInPlace } from './ingest-item.ts';
import {
  findLeft,
  findMoved,
  isExpected,
  removeTemporary,
  spentLocally,
  unlessAbsent,
  unlessMoved,
} from './recover.ts';
import { retireSource } from './retire-source.ts';

export interface IngestPorts {
  /** The broker of a workspace that this agent reaches at present; otherwise throws WORKSPACE_UNAVAILABLE. */
  reached(workspaceUuid: string): Promise<Broker>;
  /** Resolves when the result is durable. Only then is a source removed. Called once for each run. */
  recordResult(result: IngestResult): Promise<void>;
  /** Bytes read so far. Called often: the receiver reduces the frequency. */
  onProgress?(ingestId: number, bytesTransferred: number): void;
  /** The wall clock, ms. */
  nowMs(): number;
}

/**
 * Performs one ingest and returns the recorded result. Rejects only if the result could not be recorded, or leftovers
 * could not be removed. Then the caller performs it again, or calls `finishIngest` if the result is known.
 */
export async function performIngest(
  item: IngestItem,
  ports: IngestPorts,
  signal?: AbortSignal,
): Promise<IngestResult> {
  const result = await attempt(item, ports, signal);
  await ports.recordResult(result);
  await finishIngest(item, result, ports);
  return result;
}

/** Removes what is no longer needed once the result is recorded. May be repeated; does nothing if all is done. */
export async function finishIngest(
  item: IngestItem,
  result: IngestResult,
  ports: IngestPorts,
): Promise<void> {
  const { target } = item;
  if (target === null) return;
  if (result.outcome !== 'stored') {
    // An ingest that could not begin has left nothing, and a failing disk should be reported in its result.
    await removeUnfinished(item, target, result, ports).catch((error) => {
      if (!(error instanceof AppError)) throw error;
    });
    return;
  }
  if (result.spentIdentity !== '')
    await retire(item, result.spentIdentity, await ports.reached(item.source.workspace));
  const { local } = await ports.reached(target.workspace);
  if (local !== undefined) await removeTemporary(item, target, local, true);
}

async function removeUnfinished(
  item: IngestItem,
  target: FilePlace,
  { outcome }: IngestResult,
  ports: IngestPorts,
): Promise<void> {
  const into = await ports.reached(target.workspace);
  if (into.local !== undefined) await removeTemporary(item, target, into.local, false);
  // A failed run removes its own files; a run elsewhere may have begun already.
  else if (outcome !== 'failed') await into.abandon(target.path, item.ingestId);
}

async function retire(item: IngestItem, spentIdentity: string, source: Broker): Promise<void> {
  const { local } = source;
  const { path } = item.source;
  if (local === undefined) {
    await source.remove(path, spentIdentity);
    return;
  }
  await unlessAbsent(() =>
    local.beside(path, (folder, name) => retireSource(folder, name, spentIdentity, item.ingestId)),
  );
}

async function attempt(item: IngestItem, ports: IngestPorts, signal?: AbortSignal): Promise<IngestResult> {
  try {
    signal?.throwIfAborted();
    const result = await ingestFound(item, ports, signal);
    // A directory that was unmounted meanwhile is empty, so a missing file does not count.
    if (result.outcome === 'gone') await brokersOf(item, ports);
    return result;
  } catch (error) {
    if (signal?.aborted === true) return { ...idsOf(item), outcome: 'canceled' };
    if (!(error instanceof AppError)) throw error;
    const isOfFiles = error.code === 'FILESYSTEM_IO' || error.code === 'WORKSPACE_UNAVAILABLE';
    const errorName = isOfFiles ? 'filesystem-io' : 'unknown';
    return { ...idsOf(item), outcome: 'failed', errorName, message: error.message };
  }
}

async function ingestFound(
  item: IngestItem,
  ports: IngestPorts,
  signal?: AbortSignal,
): Promise<IngestResult> {
  const { source, target } = await brokersOf(item, ports);
  if (source.local === undefined || target.local === undefined) {
    return carryFile({ item, source, target, signal, onProgress: ports.onProgress });
  }
  const { local } = source;
  if (staysInPlace(item)) {
    const recent = await local.recent(item.source.path, ports.nowMs());
    if (recent !== undefined && isExpected(recent.facts, item)) {
      const { mtimeMs } = recent.facts;
      const at = { place: item.source, mtimeMs, spentIdentity: '' };
      return { ...idsOf(item), outcome: 'stored', ...at, ...recent.content };
    }
  }
  const spent = spentLocally(item, local);
  const left = await findLeft(item, target.local, spent);
  if (left !== undefined) return left;

  const into = target.local;
  const look = () => local.beside(item.source.path, (folder, name) => folder.facts(name));
  const found = await unlessAbsent(look);
  if (found?.kind !== 'file') return findMoved(item, into, spent);
  if (!isExpected(found, item)) return { ...idsOf(item), outcome: 'changed' };
  const bring = (folder: Folder, name: string) =>
    new Move(item, ports, into, signal).run(folder, name, found);
  return unlessMoved(local.beside(item.source.path, bring), look, async () => {
    return (await findLeft(item, into, spent)) ?? (await findMoved(item, into, spent));
  });
}

async function brokersOf({ source, target }: IngestItem, ports: IngestPorts) {
  const from = await ports.reached(source.workspace);
  return { source: from, target: target === null ? from : await ports.reached(target.workspace) };
}

/** One attempt with a source that exists and is the expected one. */
class Move {
  readonly #item: IngestItem;
  readonly #ports: IngestPorts;
  readonly #into: LocalRoot;
  readonly #signal: AbortSignal | undefined;

  constructor(item: IngestItem, ports: IngestPorts, into: LocalRoot, signal: AbortSignal | undefined) {
    this.#item = item;
    this.#ports = ports;
    this.#into = into;
    this.#signal = signal;
  }

  async run(folder: Folder, name: string, found: FileFacts): Promise<IngestResult> {
    const { target, source } = this.#item;
    if (target === null || staysInPlace(this.#item)) {
      const content = await this.#hash(folder, name, found);
      return content === undefined ? this.#changed() : this.#stored(source, found, content, '');
    }
    const linked = await this.#link(folder, name, found, target, this.#into);
    return linked ?? this.#copy(folder, name, found, target, this.#into);
  }

  /** Within one file system; undefined if these directories allow no link. */
  async #link(
    folder: Folder,
    name: string,
    found: FileFacts,
    target: FilePlace,
    into: LocalRoot,
  ): Promise<IngestResult | undefined> {
    const directory = await into.beside(target.path, (there) => there.ownFacts(), true);
    if (directory.device !== found.device) return undefined;
    const content = await this.#hash(folder, name, found, true);
    if (content === undefined) return this.#changed();
    const id = this.#item.ingestId;
    const placed = await place({ folder, name, facts: found, content, into, path: target.path, id });
    if (placed.how === 'impossible') return undefined;
    if (placed.how === 'identical') return this.#duplicate(target, placed, content);
    return into.beside(placed.path, async (there, placedName) => {
      const at = { ...target, path: placed.path };
      const still = await there.facts(placedName);
      if (still !== undefined && isSameIdentity(still.identity, found.identity)) {
        const isOneName = name === placedName && (await isOneFolder(folder, there));
        // Two workspaces may share a directory: then the name to remove is the one that was just recorded.
        return this.#stored(at, found, content, isOneName ? '' : found.identity);
      }
      // It was written to between hashing and linking, so the hash is not that of the linked content.
      if (still?.inode === found.inode) await there.unlink(placedName);
      return this.#changed();
    });
  }

  async #copy(
    folder: Folder,
    name: string,
    found: FileFacts,
    target: FilePlace,
    into: LocalRoot,
  ): Promise<IngestResult> {
    const temporary = temporaryName(this.#item.ingestId);
    const options = { ...this.#reading(), mtimeMs: found.mtimeMs };
    const copyInto = async (there: Folder): Promise<IngestResult> => {
      const copying = (from: FileHandle) => copyToTemporary(from, there, temporary, options);
      const copy = await this.#reads(folder, name, found, copying);
      if (copy === undefined) return this.#changed();
      const { content, facts } = copy;
      const id = this.#item.ingestId;
      const placed = await place({
        folder: there,
        name: temporary,
        facts,
        content,
        into,
        path: target.path,
        id,
      });
      if (placed.how === 'identical') return this.#duplicate(target, placed, content);
      if (placed.how === 'placed') {
        return this.#stored({ ...target, path: placed.path }, found, content, found.identity);
      }
      throw notLinkable(target.path);
    };
    return into.beside(target.path, copyInto, true);
  }

  #hash(folder: Folder, name: string, found: FileFacts, isSynced = false): Promise<Digest | undefined> {
    return this.#reads(folder, name, found, async (from) => {
      const content = await translating('read', folder.pathOf(name), () => digest(from, this.#reading()));
      // Its sender may not have synced it, and this inode will be stored.
      if (isSynced) await translating('sync', folder.pathOf(name), () => from.sync());
      return content;
    });
  }

  /** Reads the file that was found; undefined if it was replaced by then, or written to meanwhile. */
  async #reads<T>(
    folder: Folder,
    name: string,
    found: FileFacts,
    read: (from: FileHandle) => Promise<T>,
  ): Promise<T | undefined> {
    const from = await unlessAbsent(() => folder.openRead(name));
    if (from === undefined) return undefined;
    try {
      const isUnchanged = async () =>
        isSameIdentity(toFacts(await from.stat({ bigint: true })).identity, found.identity);
      if (!(await isUnchanged())) return undefined;
      const value = await read(from);
      return (await isUnchanged()) ? value : undefined;
    } finally {
      await from.close();
    }
  }

  #reading() {
    const { ingestId } = this.#item;
    return { signal: this.#signal, onProgress: (bytes: number) => this.#ports.onProgress?.(ingestId, bytes) };
  }

  #stored(at: FilePlace, found: FileFacts, { size, sha256 }: Digest, spentIdentity: string): IngestResult {
    const { mtimeMs } = found;
    return { ...idsOf(this.#item), outcome: 'stored', place: at, size, mtimeMs, sha256, spentIdentity };
  }

  #duplicate(target: FilePlace, placed: Placed, { size, sha256 }: Digest): IngestResult {
    return {
      ...idsOf(this.#item),
      outcome: 'duplicate',
      place: { ...target, path: placed.path },
      size,
      sha256,
    };
  }

  #changed(): IngestResult {
    return { ...idsOf(this.#item), outcome: 'changed' };
  }
}

async function isOneFolder(one: Folder, other: Folder): Promise<boolean> {
  return (await one.ownFacts()).inode === (await other.ownFacts()).inode;
}
