/**
 * The complete catalogue of expected failures and their error class. It has kinds, not statuses of a protocol: http and
 * rpc map a kind to their own status.
 */
import type { Problem } from './validation.ts';

/** The HTTP status of each kind of failure, defined once for all listeners. */
const KIND_STATUS = {
  not_found: 404,
  invalid: 400,
  conflict: 409,
  gone: 410,
  overloaded: 503,
  unavailable: 503,
  forbidden: 403,
  unauthenticated: 401,
  too_large: 413,
  unsupported_media: 415,
  method_not_allowed: 405,
  rate_limited: 429,
  unprocessable: 422,
  insufficient_storage: 507,
  precondition_failed: 412,
} as const;

/** The kind of a failure. */
export type ErrorKind = keyof typeof KIND_STATUS;

interface Entry {
  readonly kind: ErrorKind;
  readonly retryable: boolean;
}

/**
 * Every failure that a caller may see. A code is part of the contract: add freely, never rename; keep sorted by kind.
 */
const CATALOGUE = {
  // not_found
  NOT_FOUND: { kind: 'not_found', retryable: false },
  ROUTE_NOT_FOUND: { kind: 'not_found', retryable: false },
  FILE_NOT_FOUND: { kind: 'not_found', retryable: false },
  // invalid
  INVALID_REQUEST: { kind: 'invalid', retryable: false },
  INVALID_JSON: { kind: 'invalid', retryable: false },
  INVALID_PARAMETER: { kind: 'invalid', retryable: false },
  INVALID_CONFIGURATION: { kind: 'invalid', retryable: false },
  INVALID_DEFINITION: { kind: 'invalid', retryable: false },
  INVALID_SETTINGS: { kind: 'invalid', retryable: false },
  UNKNOWN_REFERENCE: { kind: 'invalid', retryable: false },
  PATH_NOT_ALLOWED: { kind: 'invalid', retryable: false },
  LOGIN_PENDING: { kind: 'invalid', retryable: true },
  LOGIN_SLOW_DOWN: { kind: 'invalid', retryable: true },
  LOGIN_DENIED: { kind: 'invalid', retryable: false },
  LOGIN_EXPIRED: { kind: 'invalid', retryable: false },
  // conflict
  CONFLICT: { kind: 'conflict', retryable: false },
  STATE_CONFLICT: { kind: 'conflict', retryable: false },
  NAME_TAKEN: { kind: 'conflict', retryable: false },
  IDEMPOTENCY_KEY_IN_USE: { kind: 'conflict', retryable: true },
  DATA_DIR_IN_USE: { kind: 'conflict', retryable: false },
  DATA_DIR_VERSION: { kind: 'conflict', retryable: false },
  SECRET_UNREADABLE: { kind: 'conflict', retryable: false },
  DATABASE_VERSION: { kind: 'conflict', retryable: false },
  ADDRESS_IN_USE: { kind: 'conflict', retryable: false },
  // gone
  CHANGES_GONE: { kind: 'gone', retryable: false },
  // overloaded
  MAILBOX_FULL: { kind: 'overloaded', retryable: true },
  OVERLOADED: { kind: 'overloaded', retryable: true },
  QUERY_TOO_SLOW: { kind: 'overloaded', retryable: true },
  // unavailable
  STORE_UNAVAILABLE: { kind: 'unavailable', retryable: true },
  BUS_UNAVAILABLE: { kind: 'unavailable', retryable: true },
  OWNER_UNAVAILABLE: { kind: 'unavailable', retryable: true },
  EARLIER_REQUESTS: { kind: 'unavailable', retryable: true },
  AGENT_UNAVAILABLE: { kind: 'unavailable', retryable: true },
  WORKSPACE_UNAVAILABLE: { kind: 'unavailable', retryable: true },
  FILESYSTEM_IO: { kind: 'unavailable', retryable: true },
  DEADLINE_EXCEEDED: { kind: 'unavailable', retryable: true },
  SHUTTING_DOWN: { kind: 'unavailable', retryable: true },
  DATABASE_START_FAILED: { kind: 'unavailable', retryable: true },
  // permission
  FORBIDDEN: { kind: 'forbidden', retryable: false },
  HOST_NOT_ALLOWED: { kind: 'forbidden', retryable: false },
  UNAUTHENTICATED: { kind: 'unauthenticated', retryable: false },
  TOO_MANY_REQUESTS: { kind: 'rate_limited', retryable: true },
  // form of the request
  TOO_LARGE: { kind: 'too_large', retryable: false },
  UNSUPPORTED_MEDIA_TYPE: { kind: 'unsupported_media', retryable: false },
  METHOD_NOT_ALLOWED: { kind: 'method_not_allowed', retryable: false },
  PROTOCOL_VERSION: { kind: 'precondition_failed', retryable: false },
  NO_ROOM: { kind: 'insufficient_storage', retryable: false },
  // another request with a used key
  IDEMPOTENCY_KEY_REUSED: { kind: 'unprocessable', retryable: false },
} as const satisfies Record<string, Entry>;

export type ErrorCode = keyof typeof CATALOGUE;

/** All codes, for documentation and for the test that retired ones stay listed. */
export const ERROR_CODES = Object.freeze(Object.keys(CATALOGUE)) as readonly ErrorCode[];

/** Facts of an error for the log; the named ones go into the answer. Never a secret. */
export interface ErrorDetail {
  readonly errors?: readonly Problem[];
  /** Methods, as the header `allow` lists them. */
  readonly allow?: string;
  readonly retryAfterS?: number;
  readonly [fact: string]: unknown;
}

/** An expected failure: part of the protocol. Bugs are failed assertions, not AppErrors. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly detail: ErrorDetail;

  constructor(code: ErrorCode, message: string, detail: ErrorDetail = {}, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.detail = detail;
  }

  get kind(): ErrorKind {
    return CATALOGUE[this.code].kind;
  }

  /** Whether the same request may succeed later. */
  get retryable(): boolean {
    return CATALOGUE[this.code].retryable;
  }

  get status(): number {
    return KIND_STATUS[this.kind];
  }
}
