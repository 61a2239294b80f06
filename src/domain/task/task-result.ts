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
}
