/**
 * Watched directories on this agent, one for each execution of a strike's monitor. Each batch of files has to be
 * acknowledged on the session on which it was sent. If the session ends, or no acknowledgement comes in time, the files
 * are reported again.
 */
import type { SeenFile } from '../src/domain/node/agent-messages.ts';
import type { FilesAck, Monitor } from '../src/domain/node/coordinator-messages.ts';
import type { Logger } from '../src/observe/log.ts';
import { systemClock, systemMonitorClock } from './clock.ts';
import { EventWatermark } from './monitor/event-watermark.ts';
import { type DirectoryWatch, watchDirectory } from './monitor/watch-directory.ts';
import type { LiveSession } from './session.ts';
import type { Workspaces } from './workspaces.ts';

/** A batch that is not acknowledged within this time on a live session was lost. */
const ACK_MS_MAX = 30_000;

interface Waiting {
  readonly batch: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  /** Ends the wait for the acknowledgement. */
  readonly cancel: () => void;
}

interface Watched {
  readonly owner: string;
  readonly watch: DirectoryWatch;
  batch: number;
  waiting: Waiting | undefined;
}

export class Monitors {
  readonly #workspaces: Workspaces;
  readonly #log: Logger;
  readonly #ackMsMax: number;
  readonly #watermark = new EventWatermark(systemMonitorClock);
  readonly #watched = new Map<number, Watched>();
  #session: LiveSession | undefined;
  /** Called when a watched directory appeared or disappeared. */
  onReach: () => void = () => undefined;

  constructor(workspaces: Workspaces, log: Logger, ackMsMax = ACK_MS_MAX) {
    this.#workspaces = workspaces;
    this.#log = log;
    this.#ackMsMax = ackMsMax;
  }

  /** Execution ids of the watches. */
  holds(): number[] {
    return [...this.#watched.keys()];
  }

  connected(session: LiveSession): void {
    this.#session = session;
    session.closed.addEventListener('abort', () => {
      for (const watched of this.#watched.values()) refuse(watched, 'the session closed');
    });
  }

  /** A repeat changes nothing. */
  async begin(monitor: Monitor): Promise<void> {
    const { executionId, owner, transferSuffix } = monitor;
    if (this.#watched.has(executionId)) return;
    const broker = this.#workspaces.open(monitor.workspace);
    const root = broker.local?.root;
    if (root === undefined) {
      this.#log.warn('workspace_not_watched', { executionId, workspace: monitor.workspace.uuid });
      return;
    }
    const watch = watchDirectory({
      root,
      transferSuffix,
      ...(monitor.stableMs > 0 ? { stableMs: monitor.stableMs } : {}),
      sinceMs: monitor.sinceMs,
      ...(monitor.listEveryMs > 0 ? { listEveryMs: monitor.listEveryMs } : {}),
      clock: systemMonitorClock,
      watermark: this.#watermark,
      log: this.#log.child({ executionId }),
      check: () => broker.check(),
      onBatch: (files) => this.#send(executionId, files),
      onReach: () => this.onReach(),
    });
    // Batches of an earlier watch of this execution may still be acknowledged: numbers start above theirs.
    this.#watched.set(executionId, {
      owner,
      watch,
      batch: Math.floor(systemMonitorClock.nowMs()),
      waiting: undefined,
    });
  }

  async end(executionId: number): Promise<void> {
    const watched = this.#watched.get(executionId);
    if (watched === undefined) return;
    this.#watched.delete(executionId);
    refuse(watched, 'the monitor ends');
    await watched.watch.stop();
  }

  acknowledged({ executionId, batch }: FilesAck): void {
    const watched = this.#watched.get(executionId);
    if (watched?.waiting?.batch !== batch) return;
    watched.waiting.cancel();
    watched.waiting.resolve();
    watched.waiting = undefined;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#watched.keys()].map((executionId) => this.end(executionId)));
  }

  #send(executionId: number, files: readonly SeenFile[]): Promise<void> {
    const [watched, session] = [this.#watched.get(executionId), this.#session];
    if (watched === undefined || session === undefined || session.closed.aborted) {
      return Promise.reject(new Error('there is no session'));
    }
    watched.batch += 1;
    const { owner, batch } = watched;
    return new Promise((resolve, reject) => {
      const cancel = systemMonitorClock.timer(this.#ackMsMax, () =>
        refuse(watched, 'it was not acknowledged in time'),
      );
      watched.waiting = { batch, resolve, reject, cancel };
      session.send({ type: 'filesSeen', executionId, owner, batch, files: files.map(onWallClock) });
    });
  }
}

/**
 * Converts times to the present wall clock: a monitor's clock continues unchanged when the wall clock is stepped, and
 * heartbeats send the wall clock. Steps count in whole seconds, because smaller differences arise between the two
 * readings, and a repeated batch must be equal.
 */
function onWallClock(file: SeenFile): SeenFile {
  const steppedMs = Math.round((systemClock.nowMs() - systemMonitorClock.nowMs()) / 1_000) * 1_000;
  return steppedMs === 0 ? file : { ...file, firstSeenMs: file.firstSeenMs + steppedMs };
}

function refuse(watched: Watched, reason: string): void {
  watched.waiting?.cancel();
  watched.waiting?.reject(new Error(reason));
  watched.waiting = undefined;
}
