/**
 * One scheduling pass: queued classes and nodes in, placements out. Pure, bounded, and without head-of-line blocking: a
 * class whose first job fits nowhere is set aside for the pass, and the jobs behind it continue.
 *
 * Order: smaller priority number first, then time in the queue (FIFO or LIFO). Node: the fullest one that still fits,
 * so that room for large jobs is not fragmented. A job that has waited long without fitting reserves the node that
 * could hold it soonest, so that small jobs cannot starve it. Short jobs may be sent ahead (work-ahead.ts).
 */
import { Heap } from '../../lib/heap.ts';
import { amountText, comparedAmounts } from './amount-text.ts';
import { type ClassQueue, isServedBefore } from './class-queue.ts';
import { Fleet, isEligible, type PassNode } from './fleet.ts';
import { missingNames } from './resources.ts';
import { hasExecutor, type SchedulingClass } from './scheduling-class.ts';
import type { QueuedJob, QueueMode } from './snapshot.ts';

/** A job that has waited this long and fits on no node at the moment reserves one. */
export const RESERVE_AFTER_MS = 10_000;

export interface Placement {
  readonly job: QueuedJob;
  readonly class: SchedulingClass;
  readonly nodeId: number;
}

export interface PassInput {
  readonly mode: QueueMode;
  readonly nowMs: number;
  /** Classes with jobs in memory whose types are not paused. */
  readonly queues: readonly ClassQueue[];
  readonly nodes: readonly PassNode[];
  /** How many more jobs of the type may run; Infinity without a limit. */
  readonly roomOf: (jobTypeId: number) => number;
  /** How long a job of the type is expected to take, if it may be sent ahead. */
  readonly shortMsOf?: (jobTypeId: number) => number | undefined;
  readonly placementsMax: number;
}

export interface PassOutput {
  readonly placements: readonly Placement[];
  /** Nodes that the pass kept free for jobs that have waited long. */
  readonly reservations: readonly Placement[];
  /** Limited by `placementsMax`: there are more jobs to place at once. */
  readonly isCutShort: boolean;
}

/** Places jobs and removes them from the queues. The caller accounts for the resources of nodes. */
export function placeJobs(input: PassInput): PassOutput {
  const placements: Placement[] = [];
  const reservations: Placement[] = [];
  const fleet = new Fleet(input.nodes);
  const used = new Map<number, number>();
  const heads = new Heap<ClassQueue>(
    (a, b) => {
      const [x, y] = [a.peek(), b.peek()];
      return x !== undefined && (y === undefined || isServedBefore(input.mode, x, y));
    },
    input.queues.filter((queue) => queue.size > 0),
  );
  while (placements.length < input.placementsMax) {
    const queue = heads.pop();
    const job = queue?.peek();
    if (queue === undefined || job === undefined) return { placements, reservations, isCutShort: false };
    const typeId = queue.class.jobTypeId;
    if (input.roomOf(typeId) - (used.get(typeId) ?? 0) <= 0) continue;
    const node = fleet.place(queue.class, input.shortMsOf?.(typeId));
    if (node === undefined) {
      fleet.holdAhead(queue.class);
      if (input.nowMs - job.queuedMs < RESERVE_AFTER_MS) continue;
      const kept = fleet.reserveFor(queue.class);
      if (kept !== undefined) reservations.push({ job, class: queue.class, nodeId: kept.nodeId });
      continue;
    }
    queue.take();
    used.set(typeId, (used.get(typeId) ?? 0) + 1);
    placements.push({ job, class: queue.class, nodeId: node.nodeId });
    if (queue.size > 0) heads.push(queue);
  }
  return { placements, reservations, isCutShort: heads.size > 0 };
}

/**
 * The resources that the cluster lacks for a class, as names for users: `executor docker`, `mem`, `workspace`; empty if
 * some node could run it. Without nodes the result is empty, so that a starting cluster reports nothing.
 */
export function unmetOf(nodes: readonly PassNode[], jobClass: SchedulingClass): readonly string[] {
  if (nodes.length === 0) return [];
  const withExecutor = nodes.filter((node) => hasExecutor(node.executors, jobClass.executor));
  if (withExecutor.length === 0) return [`executor ${jobClass.executor}`];
  const withWorkspaces = withExecutor.filter((node) => isEligible(node, jobClass));
  if (withWorkspaces.length === 0) return ['workspace'];
  let fewest: readonly string[] | undefined;
  for (const node of withWorkspaces) {
    const missing = missingNames(jobClass.resources, node.total);
    if (missing.length === 0) return [];
    if (fewest === undefined || missing.length < fewest.length) fewest = missing;
  }
  return fewest ?? [];
}

/**
 * Saved for a class whose workspaces no single node reaches. The rows of the nodes contain the workspaces and reasons.
 */
export const UNREACHED = 'workspaces';

export interface NamedNode extends PassNode {
  readonly hostname: string;
}

/** As `unmetOf`, as one sentence with the amounts that are needed and offered; null if some node could run it. */
export function unmetSentence(nodes: readonly NamedNode[], jobClass: SchedulingClass): string | null {
  if (unmetOf(nodes, jobClass).length === 0) return null;
  const withExecutor = nodes.filter((node) => hasExecutor(node.executors, jobClass.executor));
  if (withExecutor.length === 0) return withoutExecutor(nodes, jobClass.executor);
  const eligible = withExecutor.filter((node) => isEligible(node, jobClass));
  if (eligible.length === 0) return UNREACHED;
  const names = unmetOf(eligible, jobClass);
  return names.map((name) => tooLittle(eligible, name, jobClass.resources[name] ?? 0)).join('; ');
}

function withoutExecutor(nodes: readonly NamedNode[], executor: string): string {
  if (executor === 'docker')
    return 'needs a container, and no node runs containers (executors docker and oci)';
  const offered = [...new Set(nodes.flatMap((node) => [...node.executors]))].sort();
  const [profile, ...others] = offered.filter((name) => name.startsWith('process:'));
  const hint = profile === undefined || others.length > 0 ? '' : ` (did you mean ${profile}?)`;
  const there = offered.length === 0 ? 'none' : offered.slice(0, 20).join(', ');
  return `no node offers the executor ${executor}${hint}; there are: ${there}`;
}

function tooLittle(nodes: readonly NamedNode[], name: string, wanted: number): string {
  const [first, ...rest] = nodes;
  if (first === undefined) return `needs ${amountText(name, wanted)}`;
  const hadBy = (node: NamedNode): number => node.total[name] ?? 0;
  const largest = rest.reduce((best, node) => (hadBy(node) > hadBy(best) ? node : best), first);
  // Another node may have enough of this resource, and too little of another one.
  const isHad = hadBy(largest) >= wanted;
  const there = isHad ? 'no node has enough of everything; ' : 'the largest node, ';
  const texts = comparedAmounts(name, wanted, hadBy(largest));
  return `needs ${texts.wanted}; ${there}${largest.hostname}${isHad ? '' : ','} has ${texts.there}`;
}
