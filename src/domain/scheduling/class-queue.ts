/**
 * The queue of one scheduling class in the scheduler: its first jobs in memory, the rest in rows.
 *
 * Memory is limited: with more than `HEAD_MAX` jobs the class is no longer whole and is refilled from rows when its
 * head is empty. Jobs that are being placed are remembered until their commit, so that reading rows again cannot bring
 * them back.
 */
import { Heap } from '../../lib/heap.ts';
import type { SchedulingClass } from './scheduling-class.ts';
import type { QueuedJob, QueueMode } from './snapshot.ts';

/** limit: jobs of a class in memory. */
export const HEAD_MAX = 1_000;

/** Whether `a` is placed before `b`: smaller priority number first, then by time in the queue, then by id. */
export function isServedBefore(mode: QueueMode, a: QueuedJob, b: QueuedJob): boolean {
  if (a.priority !== b.priority) return a.priority < b.priority;
  if (a.queuedMs !== b.queuedMs) return mode === 'FIFO' ? a.queuedMs < b.queuedMs : a.queuedMs > b.queuedMs;
  return mode === 'FIFO' ? a.jobId < b.jobId : a.jobId > b.jobId;
}

export class ClassQueue {
  readonly class: SchedulingClass;
  /** No job of the class is queued beyond the head. */
  isWhole: boolean;
  /** A read of rows is pending. */
  isReading = false;
  readonly #mode: QueueMode;
  readonly #heap: Heap<QueuedJob>;
  /** By job id: the execution number of jobs in the heap, and of jobs that are being placed. */
  readonly #known = new Map<number, number>();

  constructor(schedulingClass: SchedulingClass, mode: QueueMode, isWhole: boolean) {
    this.class = schedulingClass;
    this.isWhole = isWhole;
    this.#mode = mode;
    this.#heap = new Heap((a, b) => isServedBefore(mode, a, b));
  }

  get size(): number {
    return this.#heap.size;
  }

  /** Whether no job is in memory and none is known to wait in rows. */
  get isSpent(): boolean {
    return this.#heap.size === 0 && this.isWhole && this.#known.size === 0;
  }

  /** Whether the head has to be read from rows. */
  get needsRead(): boolean {
    return this.#heap.size === 0 && !this.isWhole && !this.isReading;
  }

  peek(): QueuedJob | undefined {
    return this.#heap.peek();
  }

  /** Adds a job unless it is known. A class that is not whole accepts only what fits in memory: rows have the rest. */
  offer(job: QueuedJob): void {
    const known = this.#known.get(job.jobId);
    if (known !== undefined && known >= job.exeNum) return;
    if (this.#heap.size >= HEAD_MAX || (!this.isWhole && this.#isBehind(job))) {
      this.isWhole = false;
      return;
    }
    this.#known.set(job.jobId, job.exeNum);
    this.#heap.push(job);
  }

  /** Takes the first job for placing; it stays known until `settle`. */
  take(): QueuedJob | undefined {
    return this.#heap.pop();
  }

  /** Forgets a job whose placement is committed, or was refused by its row. */
  settle(jobId: number): void {
    this.#known.delete(jobId);
  }

  /** Whether rows may hold jobs that come before `job`, so that it must wait for them. */
  #isBehind(job: QueuedJob): boolean {
    const head = this.#heap.peek();
    return head === undefined || !isServedBefore(this.#mode, job, head);
  }
}
