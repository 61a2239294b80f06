/**
 * Requests that may be repeated. A client names a request by an `Idempotency-Key`. What the request creates is saved
 * together with its answer under that key, so that a repeat finds the answer and creates nothing.
 */

/** The account id of callers without an account; no account has it. */
export const NO_ACCOUNT = 0;

/** The name of a request, with a fingerprint of its contents. */
export interface IdempotencyKey {
  /** `NO_ACCOUNT` for callers without one. */
  readonly accountId: number;
  /** As sent: 1 to 255 printable ASCII characters. */
  readonly key: string;
  /** Base64 of the encrypted SHA-256 of method, path and body: bodies may hold passwords. */
  readonly fingerprint: string;
}

/** An answer without its body. */
export interface AnswerHead {
  /** The status of the HTTP answer. */
  readonly status: number;
  /** Path of the record below the root of the interface; null if the answer has no `Location`. */
  readonly location: string | null;
  /** The `Warning` header. */
  readonly warning: string | null;
}

/** A record that the creating transaction reads for the answer. */
export interface RecordRef {
  readonly type: 'job' | 'recipe' | 'batch';
  readonly id: number;
}

/** A body that is known before the commit. */
export interface GivenBody {
  readonly type: 'body';
  readonly body: Readonly<Record<string, unknown>>;
}

/** The answer of a request whose work is saved by a turn of an actor. */
export interface KeyedAnswer extends AnswerHead {
  readonly key: IdempotencyKey;
  /** Null: the answer has no body. */
  readonly record: RecordRef | GivenBody | null;
}
