/**
 * Ingests of a simulated agent: content to its place, the result recorded, the source removed. The agent may die
 * between any two of these, and continues where it was.
 */
import type { IngestOutcome } from '../../../src/domain/node/agent-messages.ts';
import type { IngestItem } from '../../../src/domain/node/coordinator-messages.ts';
import { placesOf } from '../../../src/storage/place.ts';
import { identityOf, type StoredFile } from '../disks.ts';
import type { HeldIngest } from './host.ts';
import type { WorkParts } from './task-work.ts';

const RETRY_MS = 5_000;

interface Place {
  readonly uuid: string;
  readonly path: string;
  readonly file: StoredFile;
}

export class IngestWork {
  readonly #parts: WorkParts;
  /** Being written down; whether they were canceled meanwhile. */
  readonly #accepting = new Map<number, boolean>();

  constructor(parts: WorkParts) {
    this.#parts = parts;
  }

  resume(): void {
    for (const held of this.#parts.host.ingests.values()) {
      // That it was canceled is written nowhere.
      held.isCanceled = false;
      this.#soon(held);
    }
  }

  holds(): number[] {
    return [...this.#parts.host.ingests.keys()];
  }

  accept(items: readonly IngestItem[]): void {
    const { host, process } = this.#parts;
    for (const item of items) {
      const { executionId } = item;
      if (host.ingests.has(executionId) || this.#accepting.has(executionId)) continue;
      this.#accepting.set(executionId, false);
      process.timer(1 + host.random.next() * 5, () => {
        const isCanceled = this.#accepting.get(executionId) === true;
        this.#accepting.delete(executionId);
        const held: HeldIngest = {
          ...{ item, isCanceled, result: 'none', spentInode: null, isAcknowledged: false },
        };
        host.ingests.set(executionId, held);
        this.#soon(held);
      });
    }
  }

  cancel(executionId: number): void {
    if (this.#accepting.has(executionId)) this.#accepting.set(executionId, true);
    const held = this.#parts.host.ingests.get(executionId);
    if (held !== undefined) held.isCanceled = true;
  }

  acknowledged(executionId: number): void {
    const held = this.#parts.host.ingests.get(executionId);
    if (held === undefined) return;
    held.isAcknowledged = true;
    this.#forgetIfDone(held);
  }

  #soon(held: HeldIngest): void {
    const { host, process } = this.#parts;
    process.timer(5 + host.random.next() ** 3 * 3_000, () => this.#goOn(held));
  }

  #goOn(held: HeldIngest): void {
    const { host, faultRates } = this.#parts;
    if (host.ingests.get(held.item.executionId) !== held) return;
    if (held.result === 'recorded') this.#finish(held);
    if (held.result !== 'none') return;
    if (held.isCanceled) this.#record(held, 'canceled');
    else if (host.random.chance(faultRates().ingestFails)) this.#record(held, 'failed');
    else this.#bring(held);
  }

  #bring(held: HeldIngest): void {
    const brought = this.#attempt(held);
    if (brought === undefined) return;
    const { outcome, place } = brought;
    this.#record(held, outcome, place);
  }

  /** Undefined when it continues by itself. */
  #attempt(held: HeldIngest): { readonly outcome: IngestOutcome; readonly place?: Place } | undefined {
    const { host, process } = this.#parts;
    const { item } = held;
    if (host.isFull || !this.#isReached(item)) return { outcome: 'failed' };
    const isMoved = isMove(item);
    const source = host.disks.directory(item.sourceWorkspaceUuid).files.get(item.sourcePath);
    const left = isMoved ? this.#left(item) : undefined;
    if (source === undefined || !isExpected(source, item)) {
      if (left !== undefined) return { outcome: 'stored', place: left };
      return { outcome: source === undefined ? 'gone' : 'changed' };
    }
    if (!isMoved) {
      return {
        outcome: 'stored',
        place: { uuid: item.sourceWorkspaceUuid, path: item.sourcePath, file: source },
      };
    }
    if (left === undefined) {
      const same = this.#same(item, source);
      if (same !== undefined) return { outcome: 'duplicate', place: same };
    }
    held.spentInode = source.inode;
    if (left !== undefined) return { outcome: 'stored', place: left };
    const placed = this.#place(item, source);
    host.onWrite();
    // Copied, and nothing is recorded yet.
    process.timer(1 + host.random.next() * 50, () => this.#record(held, 'stored', placed));
    return undefined;
  }

  /** What an earlier try has left: the same content under the name, or one of those beside it. */
  #left(item: IngestItem): Place | undefined {
    const { files } = this.#parts.host.disks.directory(item.targetWorkspaceUuid);
    for (const path of placesOf(item.targetPath, item.ingestId)) {
      const file = files.get(path);
      if (item.expectedIdentity !== '' && file?.sha256.endsWith(`#${item.expectedIdentity}`))
        return { uuid: item.targetWorkspaceUuid, path, file };
    }
    return undefined;
  }

  /** The same content under the wanted name, by whomever. */
  #same(item: IngestItem, { sha256 }: StoredFile): Place | undefined {
    const { targetWorkspaceUuid: uuid, targetPath: path } = item;
    const file = this.#parts.host.disks.directory(uuid).files.get(path);
    return file?.sha256.split('#')[0] === sha256 ? { uuid, path, file } : undefined;
  }

  #isReached(item: IngestItem): boolean {
    const uuids = [item.sourceWorkspaceUuid, ...(isMove(item) ? [item.targetWorkspaceUuid] : [])];
    return uuids.every((uuid) => this.#parts.host.reaches(uuid));
  }

  /** Under the wanted name, or below a directory that nobody else names. */
  #place(item: IngestItem, source: StoredFile): Place {
    const { disks } = this.#parts.host;
    const uuid = item.targetWorkspaceUuid;
    const { files } = disks.directory(uuid);
    const [wanted, apart] = placesOf(item.targetPath, item.ingestId);
    const path = files.has(wanted) ? apart : wanted;
    const { size, mtimeMs, sha256 } = source;
    const file = disks.write(uuid, path, { size, mtimeMs, sha256: `${sha256}#${identityOf(source)}` });
    return { uuid, path, file };
  }

  #record(held: HeldIngest, outcome: IngestOutcome, place?: Place): void {
    const { host, process, recorded } = this.#parts;
    if (host.ingests.get(held.item.executionId) !== held || held.result !== 'none') return;
    held.result = 'recorded';
    const spoolId = host.nextSpoolId();
    const { ingestId, executionId, jobId, exeNum, owner } = held.item;
    const [sha256 = ''] = place?.file.sha256.split('#') ?? [];
    host.spool.set(spoolId, {
      ...{ type: 'ingestUpdate', spoolId, ingestId, executionId, jobId, exeNum, owner, outcome, sha256 },
      ...{ workspaceUuid: place?.uuid ?? '', path: place?.path ?? '', size: place?.file.size ?? 0 },
      ...{ startedMs: process.nowMs(), endedMs: process.nowMs() },
      error: outcome === 'failed' ? { name: 'filesystem-io', isBuiltin: true, detail: '' } : undefined,
    });
    recorded();
    process.timer(1 + host.random.next() * 20, () => this.#goOn(held));
  }

  /** The source goes only if it is still the one that was moved; one that is not reached waits. */
  #finish(held: HeldIngest): void {
    if (held.spentInode !== null && !this.#isReached(held.item)) {
      this.#parts.process.timer(RETRY_MS, () => this.#goOn(held));
      return;
    }
    const directory = this.#parts.host.disks.directory(held.item.sourceWorkspaceUuid);
    const source = directory.files.get(held.item.sourcePath);
    if (held.spentInode !== null && source?.inode === held.spentInode) directory.remove(held.item.sourcePath);
    held.result = 'finished';
    this.#forgetIfDone(held);
  }

  #forgetIfDone(held: HeldIngest): void {
    if (held.result === 'finished' && held.isAcknowledged)
      this.#parts.host.ingests.delete(held.item.executionId);
  }
}

function isMove({ sourceWorkspaceUuid, sourcePath, targetWorkspaceUuid, targetPath }: IngestItem): boolean {
  return targetPath !== '' && (sourceWorkspaceUuid !== targetWorkspaceUuid || sourcePath !== targetPath);
}

function isExpected(file: StoredFile, item: IngestItem): boolean {
  if (item.expectedIdentity !== '') return identityOf(file) === item.expectedIdentity;
  return file.size === item.expectedSize && file.mtimeMs === item.expectedMtimeMs;
}
