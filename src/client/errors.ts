/**
 * What a call may fail with. No error has the token, a header or a body that was sent. The texts of `RefusedError` are
 * those of the service, and may quote names of files: programs that show them on a terminal escape them.
 */

/** The method and path (with its query) of the call that failed. */
export interface FailedCall {
  readonly method: string;
  readonly path: string;
}

export abstract class ClientError extends Error {
  readonly call: FailedCall;

  constructor(call: FailedCall, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.call = call;
  }
}

/** Something that is wrong with a request. */
export interface Problem {
  /** A stable code, such as `UNKNOWN_FIELD`. */
  readonly name: string;
  readonly description: string;
  /** Where in the body, or the name of the parameter; empty where it is about the request as a whole. */
  readonly path: string;
}

export interface Refusal {
  readonly status: number;
  /** Stable, such as `NAME_TAKEN`; `HTTP_<status>` of an answer that is not the service's own. */
  readonly code: string;
  readonly detail: string;
  readonly problems: readonly Problem[];
  /** Under this name the service's log has more. */
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
}

/** The service answered that it will not do it. */
export class RefusedError extends ClientError implements Refusal {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly problems: readonly Problem[];
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(call: FailedCall, refusal: Refusal) {
    super(call, `${call.method} ${call.path}: ${refusal.status} ${refusal.code}: ${refusal.detail}`);
    this.status = refusal.status;
    this.code = refusal.code;
    this.detail = refusal.detail;
    this.problems = refusal.problems;
    this.requestId = refusal.requestId;
    this.retryAfterMs = refusal.retryAfterMs;
  }
}

/** No answer came, or none in time. Whether the request was carried out is unknown. */
export class UnreachableError extends ClientError {}

/** An answer came that no Millrace service gives: not JSON, longer than allowed, a redirect to another host. */
export class UnusableAnswerError extends ClientError {}

/** The code of a cursor that is no longer kept: read the lists again, and follow the changes from there. */
export const CHANGES_GONE = 'CHANGES_GONE';

export function isChangesGone(error: unknown): boolean {
  return error instanceof RefusedError && error.code === CHANGES_GONE;
}
