/** Finds the result of an earlier run of the same ingest, here or on another agent. */
import { AppError } from '../../src/domain/errors.ts';
import { baseName } from '../../src/domain/paths.ts';
import type { StoredEntry } from '../../src/storage/broker.ts';
import { digest } from '../../src/storage/digest.ts';
import { type FileFacts, isSameIdentity } from '../../src/storage/file-facts.ts';
import { temporaryName } from '../../src/storage/file-name.ts';
import type { Folder } from '../../src/storage/folder.ts';
import type { LocalRoot } from '../../src/storage/local-root.ts';
import { placesOf } from '../../src/storage/place.ts';
import { translating } from '../../src/storage/storage-errors.ts';
import { type FilePlace, type IngestItem, type IngestResult, idsOf } from './ingest-item.ts';
import { spentName } from './retire-source.ts';

/** Identity of the source that remains to be removed; empty if there is none. */
export type Spent = () => Promise<string>;

/** Whether the file there is the one that was seen. */
export function isExpected(found: FileFacts | StoredEntry, item: IngestItem): boolean {
  if ('kind' in found && found.kind !== 'file') return false;
  if (item.expectedIdentity !== '') return isSameIdentity(found.identity, item.expectedIdentity);
  return found.size === item.expectedSize && found.mtimeMs === item.expectedMtimeMs;
}

/**
 * A copy that already has its final name: the temporary file of this ingest still shares its inode. The source may
 * exist or not; the result is what the earlier run would have recorded.
 */
export async function findLeft(
  item: IngestItem,
  into: LocalRoot,
  spent: Spent,
): Promise<IngestResult | undefined> {
  const { target } = item;
  if (target === null) return undefined;
  const name = temporaryName(item.ingestId);
  const temporary = await unlessAbsent(() => into.beside(target.path, (folder) => folder.facts(name)));
  if (temporary === undefined || temporary.linkCount < 2) return undefined;
  for (const path of placesOf(target.path, item.ingestId)) {
    const there = await factsAt(into, path);
    if (there?.inode !== temporary.inode) continue;
    await into.beside(path, (folder) => folder.sync());
    return adopted(item, into, { ...target, path }, await spent());
  }
  return undefined;
}

/**
 * Looks for the target of a missing source: an earlier run has moved it (the target has its size and modification time,
 * which links share and copies get), or it was removed.
 */
export async function findMoved(item: IngestItem, into: LocalRoot, spent: Spent): Promise<IngestResult> {
  const { target } = item;
  if (target === null) return { ...idsOf(item), outcome: 'gone' };
  // The path with our id comes first, because only this ingest stores there.
  for (const path of [...placesOf(target.path, item.ingestId)].reverse()) {
    const there = await factsAt(into, path);
    if (there?.kind !== 'file' || there.size !== item.expectedSize || there.mtimeMs !== item.expectedMtimeMs)
      continue;
    return adopted(item, into, { ...target, path }, await spent());
  }
  return { ...idsOf(item), outcome: 'gone' };
}

/**
 * The result of `run`, unless another run of the same ingest has moved the source meanwhile: an agent that was given up
 * as lost may continue later, beside the one that replaced it. If the source is missing by then (`look` finds nothing),
 * `findOther` finds the result of the other run.
 */
export async function unlessMoved(
  run: Promise<IngestResult>,
  look: () => Promise<unknown>,
  findOther: () => Promise<IngestResult>,
): Promise<IngestResult> {
  let failure: unknown;
  const result = await run.catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    failure = error;
    return undefined;
  });
  if (result?.outcome === 'stored') return result;
  if ((await unlessAbsent(look)) === undefined) return findOther();
  if (result === undefined) throw failure;
  return result;
}

/**
 * Removes the temporary copy. A copy with a second name proves what was done: it is removed only when that is recorded.
 */
export async function removeTemporary(
  item: IngestItem,
  target: FilePlace,
  into: LocalRoot,
  isRecorded: boolean,
): Promise<void> {
  const name = temporaryName(item.ingestId);
  const remove = async (folder: Folder): Promise<void> => {
    const facts = await folder.facts(name);
    if (facts !== undefined && (isRecorded || facts.linkCount < 2)) await folder.unlink(name);
  };
  await unlessAbsent(() => into.beside(target.path, remove));
}

/** The result of the call, or undefined if the file or a directory of its path does not exist. */
export async function unlessAbsent<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof AppError && error.code === 'FILE_NOT_FOUND') return undefined;
    throw error;
  }
}

function factsAt(root: LocalRoot, path: string): Promise<FileFacts | undefined> {
  return unlessAbsent(() => root.beside(path, (folder, name) => folder.facts(name)));
}

async function adopted(
  item: IngestItem,
  into: LocalRoot,
  place: FilePlace,
  spentIdentity: string,
): Promise<IngestResult> {
  return into.beside(place.path, async (folder, name) => {
    const handle = await folder.openRead(name);
    try {
      const content = await translating('read', place.path, () => digest(handle));
      const mtimeMs = item.expectedMtimeMs;
      return { ...idsOf(item), outcome: 'stored', place, ...content, mtimeMs, spentIdentity };
    } finally {
      await handle.close();
    }
  });
}

/**
 * The source in a directory: itself, or the file that `retireSource` has to handle because an earlier run stopped in
 * it.
 */
export function spentLocally(item: IngestItem, source: LocalRoot): Spent {
  return async () => {
    const there = await factsAt(source, item.source.path);
    if (there !== undefined && isExpected(there, item)) return there.identity;
    const beside = item.source.path.slice(0, -baseName(item.source.path).length);
    const aside = await factsAt(source, `${beside}${spentName(item.ingestId)}`);
    if (aside === undefined) return '';
    // It is a newer file: retireSource restores its name, because no identity equals this one.
    return isExpected(aside, item) ? aside.identity : 'unknown';
  };
}
