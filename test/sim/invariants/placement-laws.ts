/**
 * What must hold of placements: none is beyond its type's limit, of a paused type or on a closed node, and a scheduler
 * that is told that it knows old limits reads the rows again.
 */
import { SCHEDULER } from '../../../src/actors/scheduler/scheduler.messages.ts';
import type { Change, PlacementResult } from '../../../src/domain/changes.ts';
import { shardOf, type Turn } from '../../../src/kernel/mod.ts';
import type { SimCoordinator, TurnResults } from '../coordinator/coordinator.ts';
import type { RowChange } from '../store/table.ts';
import type { ExecutionRow, NodeDbRow, Tables } from '../store/tables.ts';
import type { World } from '../world.ts';

type Fail = (law: string, what: string) => void;

const SCHEDULER_SHARD = shardOf(SCHEDULER.kind, SCHEDULER.key);

/** What a scheduler does because of a commit may wait for its next one, and follows that at once. */
const AT_ONCE_MS = 200;

/** What a coordinator has sent to the database and has not heard of. */
interface Sent {
  commits: number;
  schedulerReads: number;
  lastCommitMs: number;
  /** When its scheduler heard that it knows old limits, if it has not read rows since, and the epoch of that one. */
  outdated: { readonly epoch: number; atMs: number } | undefined;
}

export class PlacementLaws {
  /** Commits that refused a placement as outdated. */
  outdatedCount = 0;
  readonly #world: World;
  readonly #fail: Fail;
  /** By coordinator. */
  readonly #sent = new Map<string, Sent>();

  constructor(world: World, fail: Fail) {
    this.#world = world;
    this.#fail = fail;
    world.onCommitSent = (self, turns, results) => this.#commitSent(self, turns, results);
    world.onSchedulerRead = (self, answer) => this.#schedulerRead(self, answer);
  }

  check(changes: readonly RowChange[], turns: readonly Turn<Change>[]): void {
    const placed = new Set<number>();
    for (const change of turns.flatMap((turn) => turn.changes))
      if (change.type === 'placeJobs') for (const { executionId } of change.starts) placed.add(executionId);
    if (placed.size === 0) return;
    for (const { table, before, after } of changes)
      if (table === 'job_exe' && before === undefined && placed.has(after?.id as number))
        this.#placed(after as ExecutionRow, changes);
  }

  #placed({ id, nodeId, jobTypeId }: ExecutionRow, changes: readonly RowChange[]): void {
    const { tables } = this.#world.store;
    const node = nodeBefore(tables, nodeId, changes);
    if (node.isPaused || !node.isActive)
      this.#fail('nothing is placed on a closed node', `execution ${id} on node ${nodeId}`);
    const type = tables.jobTypes.get(jobTypeId);
    if (type === undefined) return;
    if (type.isPaused)
      this.#fail('nothing of a paused type is placed', `execution ${id} of type ${jobTypeId}`);
    if (type.maxScheduled === null) return;
    const running = tables.executions.where((one) => one.status === 'RUNNING' && one.jobTypeId === jobTypeId);
    if (running.length > type.maxScheduled)
      this.#fail(
        "nothing is placed beyond its type's limit",
        `type ${jobTypeId}: ${running.length} run, ${type.maxScheduled} may`,
      );
  }

  #commitSent(self: string, turns: readonly Turn<unknown>[], results: Promise<TurnResults>): void {
    const sent = this.#sentBy(self);
    sent.commits += 1;
    const answered = () => {
      sent.commits -= 1;
      sent.lastCommitMs = this.#world.time.nowMs;
    };
    results.then(
      (all) => {
        answered();
        const turn = turns.find((_, at) => all[at]?.some(isOutdated));
        if (turn === undefined) return;
        this.outdatedCount += 1;
        if (sent.schedulerReads === 0) sent.outdated ??= { epoch: turn.epoch, atMs: this.#world.time.nowMs };
      },
      () => {
        answered();
        // The scheduler may have lost its state with the commit: it is loaded anew, after a while.
        sent.outdated = undefined;
      },
    );
  }

  #schedulerRead(self: string, answer: Promise<unknown>): void {
    const sent = this.#sentBy(self);
    sent.outdated = undefined;
    sent.schedulerReads += 1;
    const answered = () => {
      sent.schedulerReads -= 1;
    };
    answer.then(answered, answered);
  }

  #sentBy(self: string): Sent {
    const known = this.#sent.get(self);
    if (known !== undefined) return known;
    const sent = { commits: 0, schedulerReads: 0, lastCommitMs: 0, outdated: undefined };
    this.#sent.set(self, sent);
    return sent;
  }

  /** After each step of the world. */
  look(): void {
    const { time, coordinators } = this.#world;
    for (const [self, sent] of this.#sent) {
      const { outdated } = sent;
      if (outdated === undefined) continue;
      const coordinator = [...coordinators.values()].find(({ id }) => id === self);
      if (coordinator === undefined || !this.#hasScheduler(coordinator, outdated.epoch))
        sent.outdated = undefined;
      // It runs nothing while its leases may have expired.
      else if (!coordinator.system.stats().isRunning) outdated.atMs = time.nowMs;
      else if (time.nowMs - Math.max(outdated.atMs, sent.lastCommitMs) > AT_ONCE_MS && sent.commits === 0)
        this.#fail('who knows old limits reads rows again', `the scheduler of ${self}`);
    }
  }

  /** It is not stopped, and has the scheduler that it had in this epoch: a later one was loaded from rows. */
  #hasScheduler({ process, system }: SimCoordinator, epoch: number): boolean {
    return (
      !process.isStopped &&
      system.heldShards().includes(SCHEDULER_SHARD) &&
      this.#world.cluster.epochOf(SCHEDULER_SHARD) === epoch
    );
  }
}

function isOutdated(result: unknown): boolean {
  return (result as PlacementResult | undefined)?.isOutdated === true;
}

/** A node as it was when the commit began: pauses of the same commit come after its placements. */
function nodeBefore(tables: Tables, nodeId: number, changes: readonly RowChange[]): NodeDbRow {
  const own = changes.find(({ table, before }) => table === 'node' && before?.id === nodeId);
  return (own?.before as NodeDbRow | undefined) ?? tables.nodes.at(nodeId);
}
