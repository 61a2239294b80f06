/**
 * Ingests one file whose source or target is a workspace without a directory. When repeated after a crash at any point
 * it recognizes its own work: an object carries the id of the ingest that stored it, and a directory contains the
 * temporary file that is named by the id.
 */
import { AppError } from '../../src/domain/errors.ts';
import type { Broker, Stored, StoredEntry } from '../../src/storage/broker.ts';
import type { Content } from '../../src/storage/content.ts';
import { digest } from '../../src/storage/digest.ts';
import { isSameIdentity } from '../../src/storage/file-facts.ts';
import { temporaryName } from '../../src/storage/file-name.ts';
import type { Folder } from '../../src/storage/folder.ts';
import type { LocalRoot } from '../../src/storage/local-root.ts';
import { notLinkable, place } from '../../src/storage/place.ts';
import { copyToTemporary } from '../../src/storage/temporary-copy.ts';
import { type FilePlace, type IngestItem, type IngestResult, idsOf, staysInPlace } from './ingest-item.ts';
import {
  findLeft,
  findMoved,
  isExpected,
  type Spent,
  spentLocally,
  unlessAbsent,
  unlessMoved,
} from './recover.ts';

export interface Carrying {
  readonly item: IngestItem;
  readonly source: Broker;
  /** The source's own if the file stays. */
  readonly target: Broker;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((ingestId: number, bytes: number) => void) | undefined;
}

export async function carryFile(carrying: Carrying): Promise<IngestResult> {
  const { item, target } = carrying;
  const to = item.target;
  if (to === null || staysInPlace(item)) return hashThere(carrying);
  const { local } = target;
  const look = () => carrying.source.stat(item.source.path);
  return local === undefined
    ? unlessMoved(toStore(carrying, to), look, async () => (await ofStore(carrying, to)) ?? gone(item))
    : unlessMoved(toDirectory(carrying, to, local), look, async () => {
        const spent = spentOf(carrying);
        return (await findLeft(item, local, spent)) ?? (await findMoved(item, local, spent));
      });
}

/** The object that an earlier run of this ingest has stored. */
async function ofStore(carrying: Carrying, to: FilePlace): Promise<IngestResult | undefined> {
  const { item, target } = carrying;
  const ours = await target.storedBy(to.path, item.ingestId);
  if (ours === undefined) return undefined;
  const known = { ...ours, mtimeMs: item.expectedMtimeMs };
  return stored(item, { ...to, path: ours.path }, known, await spentOf(carrying)());
}

async function hashThere(carrying: Carrying): Promise<IngestResult> {
  const { item } = carrying;
  const found = await entryOf(carrying);
  if (found === undefined) return gone(item);
  if (!isExpected(found, item)) return changed(item);
  const content = await digest(contentOf(carrying, found), reading(carrying));
  if (!(await isStill(carrying, found))) return changed(item);
  return stored(item, item.source, { ...content, mtimeMs: found.mtimeMs }, '');
}

/** To an object store, from any source. */
async function toStore(carrying: Carrying, to: FilePlace): Promise<IngestResult> {
  const { item, target } = carrying;
  const left = await ofStore(carrying, to);
  if (left !== undefined) return left;
  const found = await entryOf(carrying);
  if (found === undefined) return gone(item);
  if (!isExpected(found, item)) return changed(item);
  const options = { id: item.ingestId, ...reading(carrying) };
  const kept = await target.store(contentOf(carrying, found), to.path, options);
  const at = { ...to, path: kept.path };
  const still = await entryOf(carrying);
  // Another run of this ingest has moved it meanwhile (see unlessMoved), and has stored the object.
  if (still === undefined) return (await ofStore(carrying, to)) ?? gone(item);
  if (!isSameIdentity(still.identity, found.identity)) {
    if (!kept.isDuplicate) await removeOwn(target, kept);
    return changed(item);
  }
  if (kept.isDuplicate) return duplicate(item, at, kept);
  return stored(item, at, { ...kept, mtimeMs: found.mtimeMs }, found.identity);
}

/** From an object store to a directory. */
async function toDirectory(carrying: Carrying, to: FilePlace, into: LocalRoot): Promise<IngestResult> {
  const { item } = carrying;
  const spent = spentOf(carrying);
  const left = await findLeft(item, into, spent);
  if (left !== undefined) return left;
  const found = await entryOf(carrying);
  if (found === undefined) return findMoved(item, into, spent);
  if (!isExpected(found, item)) return changed(item);
  const copy = (folder: Folder) => copyInto(carrying, found, to, folder, into);
  return into.beside(to.path, copy, true);
}

async function copyInto(
  carrying: Carrying,
  found: StoredEntry,
  to: FilePlace,
  folder: Folder,
  into: LocalRoot,
): Promise<IngestResult> {
  const { item } = carrying;
  const name = temporaryName(item.ingestId);
  const options = { ...reading(carrying), mtimeMs: found.mtimeMs };
  const { content, facts } = await copyToTemporary(contentOf(carrying, found), folder, name, options);
  if (!(await isStill(carrying, found))) return changed(item);
  if (content.size !== found.size || (found.sha256 !== undefined && found.sha256 !== content.sha256)) {
    const text = `the content that was read from '${item.source.path}' is not what was stored there`;
    throw new AppError('FILESYSTEM_IO', text, { path: item.source.path });
  }
  const placed = await place({ folder, name, facts, content, into, path: to.path, id: item.ingestId });
  const at = { ...to, path: placed.path };
  if (placed.how === 'identical') return duplicate(item, at, content);
  if (placed.how === 'impossible') {
    throw notLinkable(to.path);
  }
  return stored(item, at, { ...content, mtimeMs: found.mtimeMs }, found.identity);
}

/** Removes a stored object whose source was changed while it was read, and which will therefore not be recorded. */
async function removeOwn(target: Broker, { path, sha256 }: Stored): Promise<void> {
  const there = await target.stat(path);
  if (there?.sha256 === sha256) await target.remove(path, there.identity);
}

function entryOf({ item, source }: Carrying): Promise<StoredEntry | undefined> {
  return unlessAbsent(() => source.stat(item.source.path));
}

function contentOf({ item, source }: Carrying, { size }: StoredEntry): Content {
  return { size, open: (range) => source.openRead(item.source.path, range) };
}

async function isStill(carrying: Carrying, found: StoredEntry): Promise<boolean> {
  const there = await entryOf(carrying);
  return there !== undefined && isSameIdentity(there.identity, found.identity);
}

function spentOf(carrying: Carrying): Spent {
  const { item, source } = carrying;
  if (source.local !== undefined) return spentLocally(item, source.local);
  return async () => {
    const there = await entryOf(carrying);
    return there !== undefined && isExpected(there, item) ? there.identity : '';
  };
}

function reading({ item, signal, onProgress }: Carrying) {
  return {
    ...(signal === undefined ? {} : { signal }),
    onProgress: (bytes: number) => onProgress?.(item.ingestId, bytes),
  };
}

interface Kept {
  readonly size: number;
  readonly sha256: string;
  readonly mtimeMs: number;
}

function stored(item: IngestItem, at: FilePlace, kept: Kept, spentIdentity: string): IngestResult {
  const { size, sha256, mtimeMs } = kept;
  return { ...idsOf(item), outcome: 'stored', place: at, size, sha256, mtimeMs, spentIdentity };
}

function duplicate(item: IngestItem, at: FilePlace, { size, sha256 }: Omit<Kept, 'mtimeMs'>): IngestResult {
  return { ...idsOf(item), outcome: 'duplicate', place: at, size, sha256 };
}

function gone(item: IngestItem): IngestResult {
  return { ...idsOf(item), outcome: 'gone' };
}

function changed(item: IngestItem): IngestResult {
  return { ...idsOf(item), outcome: 'changed' };
}
