/** Failures of tasks, by names of the error catalogue: thrown by the phases, reported as the task's error. */

/** Built-in errors that an agent may report. */
export type BuiltinError =
  | 'unknown'
  | 'filesystem-io'
  | 'task-launch'
  | 'docker-task-launch'
  | 'docker-terminated'
  | 'resource-starvation'
  | 'launch-timeout'
  | 'pull'
  | 'pull-timeout'
  | 'pre-timeout'
  | 'post-timeout'
  | 'system-timeout'
  | 'timeout'
  | 'scheduler-lost'
  | 'algorithm-unknown'
  | 'out-of-memory'
  | 'invalid-results-manifest'
  | 'missing-required-output'
  | 'unexpected-multiple-outputs'
  | 'product-path-taken'
  | 'missing-setting'
  | 'missing-mount'
  | 'deleted-file'
  | 'missing-file'
  | 'invalid-input'
  | 'test';

/** An expected failure of a task. `message` is for people and never contains a secret. */
export class TaskFailure extends Error {
  override readonly name = 'TaskFailure';
  readonly errorName: string;
  readonly isBuiltin: boolean;

  constructor(errorName: BuiltinError, detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.errorName = errorName;
    this.isBuiltin = true;
  }
}

/** A failure that the job type's manifest declares for an exit code. */
export class DeclaredFailure extends Error {
  override readonly name = 'DeclaredFailure';
  readonly errorName: string;
  readonly isBuiltin = false;

  constructor(errorName: string, detail: string) {
    super(detail);
    this.errorName = errorName;
  }
}

/** The same failure with more detail. */
export function withDetail(failure: TaskFailure | DeclaredFailure, detail: string): typeof failure {
  const { errorName } = failure;
  return failure instanceof DeclaredFailure
    ? new DeclaredFailure(errorName, detail)
    : new TaskFailure(errorName as BuiltinError, detail);
}
