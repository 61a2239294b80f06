/**
 * The nodes of one pass as plain numbers. A placement looks at every node, unless the job before it was of the same
 * class and its node has room for another: with thousands of nodes this dominates the cost of a pass.
 */
import { EPSILON, subtract } from './resources.ts';
import { hasExecutor, type Resources, type SchedulingClass } from './scheduling-class.ts';
import { AHEAD_MS_MAX, AHEAD_TIMES_MAX, type AheadRoom } from './work-ahead.ts';

/** A node in a pass. */
export interface PassNode {
  readonly nodeId: number;
  readonly total: Resources;
  readonly free: Resources;
  readonly executors: ReadonlySet<string>;
  readonly workspaceIds: ReadonlySet<number>;
  /** Present if it may be sent work ahead. */
  readonly ahead?: AheadRoom | undefined;
}

/** Whether the node could ever run the class: it has the executor and reaches the workspaces. */
export function isEligible(
  node: Pick<PassNode, 'executors' | 'workspaceIds'>,
  jobClass: SchedulingClass,
): boolean {
  return (
    hasExecutor(node.executors, jobClass.executor) &&
    jobClass.workspaceIds.every((id) => node.workspaceIds.has(id))
  );
}

/** The amount of a resource that a class does not name: it fits even on a node whose resources are exceeded. */
const UNNEEDED = Number.NEGATIVE_INFINITY;

export class Fleet {
  readonly #nodes: readonly PassNode[];
  /** Resources that some node has. */
  readonly #names: readonly string[];
  /** Amounts, node by node, in the order of the names. */
  readonly #free: Float64Array;
  readonly #total: Float64Array;
  readonly #isReserved: Uint8Array;
  readonly #eligible = new Map<string, readonly number[]>();
  readonly #wanted = new Map<string, Float64Array | undefined>();
  /** The class and the node of the last placement; undefined if something was reserved since. */
  #last: { readonly classKey: string; readonly node: number } | undefined;
  /** Classes that fit nowhere for the rest of the pass. */
  readonly #full = new Set<string>();
  /** Amounts, node by node: those that tasks do not hold which take long. */
  readonly #besideLong: Float64Array;
  /** The work of each node, in ms; Infinity: nothing more is sent ahead. */
  readonly #shortMs: Float64Array;

  constructor(nodes: readonly PassNode[]) {
    this.#nodes = nodes;
    this.#names = [
      ...new Set(nodes.flatMap(({ total, free }) => [...Object.keys(total), ...Object.keys(free)])),
    ];
    this.#free = this.#matrix(({ free }) => free);
    this.#total = this.#matrix(({ total }) => total);
    this.#isReserved = new Uint8Array(nodes.length);
    this.#besideLong = this.#matrix(({ total, ahead }) => {
      const amounts = { ...total };
      subtract(amounts, ahead?.long ?? {});
      return amounts;
    });
    this.#shortMs = Float64Array.from(nodes, ({ ahead }) => ahead?.shortMs ?? Number.POSITIVE_INFINITY);
  }

  /**
   * Places a job on the fullest node that still fits, can run the class and is not reserved. If there is none, a job
   * that is expected to take `shortMs` is sent ahead to the node that has the least to do.
   */
  place(jobClass: SchedulingClass, shortMs?: number): PassNode | undefined {
    const wanted = this.#wantedBy(jobClass);
    if (wanted === undefined) return undefined;
    const best =
      this.#sameAgain(jobClass, wanted) ??
      this.#fullestUnlessFull(jobClass, wanted) ??
      (shortMs === undefined ? undefined : this.#leastBusy(jobClass, wanted, shortMs));
    if (best === undefined) return undefined;
    this.#take(best, wanted, shortMs);
    this.#last = { classKey: jobClass.key, node: best };
    return this.#nodes[best];
  }

  /**
   * Sends nothing more ahead to nodes on which the class could run as soon as their short tasks have ended: jobs that
   * are served later must not keep it waiting.
   */
  holdAhead(jobClass: SchedulingClass): void {
    const wanted = this.#wantedBy(jobClass);
    if (wanted === undefined) return;
    for (const node of this.#eligibleFor(jobClass)) {
      // Checked first: in a full cluster this runs for each class.
      if (this.#shortMs[node] === Number.POSITIVE_INFINITY) continue;
      if (this.#shareWith(node, wanted, this.#besideLong) >= 0)
        this.#shortMs[node] = Number.POSITIVE_INFINITY;
    }
  }

  #leastBusy(jobClass: SchedulingClass, wanted: Float64Array, shortMs: number): number | undefined {
    let best: number | undefined;
    let bestMs = AHEAD_MS_MAX;
    for (const node of this.#eligibleFor(jobClass)) {
      const hasMs = this.#shortMs[node] as number;
      if (hasMs > bestMs || this.#isReserved[node] === 1) continue;
      const busyMs = hasMs + shortMs * this.#wholeShare(node, wanted);
      if (busyMs > bestMs || !this.#mayWait(node, wanted)) continue;
      best = node;
      bestMs = busyMs;
    }
    return best;
  }

  /** Whether all that the job needs is free, or held by short tasks, of which not too many wait. */
  #mayWait(node: number, wanted: Float64Array): boolean {
    const from = node * wanted.length;
    for (let at = 0; at < wanted.length; at++) {
      const need = wanted[at] as number;
      if (need > (this.#besideLong[from + at] as number) + EPSILON) return false;
      const promised =
        (this.#free[from + at] as number) + AHEAD_TIMES_MAX * (this.#total[from + at] as number);
      if (need > promised + EPSILON) return false;
    }
    return true;
  }

  /** As `shareOf` of work-ahead.ts, in the plain numbers of a pass. */
  #wholeShare(node: number, wanted: Float64Array): number {
    let share = 0;
    const from = node * wanted.length;
    for (let at = 0; at < wanted.length; at++) {
      const need = wanted[at] as number;
      if (need > 0) share = Math.max(share, Math.min(1, need / (this.#total[from + at] as number)));
    }
    return share;
  }

  /** The last placement has made its node fuller and no other, so it is still the fullest for the class. */
  #sameAgain({ key }: SchedulingClass, wanted: Float64Array): number | undefined {
    const last = this.#last;
    if (last?.classKey !== key || this.#shareWith(last.node, wanted, this.#free) < 0) return undefined;
    return last.node;
  }

  #fullestUnlessFull(jobClass: SchedulingClass, wanted: Float64Array): number | undefined {
    if (this.#full.has(jobClass.key)) return undefined;
    const best = this.#fullest(jobClass, wanted);
    if (best === undefined) this.#full.add(jobClass.key);
    return best;
  }

  #fullest(jobClass: SchedulingClass, wanted: Float64Array): number | undefined {
    let best: number | undefined;
    let bestShare = -1;
    for (const node of this.#eligibleFor(jobClass)) {
      if (this.#isReserved[node] === 1) continue;
      const share = this.#shareWith(node, wanted, this.#free);
      if (share <= bestShare) continue;
      best = node;
      bestShare = share;
    }
    return best;
  }

  /** Reserves, for this pass, the emptiest node that could hold the class. */
  reserveFor(jobClass: SchedulingClass): PassNode | undefined {
    const wanted = this.#wantedBy(jobClass);
    if (wanted === undefined) return undefined;
    const nothing = new Float64Array(wanted.length).fill(UNNEEDED);
    let best: number | undefined;
    let bestShare = Number.POSITIVE_INFINITY;
    for (const node of this.#eligibleFor(jobClass)) {
      if (this.#isReserved[node] === 1 || this.#shareWith(node, wanted, this.#total) < 0) continue;
      const share = this.#shareWith(node, nothing, this.#free);
      if (share >= bestShare) continue;
      best = node;
      bestShare = share;
    }
    if (best === undefined) return undefined;
    this.#isReserved[best] = 1;
    this.#last = undefined;
    return this.#nodes[best];
  }

  /**
   * The greatest share of one of the node's resources that would be taken after the placement; -1 if it does not fit
   * into `room`.
   */
  #shareWith(node: number, wanted: Float64Array, room: Float64Array): number {
    let share = 0;
    const from = node * wanted.length;
    for (let at = 0; at < wanted.length; at++) {
      const need = wanted[at] as number;
      if (need > (room[from + at] as number) + EPSILON) return -1;
      const whole = this.#total[from + at] as number;
      if (whole <= 0) continue;
      const taken = (whole - (this.#free[from + at] as number) + Math.max(need, 0)) / whole;
      if (taken > share) share = taken;
    }
    return share;
  }

  #take(node: number, wanted: Float64Array, shortMs: number | undefined): void {
    const from = node * wanted.length;
    for (let at = 0; at < wanted.length; at++) {
      const need = Math.max(wanted[at] as number, 0);
      this.#free[from + at] = (this.#free[from + at] as number) - need;
      if (shortMs !== undefined) continue;
      this.#besideLong[from + at] = (this.#besideLong[from + at] as number) - need;
    }
    if (shortMs !== undefined)
      this.#shortMs[node] = (this.#shortMs[node] as number) + shortMs * this.#wholeShare(node, wanted);
  }

  /** Undefined if it needs a resource that no node has. */
  #wantedBy({ key, resources }: SchedulingClass): Float64Array | undefined {
    if (this.#wanted.has(key)) return this.#wanted.get(key);
    const isHad = Object.entries(resources).every(([name, amount]) => {
      return amount <= EPSILON || this.#names.includes(name);
    });
    const wanted = isHad ? Float64Array.from(this.#names, (name) => resources[name] ?? UNNEEDED) : undefined;
    this.#wanted.set(key, wanted);
    return wanted;
  }

  #eligibleFor(jobClass: SchedulingClass): readonly number[] {
    const key = `${jobClass.executor} ${jobClass.workspaceIds.join()}`;
    const known = this.#eligible.get(key);
    if (known !== undefined) return known;
    const eligible = [...this.#nodes.keys()].filter((at) =>
      isEligible(this.#nodes[at] as PassNode, jobClass),
    );
    this.#eligible.set(key, eligible);
    return eligible;
  }

  #matrix(amountsOf: (node: PassNode) => Resources): Float64Array {
    const width = this.#names.length;
    const matrix = new Float64Array(this.#nodes.length * width);
    for (const [row, node] of this.#nodes.entries()) {
      const amounts = amountsOf(node);
      for (let at = 0; at < width; at++) matrix[row * width + at] = amounts[this.#names[at] as string] ?? 0;
    }
    return matrix;
  }
}
