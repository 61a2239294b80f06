/** Errors of the runtime. Actors' own refusals have the same shape with codes of their own. */

/** The codes of the kernel; `refuse` effects add the actors' codes. */
export type KernelCode =
  /** The addressee's mailbox, or the number of live actors of its kind, is at its limit. Nothing happened. */
  | 'MAILBOX_FULL'
  /** No answer in time; whether the message was handled is unknown. */
  | 'DEADLINE'
  /** No known coordinator holds the shard. */
  | 'NOT_OWNER'
  /** Guards refused the turn repeatedly. Nothing was saved. */
  | 'CONFLICT'
  /** Store, lease or transport could not be reached; whether the message was handled is unknown. */
  | 'UNAVAILABLE'
  /** The handler threw. Nothing was saved. */
  | 'HANDLER_FAILED'
  /** The system is stopping and accepts no more messages. */
  | 'STOPPING';

/** A failure as plain data that can cross processes. `message` and `detail` are shown to callers: no secrets. */
export interface KernelFailure {
  readonly code: string;
  readonly message: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** The error with which `ask` rejects: a code of the kernel, or of the actor that refused. */
export class KernelError extends Error {
  override readonly name = 'KernelError';
  readonly code: string;
  readonly detail: Readonly<Record<string, unknown>>;

  constructor(failure: KernelFailure) {
    super(failure.message);
    this.code = failure.code;
    this.detail = failure.detail ?? {};
  }
}

/** A failure of the kernel's own. */
export function kernelFailure(code: KernelCode, message: string): KernelFailure {
  return { code, message };
}

/** Whether a port could not reach its service: an Unavailable, or any error of the same `kind`. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof Error && 'kind' in error && error.kind === 'unavailable';
}

/** An error of a port as plain data. The text of an error without a code goes to the log only. */
export function toFailure(error: unknown): KernelFailure {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    const detail = 'detail' in error && typeof error.detail === 'object' ? error.detail : undefined;
    const failure = { code: error.code, message: error.message };
    return detail ? { ...failure, detail: detail as Readonly<Record<string, unknown>> } : failure;
  }
  if (isUnavailable(error)) return kernelFailure('UNAVAILABLE', 'temporarily unavailable');
  return kernelFailure('HANDLER_FAILED', 'an internal error');
}
