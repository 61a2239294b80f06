/**
 * Monitors of a simulated agent: files are reported once they rest, until they are acknowledged; events may be lost.
 * Only those that bear a suffix are reported before.
 */
import type { AgentMessage, SeenFile } from '../../../src/domain/node/agent-messages.ts';
import type { Monitor } from '../../../src/domain/node/coordinator-messages.ts';
import { isHidden } from '../../../src/storage/file-name.ts';
import { type Directory, identityOf } from '../disks.ts';
import type { SimProcess } from '../sim-process.ts';
import { Growth } from './growth.ts';
import type { SimHost } from './host.ts';

const ACK_MS_MAX = 30_000;

interface Watch {
  readonly order: Monitor;
  readonly directory: Directory;
  /** Identities by path, of what was acknowledged. */
  readonly known: Map<string, string>;
  readonly growth: Growth;
  readonly changed: (path: string) => void;
  batch: number;
  waiting: readonly SeenFile[];
  isDue: boolean;
  cancelWait: () => void;
}

export interface WatchParts {
  readonly host: SimHost;
  readonly process: SimProcess;
  readonly send: (message: AgentMessage) => void;
  readonly isConnected: () => boolean;
}

export class Watches {
  /** Events get lost now; the next listing finds what they were about. */
  isOverflowing = false;
  readonly #parts: WatchParts;
  readonly #watches = new Map<number, Watch>();

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  holds(): number[] {
    return [...this.#watches.keys()];
  }

  /** Which workspaces are watched, for which owners. */
  get orders(): Monitor[] {
    return [...this.#watches.values()].map((one) => one.order);
  }

  /** Whether files were told that nobody has acknowledged. */
  get isWaiting(): boolean {
    return [...this.#watches.values()].some((one) => one.waiting.length > 0);
  }

  begin(order: Monitor): void {
    if (this.#watches.has(order.executionId)) return;
    const { host, process } = this.#parts;
    const directory = host.disks.directory(order.workspace.uuid);
    // Batches of an earlier watch of this execution may still be acknowledged: numbers begin again above them.
    const batch = Math.floor(process.nowMs());
    const watch: Watch = {
      ...{ order, directory, known: new Map(), growth: new Growth(order.transferSuffix), batch },
      ...{ waiting: [], isDue: false, cancelWait: () => {} },
      changed: () => {
        if (!this.isOverflowing && !process.isDead) this.#look(watch, order.stableMs);
      },
    };
    this.#watches.set(order.executionId, watch);
    directory.watchers.add(watch.changed);
    const list = (): void => {
      if (this.#watches.get(order.executionId) !== watch) return;
      this.#look(watch, 0);
      process.timer(order.listEveryMs, list);
    };
    process.timer(5, list);
  }

  end(executionId: number): void {
    const watch = this.#watches.get(executionId);
    if (watch === undefined) return;
    this.#watches.delete(executionId);
    watch.directory.watchers.delete(watch.changed);
    watch.cancelWait();
  }

  /** The process is gone, and its watches with it. */
  forgetAll(): void {
    for (const id of [...this.#watches.keys()]) this.end(id);
  }

  acknowledged(executionId: number, batch: number): void {
    const watch = this.#watches.get(executionId);
    if (watch === undefined || watch.batch !== batch || watch.waiting.length === 0) return;
    for (const seen of watch.waiting) {
      watch.growth.acknowledged(seen);
      if (seen.arrival === 'complete') watch.known.set(seen.path, seen.identity);
    }
    this.#release(watch);
  }

  /** A new session, or the end of one: what was not acknowledged is reported again. */
  sessionChanged(): void {
    for (const watch of this.#watches.values()) this.#release(watch);
  }

  #release(watch: Watch): void {
    watch.cancelWait();
    watch.waiting = [];
    this.#look(watch, 100);
  }

  #look(watch: Watch, afterMs: number): void {
    if (watch.isDue) return;
    watch.isDue = true;
    this.#parts.process.timer(afterMs, () => {
      watch.isDue = false;
      if (this.#watches.get(watch.order.executionId) === watch) this.#tell(watch);
    });
  }

  /** What rests and is not known, and what is being sent; one batch at a time. */
  #tell(watch: Watch): void {
    const { host, process, send, isConnected } = this.#parts;
    const { executionId, owner, workspace, stableMs } = watch.order;
    if (watch.waiting.length > 0 || !host.reaches(workspace.uuid) || !isConnected()) return;
    const { told: files, nextInMs } = watch.growth.look(watch.directory.files, process.time.nowMs);
    let youngestMs = 0;
    for (const [path, file] of watch.directory.files) {
      const identity = identityOf(file);
      if (isHidden(path) || path.includes('/') || watch.growth.covers(path)) continue;
      if (watch.known.get(path) === identity) continue;
      if (process.time.nowMs - file.mtimeMs < stableMs) youngestMs = Math.max(youngestMs, file.mtimeMs);
      else {
        const { size, mtimeMs } = file;
        files.push({ path, arrival: 'complete', size, mtimeMs, identity, firstSeenMs: mtimeMs });
      }
    }
    if (youngestMs > 0) this.#look(watch, Math.max(1, youngestMs + stableMs - process.time.nowMs));
    if (Number.isFinite(nextInMs)) this.#look(watch, nextInMs);
    if (files.length === 0) return;
    watch.batch += 1;
    watch.waiting = files;
    watch.cancelWait = process.timer(ACK_MS_MAX, () => this.#release(watch));
    send({ type: 'filesSeen', executionId, owner, batch: watch.batch, files });
  }
}
