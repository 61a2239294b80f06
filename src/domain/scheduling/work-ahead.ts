/**
 * Work ahead: a node gets a little more work than fits, which waits there for room. Its tasks then follow each other
 * without a commit and two messages in between, and ends and placements come in groups. Only tasks that are expected to
 * end soon are sent ahead, and only behind such tasks. What waits too long is given back by the agent.
 */
import { add, subtract } from './resources.ts';
import type { Resources } from './scheduling-class.ts';

/** Tasks of a type that is expected to take longer are not sent ahead, and no task waits behind them. */
export const SHORT_MS_MAX = 50;
/** How much work a node may have, as the time in which it would do all of it with its resources in full use. */
export const AHEAD_MS_MAX = 100;
/** How much more than it has may be promised of each resource of a node, as a multiple. */
export const AHEAD_TIMES_MAX = 3;
/** A node that gave work back gets none ahead for this time. */
export const AHEAD_PAUSE_MS = 10_000;
/**
 * An execution that is this old takes long, whatever was expected. What waits behind it is given back sooner, and a
 * coordinator that is late with the end of a short task is not this late.
 */
export const LATE_MS = 5_000;

// limit: job types whose times are remembered.
const TYPES_MAX = 10_000;
/** The weight of a shorter time than expected; a longer one counts at once. */
const SHORTER_WEIGHT = 0.2;
/** The shortest time that is expected, so that even tasks that do nothing add up. */
const MS_MIN = 0.1;

/** How long tasks of each job type took lately, with caution: one long task makes its type a long one for a while. */
export class TaskTimes {
  readonly #expectedMs = new Map<number, number>();

  note(jobTypeId: number, tookMs: number): void {
    const ms = Math.max(tookMs, MS_MIN);
    const known = this.#expectedMs.get(jobTypeId);
    const isLonger = known === undefined || ms >= known;
    this.#expectedMs.delete(jobTypeId);
    this.#expectedMs.set(jobTypeId, isLonger ? ms : known + (ms - known) * SHORTER_WEIGHT);
    const [first] = this.#expectedMs.keys();
    if (this.#expectedMs.size > TYPES_MAX && first !== undefined) this.#expectedMs.delete(first);
  }

  /** How long a task of the type is expected to take; undefined: too long to be sent ahead, or unknown. */
  shortMs(jobTypeId: number): number | undefined {
    const ms = this.#expectedMs.get(jobTypeId);
    return ms !== undefined && ms < SHORT_MS_MAX ? ms : undefined;
  }
}

/** What a node has to do already. */
export interface AheadRoom {
  /** Held by tasks that are not expected to end soon. */
  readonly long: Resources;
  /** The work of the others, as in `AHEAD_MS_MAX`. */
  readonly shortMs: number;
}

/** What a node has to do, as far as work ahead depends on it. */
interface NodeWork extends AheadRoom {
  readonly long: Record<string, number>;
  shortMs: number;
  /** It gets nothing ahead before this time. */
  aheadFromMs: number;
}

/** What of an execution counts. */
export interface WorkOfExecution {
  readonly nodeId: number;
  readonly jobTypeId: number;
  readonly resources: Resources;
  /** Its part of the work of its node; undefined: it may take long. */
  readonly shortMs?: number | undefined;
}

/** What is known of an execution that has ended. */
export interface EndOfExecution {
  /** How long its task took; absent: unknown, or nothing of it began. */
  readonly tookMs?: number | undefined;
  /** The agent gave it back. */
  readonly neverBegan?: boolean | undefined;
}

/** What all nodes have to do. */
export class WorkAhead {
  readonly #times = new TaskTimes();
  readonly #nodes = new Map<number, NodeWork>();

  /** How long a job of the type is expected to take, if it may be sent ahead. */
  shortMs(jobTypeId: number): number | undefined {
    return this.#times.shortMs(jobTypeId);
  }

  /** An execution runs since then: one that is late makes its type a long one before it has ended. */
  noteAge(jobTypeId: number, ageMs: number): void {
    if (ageMs >= LATE_MS) this.#times.note(jobTypeId, ageMs);
  }

  /** Counts an execution on a node with these resources; undefined: unknown. Returns its `shortMs`. */
  add({ nodeId, jobTypeId, resources }: WorkOfExecution, total: Resources | undefined): number | undefined {
    const work = this.#workOn(nodeId);
    const expectedMs = this.#times.shortMs(jobTypeId);
    if (expectedMs === undefined || total === undefined) {
      add(work.long, resources);
      return undefined;
    }
    const shortMs = expectedMs * shareOf(resources, total);
    work.shortMs += shortMs;
    return shortMs;
  }

  /** An execution ended, or was not placed. */
  remove(one: WorkOfExecution, { tookMs, neverBegan }: EndOfExecution, nowMs: number): void {
    const work = this.#workOn(one.nodeId);
    if (tookMs !== undefined) this.#times.note(one.jobTypeId, tookMs);
    if (neverBegan === true) work.aheadFromMs = nowMs + AHEAD_PAUSE_MS;
    if (one.shortMs === undefined) subtract(work.long, one.resources);
    else work.shortMs = Math.max(0, work.shortMs - one.shortMs);
  }

  /** Nothing is counted any more. What tasks take, and who of these nodes gave work back, is remembered. */
  clear(nodeIds: ReadonlySet<number>): void {
    for (const [nodeId, { aheadFromMs }] of this.#nodes) {
      if (nodeIds.has(nodeId)) this.#nodes.set(nodeId, { long: {}, shortMs: 0, aheadFromMs });
      else this.#nodes.delete(nodeId);
    }
  }

  /**
   * Undefined: nothing is sent ahead at present. A pause that lasts longer than usual was set before the clock stepped
   * back.
   */
  roomOn(nodeId: number, nowMs: number): AheadRoom | undefined {
    const work = this.#workOn(nodeId);
    const isPaused = work.aheadFromMs > nowMs && work.aheadFromMs <= nowMs + AHEAD_PAUSE_MS;
    return isPaused ? undefined : work;
  }

  #workOn(nodeId: number): NodeWork {
    const known = this.#nodes.get(nodeId);
    if (known !== undefined) return known;
    const work = { long: {}, shortMs: 0, aheadFromMs: 0 };
    this.#nodes.set(nodeId, work);
    return work;
  }
}

/** The greatest share of one of the node's resources that a task takes; 1 if the node lacks one. */
function shareOf(resources: Resources, total: Resources): number {
  let share = 0;
  for (const name in resources) {
    const wanted = resources[name] ?? 0;
    if (wanted > 0) share = Math.max(share, Math.min(1, wanted / (total[name] ?? 0)));
  }
  return share;
}
