/**
 * Failures as responses: `{detail, code, errors}` with the status of the failure's kind. An unexpected failure becomes
 * a 500 with only the request id, under which the log has the details.
 */
import { AppError, ERROR_CODES, type ErrorCode } from '../domain/errors.ts';
import { joinProblems, type Problem, problemSentence } from '../domain/validation.ts';
import { KernelError } from '../kernel/mod.ts';
import type { HttpResponse } from './exchange.ts';

// Seconds until an overloaded or restarting service is worth another try; shard leases expire within seconds.
const RETRY_AFTER_S = 2;

/** The body of every refusal. */
interface ErrorBody {
  readonly detail: string;
  readonly code: string;
  readonly errors: readonly Problem[];
}

/** The error for an invalid body, with all its problems. */
export function invalidBody(problems: readonly Problem[]): AppError {
  return new AppError('INVALID_REQUEST', problemSentence(problems), { errors: problems });
}

/** The kernel's failures of an ask, as codes of the catalogue. HANDLER_FAILED is missing: it is a 500. */
const KERNEL_CODES: ReadonlyMap<string, ErrorCode> = new Map([
  ['MAILBOX_FULL', 'MAILBOX_FULL'],
  ['DEADLINE', 'DEADLINE_EXCEEDED'],
  ['NOT_OWNER', 'OWNER_UNAVAILABLE'],
  ['UNAVAILABLE', 'OWNER_UNAVAILABLE'],
  ['CONFLICT', 'CONFLICT'],
  ['STOPPING', 'SHUTTING_DOWN'],
]);

/** The failure in the form for the caller; undefined if it is unexpected and must not be shown. */
export function expectedFailure(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  if (!(error instanceof KernelError)) return undefined;
  // Actors refuse with codes of the catalogue.
  const code = KERNEL_CODES.get(error.code) ?? ERROR_CODES.find((known) => known === error.code);
  return code === undefined ? undefined : new AppError(code, error.message, { ...error.detail });
}

export function failureResponse(error: AppError, requestId: string): HttpResponse {
  const { errors, allow, retryAfterS } = error.detail;
  const extra = new Map<string, string>();
  if (error.retryable && (error.status === 503 || error.status === 429 || retryAfterS !== undefined)) {
    extra.set('retry-after', String(retryAfterS ?? RETRY_AFTER_S));
  }
  if (error.status === 401) extra.set('www-authenticate', 'Bearer');
  if (allow !== undefined) extra.set('allow', allow);
  return errorResponse(
    error.status,
    { detail: error.message, code: error.code, errors: joinProblems(errors ?? []) },
    requestId,
    extra,
  );
}

/** The answer to an unexpected failure. The log has the details under the same request id. */
export function unexpectedResponse(requestId: string): HttpResponse {
  const detail = `internal error; the log has more under request ${requestId}`;
  return errorResponse(500, { detail, code: 'INTERNAL', errors: [] }, requestId, new Map());
}

function errorResponse(
  status: number,
  body: ErrorBody,
  requestId: string,
  extra: ReadonlyMap<string, string>,
): HttpResponse {
  const headers = standardHeaders(requestId).set('content-type', 'application/json');
  for (const [name, value] of extra) headers.set(name, value);
  return { status, headers, body: { kind: 'text', text: JSON.stringify(body) } };
}

/** The headers that every answer has; the caller may add to them. */
export function standardHeaders(requestId: string): Map<string, string> {
  return new Map()
    .set('cache-control', 'no-store')
    .set('x-content-type-options', 'nosniff')
    .set('x-request-id', requestId);
}
