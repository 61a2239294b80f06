/** How the runtime says no. Actors' own refusals travel in the same shape with codes of their own. */

/** Codes the kernel itself uses; `refuse` effects add the actors' codes. */
export type KernelCode =
  /** The addressee, or the number of live actors of its kind, is at its bound. Nothing happened. */
  | 'MAILBOX_FULL'
  /** No answer in time; whether the message was worked on is unknown. */
  | 'DEADLINE'
  /** Nobody known holds the shard. */
  | 'NOT_OWNER'
  /** The turn was refused by its guards again and again. Nothing was saved. */
  | 'CONFLICT'
  /** Store, lease or transport could not be reached; whether the message was worked on is unknown. */
  | 'UNAVAILABLE'
  /** The handler threw. Nothing was saved. */
  | 'HANDLER_FAILED'
  /** The system takes no more. */
  | 'STOPPING';

/** A failure as plain data: crosses processes. `message` and `detail` are shown to callers: no secrets. */
export interface KernelFailure {
  readonly code: string;
  readonly message: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** What `ask` rejects with: a code of the kernel, or of the actor that refused. */
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

/**
 * Thrown by ApplyPort: a guard failed, nothing of the group was saved. `turns` are the positions of the turns
 * to blame when they are known; without them the group is halved until each culprit is alone.
 */
export class TurnRefused extends Error {
  override readonly name = 'TurnRefused';
  readonly turns: readonly number[];
  /** What was to be saved is to blame, whatever the rows say: it will be refused again. */
  readonly isLasting: boolean;

  constructor(message: string, turns: readonly number[] = [], { isLasting = false } = {}) {
    super(message);
    this.turns = turns;
    this.isLasting = isLasting;
  }
}

/**
 * Thrown by ApplyPort: these shards are no longer held at the epoch of their turns. Nothing of the group was
 * saved.
 */
export class Fenced extends Error {
  override readonly name = 'Fenced';
  readonly shards: readonly number[];

  constructor(shards: readonly number[]) {
    super(`shards ${shards.join(', ')} are held by another coordinator or at another epoch`);
    this.shards = shards;
  }
}

/** Thrown by any port: the thing behind it can't be reached now. Waited out; blames no turn. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
}

// Adapters may not import the kernel's classes, only its types, so errors are known by their shape.

/** Positions of the refused turns when `error` is a TurnRefused. */
export function refusedTurns(error: unknown): readonly number[] | undefined {
  if (!(error instanceof Error) || error.name !== 'TurnRefused') return undefined;
  return 'turns' in error && Array.isArray(error.turns) ? error.turns : [];
}

/** Why a TurnRefused will be refused again; undefined for one that may go away. */
export function lastingReason(error: unknown): string | undefined {
  return error instanceof Error && 'isLasting' in error && error.isLasting === true
    ? error.message
    : undefined;
}

/** Shards when `error` is a Fenced. */
export function fencedShards(error: unknown): readonly number[] | undefined {
  if (!(error instanceof Error) || error.name !== 'Fenced') return undefined;
  return 'shards' in error && Array.isArray(error.shards) ? error.shards : [];
}

/** An Unavailable, or any error that says of itself that its kind is `unavailable`. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'Unavailable' || ('kind' in error && error.kind === 'unavailable');
}

/** An error of a port as plain data. What has no code of its own keeps its text to the log. */
export function toFailure(error: unknown): KernelFailure {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    const detail = 'detail' in error && typeof error.detail === 'object' ? error.detail : undefined;
    const failure = { code: error.code, message: error.message };
    return detail ? { ...failure, detail: detail as Readonly<Record<string, unknown>> } : failure;
  }
  if (isUnavailable(error)) return kernelFailure('UNAVAILABLE', 'temporarily unavailable');
  return kernelFailure('HANDLER_FAILED', 'an internal error');
}
