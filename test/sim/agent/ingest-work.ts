/**
 * Ingests of a simulated agent: content to its place, the result recorded, the source removed. The agent may die
 * between any two of these, and goes on where it was.
 */
import type { IngestOutcome } from '../../../src/domain/node/agent-messages.ts';
import type { IngestItem } from '../../../src/domain/node/coordinator-messages.ts';
import { identityOf, type StoredFile } from '../disks.ts';
import type { HeldIngest } from './host.ts';
import type { WorkParts } from './task-work.ts';

interface Place {
  readonly uuid: string;
  readonly path: string;
  readonly file: StoredFile;
}

export class IngestWork {
  readonly #parts: WorkParts;

  constructor(parts: WorkParts) {
    this.#parts = parts;
  }

  resume(): void {
    for (const held of this.#parts.host.ingests.values()) this.#soon(held);
  }

  holds(): number[] {
    return [...this.#parts.host.ingests.keys()];
  }

  accept(items: readonly IngestItem[]): void {
    const { host, process } = this.#parts;
    for (const item of items) {
      if (host.ingests.has(item.executionId)) continue;
      process.timer(1 + host.random.next() * 5, () => {
        if (host.ingests.has(item.executionId)) return;
        const held: HeldIngest = {
          ...{ item, isCanceled: false, result: 'none', spentInode: null, isAcknowledged: false },
        };
        host.ingests.set(item.executionId, held);
        this.#soon(held);
      });
    }
  }

  cancel(executionId: number): void {
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
    const { host, weather } = this.#parts;
    if (host.ingests.get(held.item.executionId) !== held) return;
    if (held.result === 'recorded') this.#finish(held);
    if (held.result !== 'none') return;
    if (held.isCanceled) this.#record(held, 'canceled');
    else if (host.random.chance(weather().ingestFails)) this.#record(held, 'failed');
    else this.#bring(held);
  }

  #bring(held: HeldIngest): void {
    const brought = this.#attempt(held);
    if (brought === undefined) return;
    const { outcome, place } = brought;
    this.#record(held, outcome, place);
  }

  /** Undefined when it goes on by itself. */
  #attempt(held: HeldIngest): { readonly outcome: IngestOutcome; readonly place?: Place } | undefined {
    const { host, process } = this.#parts;
    const { item } = held;
    const isMoved = item.targetPath !== '';
    const uuids = [item.sourceWorkspaceUuid, ...(isMoved ? [item.targetWorkspaceUuid] : [])];
    if (host.isFull || uuids.some((uuid) => !host.mounts.has(uuid))) return { outcome: 'failed' };
    const source = host.disks.directory(item.sourceWorkspaceUuid).files.get(item.sourcePath);
    const left = isMoved ? this.#left(item) : undefined;
    if (source === undefined || identityOf(source) !== item.expectedIdentity) {
      if (left !== undefined) return { outcome: 'stored', place: left };
      return { outcome: source === undefined ? 'gone' : 'changed' };
    }
    if (!isMoved) {
      return {
        outcome: 'stored',
        place: { uuid: item.sourceWorkspaceUuid, path: item.sourcePath, file: source },
      };
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
    for (const path of namesOf(item.targetPath)) {
      const file = files.get(path);
      if (file === undefined) return undefined;
      if (file.sha256.endsWith(`#${item.expectedIdentity}`))
        return { uuid: item.targetWorkspaceUuid, path, file };
    }
    return undefined;
  }

  /** Under the first name that is free. */
  #place(item: IngestItem, source: StoredFile): Place {
    const { disks } = this.#parts.host;
    const uuid = item.targetWorkspaceUuid;
    const { files } = disks.directory(uuid);
    const path = namesOf(item.targetPath).find((name) => !files.has(name)) ?? item.targetPath;
    const { size, mtimeMs, sha256 } = source;
    const file = disks.write(uuid, path, { size, mtimeMs, sha256: `${sha256}#${item.expectedIdentity}` });
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

  /** The source goes only if it is still the one that was moved. */
  #finish(held: HeldIngest): void {
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

function namesOf(path: string): string[] {
  return [path, ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((at) => `${path}-${at}`)];
}
