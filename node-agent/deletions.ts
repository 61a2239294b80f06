/**
 * Removes files from workspaces on request, several at a time. If the agent does not reach the workspace, no file
 * counts as removed: a file may be missing only because a disk is unmounted.
 */
import pLimit from 'p-limit';
import { AppError } from '../src/domain/errors.ts';
import type { FileDeletion, FilesDeleted } from '../src/domain/node/agent-messages.ts';
import type { DeleteFiles, FileToDelete } from '../src/domain/node/coordinator-messages.ts';
import type { Broker } from '../src/storage/broker.ts';
import { atMost, type Clock, systemClock } from './clock.ts';
import type { Workspaces } from './workspaces.ts';

/** Failures for which a retry is useless. */
const FINAL: ReadonlySet<string> = new Set(['PATH_NOT_ALLOWED']);
/**
 * After this time the answer is sent; its receiver waits twice as long. Removals that are not done by then continue,
 * and are reported when they are requested again.
 */
const ANSWER_MS = 10_000;
/** limit: concurrent removals. */
const AT_ONCE = 16;
/** limit: removals in progress; further files of a request are left out of its answer. */
const RUNNING_MAX = 1_000;

export class Deletions {
  readonly #workspaces: Workspaces;
  readonly #clock: Clock;
  readonly #running = new Map<string, Promise<FileDeletion>>();
  readonly #limit = pLimit(AT_ONCE);

  constructor(workspaces: Workspaces, clock: Clock = systemClock) {
    this.#workspaces = workspaces;
    this.#clock = clock;
  }

  /** Never rejects. The answer has the outcome of each file that is done, and omits the others. */
  async remove({ requestId, files, workspace }: DeleteFiles): Promise<FilesDeleted> {
    const done: FileDeletion[] = [];
    const work = async (): Promise<void> => {
      const broker = this.#workspaces.open(workspace);
      const reach = await broker.check();
      if (!reach.isReachable) throw new AppError('WORKSPACE_UNAVAILABLE', reach.reason || 'it has no marker');
      const each = files.map(async (file) => {
        const one = await this.#begun(broker, workspace.uuid, file);
        if (one !== undefined) done.push(one);
      });
      await Promise.all(each);
    };
    try {
      await atMost(this.#clock, ANSWER_MS, work());
    } catch (error) {
      return { type: 'filesDeleted', requestId, files: files.map(({ path }) => failedAs(path, error)) };
    }
    return { type: 'filesDeleted', requestId, files: [...done] };
  }

  /** The removal of a file, which concurrent requests share. Undefined if too many removals are in progress. */
  #begun(broker: Broker, uuid: string, file: FileToDelete): Promise<FileDeletion> | undefined {
    const key = `${uuid} ${file.size} ${file.path}`;
    const running = this.#running.get(key);
    if (running !== undefined || this.#running.size >= RUNNING_MAX) return running;
    const begun = this.#limit(() => deleteOne(broker, file)).finally(() => this.#running.delete(key));
    this.#running.set(key, begun);
    return begun;
  }
}

const REMOVED = {
  removed: '',
  versioned: 'the bucket keeps what is removed as an earlier version',
} as const;

async function deleteOne(broker: Broker, { path, size }: FileToDelete): Promise<FileDeletion> {
  try {
    const entry = await broker.stat(path);
    if (entry === undefined) return { path, outcome: 'absent', reason: '', maySucceedLater: false };
    if (entry.size !== size) return { path, outcome: 'other', reason: '', maySucceedLater: false };
    const removal = await broker.remove(path, entry.identity);
    // It was removed or replaced meanwhile.
    if (removal === 'absent') {
      const outcome = (await broker.stat(path)) === undefined ? 'absent' : 'other';
      return { path, outcome, reason: '', maySucceedLater: false };
    }
    return { path, outcome: 'removed', reason: REMOVED[removal], maySucceedLater: false };
  } catch (error) {
    return failedAs(path, error);
  }
}

function failedAs(path: string, error: unknown): FileDeletion {
  const reason = error instanceof Error ? error.message : String(error);
  const isFinal = error instanceof AppError && FINAL.has(error.code);
  return { path, outcome: 'failed', reason, maySucceedLater: !isFinal };
}
