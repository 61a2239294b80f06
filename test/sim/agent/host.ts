/** A simulated host: what outlives the agent's process on it, and what it can reach. */
import type { IngestUpdate, TaskUpdate } from '../../../src/domain/node/agent-messages.ts';
import type { IngestItem, Launch } from '../../../src/domain/node/coordinator-messages.ts';
import type { Disks } from '../disks.ts';
import { SHORT_TYPE } from '../scenario.ts';
import type { Seeded } from '../seeded.ts';
import type { WallClock } from '../sim-process.ts';

const ENDLESS_MS = 3_600_000;
/** How long tasks of `SHORT_TYPE` take. */
const SHORT_MS = 30;

export type Spooled = TaskUpdate | IngestUpdate;

/** When a task ran, on the world's time. */
export interface Run {
  readonly beganMs: number;
  readonly endedMs: number;
}

/** Called when a task has come to its end. */
export type OnRun = (executionId: number, run: Run) => void;

/** A task that was accepted. Its container runs on while the agent is away. */
export interface HeldTask {
  readonly launch: Launch;
  /** The boot in which it was accepted: it ended with it. */
  readonly bootId: string;
  /** On the host's wall clock. */
  readonly startedMs: number;
  /** When it began and will end, on the world's time. */
  readonly beganMs: number;
  endsMs: number;
  /** Noted before it was told to end: another life of the agent knows why it ended. */
  isCanceled: boolean;
  /** Its end is in the spool. */
  isReported: boolean;
}

export interface HeldIngest {
  readonly item: IngestItem;
  isCanceled: boolean;
  /** What was recorded; what is left is to finish it. */
  result: 'none' | 'recorded' | 'finished';
  /** The source that a recorded move has made superfluous. */
  spentInode: number | null;
  isAcknowledged: boolean;
}

export interface HostParts {
  readonly disks: Disks;
  readonly random: Seeded;
  readonly resources: Readonly<Record<string, number>>;
  readonly hasShortTasks?: boolean;
  /** Whether its agent may write the markers of workspaces. */
  readonly mayMark?: boolean;
}

export class SimHost {
  readonly nodeId: number;
  readonly wall: WallClock = { offMs: 0 };
  readonly disks: Disks;
  readonly random: Seeded;
  /** Uuids of the workspaces that it mounts. */
  readonly mounts: Set<string>;
  readonly usualMounts: ReadonlySet<string>;
  /** Uuids of the workspaces whose marker its agent may not write. */
  readonly unmarkable: Set<string>;
  /** Where nothing can be written now. */
  isFull = false;
  /** Called when a file was written, before anything else knows of it. */
  onWrite: () => void = () => undefined;
  /** Called when a task has begun. */
  onBegun: () => void = () => undefined;
  /** How long a task takes when nobody ends it. */
  lengthOf: (launch: Launch) => number = ({ jobTypeName }) => {
    // Some continue until somebody ends them.
    const isEndless = this.random.chance(0.08);
    if (this.hasShortTasks && jobTypeName === SHORT_TYPE) return 1 + this.random.next() * SHORT_MS;
    return isEndless ? ENDLESS_MS : 100 + this.random.next() ** 3 * 20_000;
  };
  /** Whether tasks of `SHORT_TYPE` are short, so that work is sent ahead. */
  readonly hasShortTasks: boolean;
  resources: Record<string, number>;
  errors: readonly string[] = [];

  /** Sources that a move had made superfluous when all that the host knew was lost: they stay. */
  readonly abandonedInodes = new Set<number>();
  agentId: string;
  /** In place of `agentId`, for agents that know of it. */
  otherAgentId: string | undefined;
  /** It has got no launch under its other id: rows may name the former one, and what ran under it. */
  isOtherIdUntried = false;
  lives = 1;
  boots = 1;
  /** The boot in which launches are recorded and not synced, as the agent notes it. */
  unsyncedBootId: string | undefined;
  readonly tasks = new Map<number, HeldTask>();
  readonly ingests = new Map<number, HeldIngest>();
  readonly spool = new Map<number, Spooled>();
  #spoolId = 0;
  /** Takes back what was recorded since the last sync, oldest first. */
  #unsynced: (() => void)[] = [];

  constructor(nodeId: number, mounts: readonly string[], around: HostParts) {
    this.nodeId = nodeId;
    this.disks = around.disks;
    this.random = around.random;
    this.resources = { ...around.resources };
    this.hasShortTasks = around.hasShortTasks ?? false;
    this.mounts = new Set(mounts);
    this.usualMounts = new Set(mounts);
    this.unmarkable = new Set(around.mayMark === false ? mounts : []);
    this.agentId = `agent-${nodeId}-1`;
  }

  /** What lies there bears the workspace's marker. */
  reaches(workspaceUuid: string): boolean {
    return this.mounts.has(workspaceUuid) && this.disks.directory(workspaceUuid).isMarked;
  }

  nextSpoolId(): number {
    this.#spoolId += 1;
    return this.#spoolId;
  }

  get bootId(): string {
    return `boot-${this.nodeId}-${this.lives}-${this.boots}`;
  }

  /** Launches may have been lost with an earlier boot. */
  get hasLost(): boolean {
    return this.unsyncedBootId !== undefined && this.unsyncedBootId !== this.bootId;
  }

  /** The rows may have what was lost, until the agent gets a launch. Until then none of an earlier version follows. */
  get takesEarlierAgent(): boolean {
    return !this.hasLost && !this.isOtherIdUntried;
  }

  /** The agent speaks for its node under another id from now on. */
  changeAgentId(): void {
    this.otherAgentId = `${this.agentId}+${this.boots}`;
    this.isOtherIdUntried = true;
  }

  /** Something was recorded; `undo` takes it back. */
  recorded(undo: () => void): void {
    this.#unsynced.push(undo);
  }

  /** What was recorded until now is durable. */
  sync(): void {
    this.#unsynced = [];
  }

  /** All that runs ends, and of what was not synced only the oldest part is on the disk. */
  losePower(random: Seeded): void {
    this.boots += 1;
    const kept = random.chance(0.7) ? 0 : random.int(0, this.#unsynced.length);
    const lost = this.#unsynced.splice(kept);
    for (const undo of lost.reverse()) undo();
    this.#unsynced = [];
    const spooled = [...this.spool].sort(([one], [other]) => one - other);
    this.spool.clear();
    for (const [id, update] of spooled) this.spool.set(id, update);
  }

  /** Another machine under the same name: nothing of the old one's folders is there. */
  replace(): void {
    this.lives += 1;
    this.agentId = `agent-${this.nodeId}-${this.lives}`;
    for (const { result, spentInode } of this.ingests.values()) {
      if (result === 'recorded' && spentInode !== null) this.abandonedInodes.add(spentInode);
    }
    this.tasks.clear();
    this.ingests.clear();
    this.spool.clear();
    this.#spoolId = 0;
    this.#unsynced = [];
    this.unsyncedBootId = undefined;
    this.otherAgentId = undefined;
    this.isOtherIdUntried = false;
  }
}
