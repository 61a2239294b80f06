/** The report of an agent at the end of one execution. */

import type { Footprint } from '../geometry/footprint.ts';

export type PhaseName = 'pull' | 'pre' | 'main' | 'post';

export interface PhaseTime {
  readonly phase: PhaseName;
  readonly startedMs: number;
  readonly endedMs: number | null;
  readonly exitCode: number | null;
  readonly isTimedOut: boolean;
}

/** A registered error by name. `isBuiltin` false: the manifest of the job's type declares it. */
export interface ErrorRef {
  readonly name: string;
  readonly isBuiltin: boolean;
  /** What happened this time, for people; absent or '': nothing beyond the error itself. */
  readonly detail?: string;
}

export interface StoredOutput {
  readonly output: string;
  readonly workspaceUuid: string;
  readonly path: string;
  readonly fileName: string;
  readonly size: number;
  readonly mediaType: string;
  readonly sha256: string;
  /** Side-car of the product: a GeoJSON Feature whose geometry is in the footprint, or null. */
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly footprint?: Footprint | undefined;
}

export interface ParsedInput {
  readonly input: string;
  readonly fileId: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly footprint?: Footprint | undefined;
}

/**
 * Where figures come from: `cgroup`, the kernel's control groups, which count all processes of a task; `rusage`, what
 * the kernel counts of processes that were waited for; `engine`, the container engine, about once a second.
 */
export type UsedSource = 'cgroup' | 'rusage' | 'engine';

/** What the main task of an execution used. Figures that nobody measured are absent. */
export interface Used {
  /** Who measured memory and processor time. */
  readonly source: UsedSource;
  /** The most at one time. `rusage`: of its largest process. */
  readonly memoryBytes?: number | undefined;
  readonly processorUs?: number | undefined;
  /** From storage: what the cache had does not count. */
  readonly readBytes?: number | undefined;
  readonly writtenBytes?: number | undefined;
  /**
   * Allocated to its folder when it ended: inputs that were copied, outputs, working files, written files of its image.
   */
  readonly diskBytes?: number | undefined;
}

/** Bytes of each stream that were cut off. */
export interface LogCut {
  readonly stdout: number;
  readonly stderr: number;
}

export interface TaskResult {
  readonly executionId: number;
  readonly jobId: number;
  readonly exeNum: number;
  readonly outcome: 'completed' | 'failed' | 'canceled';
  readonly error: (ErrorRef & { readonly detail: string }) | null;
  readonly phases: readonly PhaseTime[];
  readonly outputs: readonly StoredOutput[];
  readonly jsonOutputs: Readonly<Record<string, unknown>>;
  readonly parsedInputs: readonly ParsedInput[];
  readonly facts: TaskFacts;
  /** The agent gave the execution back before it started anything of it. */
  readonly neverBegan?: boolean;
}

/** What is recorded of an execution beside its result. */
export interface TaskFacts {
  readonly used: Used | null;
  /** `sha256:<hex>` of the image that it ran. */
  readonly imageDigest: string | null;
  /** Null if nothing was cut off. */
  readonly logCut: LogCut | null;
}

export const NO_FACTS: TaskFacts = { used: null, imageDigest: null, logCut: null };
