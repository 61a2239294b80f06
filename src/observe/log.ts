/**
 * The logger: an event name plus fields, as JSON lines. The only file that knows pino. Writes to the given destination;
 * by default to standard error, since standard output is for the program's answers.
 */
import { type DestinationStream, destination as fileDestination, pino } from 'pino';
import type { LogFields, Logger, LogLevel } from '../lib/logger.ts';
import { type Later, RepeatedLines } from './repeated-lines.ts';

export type { LogFields, Logger, LogLevel };

export interface LogOptions {
  readonly level: LogLevel;
  /** Name of the program or part; the `name` field of each line. */
  readonly name?: string;
  readonly destination?: DestinationStream;
  /** Schedules the lines with counts of repeated lines; real time by default. */
  readonly later?: Later;
}

const REDACTED = '[redacted]';
const SECRET_KEY =
  /pass(word|phrase|wd)|secret|token|authorization|cookie|credential|private_?key|access_?key/i;
/**
 * `scheme://user:password@host`: addresses of databases and buses reach logs within other texts. Without a bound of the
 * scheme, a text of one long word would take a time that grows with its square.
 */
const URL_PASSWORD = /([a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/@]*):[^\s@/]*@/gi;

// limit: depth, width and length of a logged value.
const DEPTH_MAX = 6;
const ITEMS_MAX = 100;
const TEXT_MAX = 8_192;

/** A copy of `value` that is fit for a log: secrets masked by key, sizes bounded, errors expanded. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEPTH_MAX) return '[deep]';
  if (value instanceof Error) return redactError(value, depth);
  if (value instanceof Date || value instanceof URL) return redactText(String(value.toJSON()));
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.slice(0, ITEMS_MAX).map((item) => redact(item, depth + 1));
  // `fromEntries` defines keys instead of setting them, so a key named __proto__ is harmless.
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, ITEMS_MAX)
      .map(([key, item]) => [key, SECRET_KEY.test(key) ? REDACTED : redact(item, depth + 1)]),
  );
}

function redactText(text: string): string {
  const short = text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text;
  return short.replace(URL_PASSWORD, `$1:${REDACTED}@`);
}

function redactError(error: Error, depth: number, hasStack = !isOutage(error)): unknown {
  const { name, message, stack, cause, ...rest } = error as Error & Record<string, unknown>;
  const extra = redact({ ...rest }, depth + 1) as Record<string, unknown>;
  const isDeep = depth + 1 >= DEPTH_MAX;
  const shownCause =
    cause instanceof Error && !isDeep ? redactError(cause, depth + 1, hasStack) : redact(cause, depth + 1);
  return {
    name: error.name,
    message: redactText(message),
    ...(stack === undefined || !hasStack ? {} : { stack: redactText(stack) }),
    ...extra,
    ...(cause === undefined ? {} : { cause: shownCause }),
  };
}

const NETWORK_ERRORS: ReadonlySet<unknown> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND'],
  'EAI_AGAIN',
]);

/** Whether another system cannot be reached or used; the stack of this program is then not logged. */
function isOutage(error: Error): boolean {
  const { kind, code } = error as { readonly kind?: unknown; readonly code?: unknown };
  return kind === 'unavailable' || kind === 'overloaded' || NETWORK_ERRORS.has(code);
}

/** Makes the root logger. Children share its level. */
export function createLogger(options: LogOptions): Logger {
  const shared = { level: options.level, repeated: new RepeatedLines(options.later) };
  const root = pino(
    {
      level: 'debug', // `shared` has the level, since pino fixes a child's level when the child is made
      base: options.name === undefined ? null : { name: options.name },
      messageKey: 'event',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    options.destination ?? standardError(),
  );
  return wrap(root, shared);
}

/** limit: characters of lines that could not be written yet. */
const UNWRITTEN_MAX = 1_048_576;

/** Lines that a full disk does not take are written once it has room, the oldest of them; none ends the program. */
function standardError(): DestinationStream {
  const stream = fileDestination({ fd: 2, sync: true, maxLength: UNWRITTEN_MAX });
  stream.on('error', () => undefined);
  return stream;
}

const RANK: Record<LogLevel, number> = { debug: 20, info: 30, warn: 40, error: 50, fatal: 60, silent: 100 };

/** The state that a logger shares with its children. */
interface Shared {
  level: LogLevel;
  readonly repeated: RepeatedLines;
}

function wrap(target: pino.Logger, shared: Shared): Logger {
  const write =
    (level: Exclude<LogLevel, 'silent'>) =>
    (event: string, fields: LogFields = {}): void => {
      if (RANK[level] < RANK[shared.level]) return;
      target[level](redact(fields) as object, event);
    };
  const warn = write('warn');
  const error = write('error');
  const troubled =
    (line: typeof warn) =>
    (event: string, fields: LogFields = {}): void =>
      shared.repeated.note(event, fields, (repeated) => line(event, repeated));
  return {
    debug: write('debug'),
    info: write('info'),
    warn: troubled(warn),
    error: troubled(error),
    fatal: write('fatal'),
    child: (fields) => wrap(target.child(redact(fields) as object), shared),
    setLevel: (level) => {
      shared.level = level;
    },
    get level() {
      return shared.level;
    },
  };
}
