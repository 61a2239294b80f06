/** Maps errors of the driver to the program's own. */
import { AppError } from '../../domain/errors.ts';
import { AssertionError } from '../../lib/assert.ts';
import { Fenced, TurnRefused } from '../../lib/commit-errors.ts';

const QUERY_CANCELED = '57014';
/**
 * Classes of SQLSTATE that are caused by the server or its settings, not by the statement: connection, login, missing
 * database, resources, state of the server, operator, system, snapshot, configuration file, internal.
 */
const UNAVAILABLE_CLASSES: readonly string[] = ['08', '28', '3D', '53', '55', '57', '58', '72', 'F0', 'XX'];
/** Deadlocks and serialization failures disappear on a retry. */
const PASSING_STATES: readonly string[] = ['40001', '40P01'];
/**
 * Single states with the same meaning in classes that are otherwise caused by the statement: a read-only server,
 * transactions that the server ended, an unknown outcome, prepared statements that a pooler discarded, and revoked
 * rights.
 */
const UNAVAILABLE_STATES: readonly string[] = [
  ...PASSING_STATES,
  ...['25006', '25P03', '25P04', '26000', '40003', '42501'],
];
const SOCKET_ERRORS: readonly string[] = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ENOTFOUND',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'EHOSTUNREACH',
];
/** Messages of the driver and its pool, which have no code. */
const LOST =
  /^Connection terminated|^timeout exceeded when trying to connect|^Client has encountered|not queryable/;

interface DriverError extends Error {
  readonly code?: string;
  readonly constraint?: string;
}

/** The SQLSTATE of a driver's error, if it has one. */
export function sqlStateOf(error: unknown): string | undefined {
  const code = (error as DriverError | undefined)?.code;
  // EPIPE has five letters as well.
  const isState = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !SOCKET_ERRORS.includes(code);
  return isState ? code : undefined;
}

/** The constraint that a statement violated. */
export function constraintOf(error: unknown): string | undefined {
  return (error as DriverError | undefined)?.constraint;
}

/** The messages about an outage for callers. `state`: class or complete state; the first that matches is used. */
const OUTAGES: readonly (readonly [state: string, message: string])[] = [
  ['25006', 'the database is read-only'],
  ['25P', 'the database ended the transaction'],
  ['28', 'the database refuses the login'],
  ['3D', 'the database does not exist'],
  ['40', 'the database aborted the transaction in favor of another one'],
  ['42501', 'the login may not do this in the database'],
  ['53100', "the database's disk is full: free some space on it"],
  ['53300', 'the database takes no more connections'],
  ['53', 'the database is short of resources'],
  ['55P03', 'a lock in the database could not be taken in time'],
];

/** Outages as AppErrors; other errors unchanged. Never contains the statement's values. */
export function storeError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error;
  const state = sqlStateOf(error);
  if (state === QUERY_CANCELED) {
    return new AppError(
      'QUERY_TOO_SLOW',
      'the database ended a query that took too long: narrow it down with filters',
      {},
      { cause: error },
    );
  }
  return isOutage(error, state) ? outage(error) : error;
}

function isOutage(error: DriverError, state: string | undefined): boolean {
  if (state === undefined) return SOCKET_ERRORS.includes(error.code ?? '') || LOST.test(error.message);
  return UNAVAILABLE_STATES.includes(state) || UNAVAILABLE_CLASSES.includes(state.slice(0, 2));
}

/** STORE_UNAVAILABLE; also for errors that are outages because of where they happened, such as a failed connection. */
export function outage(cause: Error): AppError {
  const state = sqlStateOf(cause) ?? '';
  const known = OUTAGES.find(([begin]) => state.startsWith(begin));
  return new AppError('STORE_UNAVAILABLE', known?.[1] ?? 'the database cannot be reached', {}, { cause });
}

/**
 * Classes of SQLSTATE that are caused by the values: data, cardinality, constraints, triggers, checked views and limits
 * of the server, and errors that a trigger raises.
 */
const VALUE_CLASSES: readonly string[] = ['09', '21', '22', '23', '27', '44', '54', 'P0'];

/**
 * What a group's failure means for the kernel. Values that the database refuses, and defects of this program, are
 * refused for good. After deadlocks and serialization failures the turns are handled again.
 */
export function commitError(error: unknown): unknown {
  if (error instanceof TurnRefused || error instanceof Fenced) return error;
  if (error instanceof AppError) {
    const state = sqlStateOf(error.cause);
    return state !== undefined && PASSING_STATES.includes(state) ? refusal(error, state, false) : error;
  }
  const state = sqlStateOf(error);
  if (state === undefined) {
    if (!isDefect(error)) return error;
    return new TurnRefused(`the changes cannot be written: ${error.message}`, [], {
      cause: error,
      isLasting: true,
    });
  }
  if (!VALUE_CLASSES.includes(state.slice(0, 2))) return error;
  return refusal(error, constraintOf(error) ?? state, true);
}

function refusal(cause: unknown, about: string, isLasting: boolean): TurnRefused {
  return new TurnRefused(`the database refused the changes: ${about}`, [], { cause, isLasting });
}

/** Whether the error is a defect of this program: an unexpected value. */
function isDefect(error: unknown): error is Error {
  return error instanceof AssertionError || error instanceof TypeError || error instanceof RangeError;
}
