/**
 * The errors of calls. No error contains the token, a header or a body that was sent. The texts of `RefusedError` are
 * those of the service, and may quote names of files: programs that show them on a terminal escape them.
 */

import type { Fault } from './faults.ts';

/** The method and path (with its query) of the call that failed. */
export interface FailedCall {
  readonly method: string;
  readonly path: string;
}

/** Every failure of a call. Its message names the method and the path, and says what happened. */
export abstract class ClientError extends Error {
  readonly call: FailedCall;

  constructor(call: FailedCall, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.call = call;
  }
}

/** One problem of a request. */
export interface Problem {
  /** A stable code, such as `UNKNOWN_FIELD`. */
  readonly name: string;
  readonly description: string;
  /** Where in the body, or the name of the parameter; empty where it is about the request as a whole. */
  readonly path: string;
}

/** The service's refusal of a request. */
export interface Refusal {
  /** The HTTP status, 400 to 599. */
  readonly status: number;
  /** Stable, such as `NAME_TAKEN`; `HTTP_<status>` of an answer that is not the service's own. */
  readonly code: string;
  /** A sentence of the service; at most 2,000 characters. */
  readonly detail: string;
  /** All problems; the service lists at most 100. */
  readonly problems: readonly Problem[];
  /** The id of the request; the service's log has more under it. */
  readonly requestId: string | undefined;
  /** `Retry-After` in ms; undefined if the service sent none. */
  readonly retryAfterMs: number | undefined;
}

/** The service refused the request. Correct what `problems` or `detail` name; 401 needs another token. */
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

/** No answer came in time. Whether the request was carried out is unknown: check before you repeat a change. */
export class UnreachableError extends ClientError {
  /** What is wrong with the address or the certificate; undefined where that is not known. */
  readonly fault: Fault | undefined;
  /** Whether another attempt may succeed. One at an address that has a fault and has never answered does not. */
  readonly mayPass: boolean;

  constructor(
    call: FailedCall,
    message: string,
    options: { cause?: unknown; fault?: Fault | undefined; mayPass?: boolean } = {},
  ) {
    const { fault, mayPass = true, ...rest } = options;
    super(call, message, rest);
    this.fault = fault;
    this.mayPass = mayPass;
  }
}

/** The answer is not one of a Millrace service: not JSON, too long, or a redirect to another host. */
export class UnusableAnswerError extends ClientError {}

/** The code for a cursor after which changes are missing: read the lists again, and follow the changes from there. */
export const CHANGES_GONE = 'CHANGES_GONE';

/** Whether a stream of changes has ended because changes after its cursor are no longer kept. */
export function isChangesGone(error: unknown): boolean {
  return error instanceof RefusedError && error.code === CHANGES_GONE;
}
