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

/** Creates a failure of the kernel's own. */
export function kernelFailure(code: KernelCode, message: string): KernelFailure {
  return { code, message };
}

/**
 * Thrown by ApplyPort: a guard failed, nothing of the group was saved. `turns` are the positions of the turns to blame,
 * if known; without them the group is halved until each of them is alone.
 */
export class TurnRefused extends Error {
  override readonly name = 'TurnRefused';
  readonly turns: readonly number[];
  /** The change itself is to blame, whatever the rows hold: it will be refused again. */
  readonly isLasting: boolean;

  constructor(message: string, turns: readonly number[] = [], { isLasting = false } = {}) {
    super(message);
    this.turns = turns;
    this.isLasting = isLasting;
  }
}

/** Thrown by ApplyPort: these shards are no longer held at the epoch of their turns. Nothing of the group was saved. */
export class Fenced extends Error {
  override readonly name = 'Fenced';
  readonly shards: readonly number[];

  constructor(shards: readonly number[]) {
    super(`shards ${shards.join(', ')} are held by another coordinator or at another epoch`);
    this.shards = shards;
  }
}

/** Thrown by any port whose service can't be reached at present. The kernel waits, and blames no turn. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
}

// Adapters may import only the kernel's types, not its classes, so errors are recognized by their shape.

/** The positions of the refused turns if `error` is a TurnRefused. */
export function refusedTurns(error: unknown): readonly number[] | undefined {
  if (!(error instanceof Error) || error.name !== 'TurnRefused') return undefined;
  return 'turns' in error && Array.isArray(error.turns) ? error.turns : [];
}

/** The reason of a lasting TurnRefused; undefined for other errors. */
export function lastingReason(error: unknown): string | undefined {
  return error instanceof Error && 'isLasting' in error && error.isLasting === true
    ? error.message
    : undefined;
}

/** The shards if `error` is a Fenced. */
export function fencedShards(error: unknown): readonly number[] | undefined {
  if (!(error instanceof Error) || error.name !== 'Fenced') return undefined;
  return 'shards' in error && Array.isArray(error.shards) ? error.shards : [];
}

/** Whether `error` is an Unavailable, or any error whose `kind` is `unavailable`. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'Unavailable' || ('kind' in error && error.kind === 'unavailable');
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
