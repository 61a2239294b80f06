/**
 * Hand-written SQL over one pool: statements, transactions, and conversion of values. Times are read as milliseconds
 * since 1970, bigint and numeric as numbers; a value that does not fit a number exactly is refused.
 */
import type { Duplex } from 'node:stream';
import pg from 'pg';
import { assert } from '../../lib/assert.ts';
import { outage, storeError } from './store-errors.ts';

/** A statement that each connection prepares once. The name is unique in the program. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** It finds rows by key, so one query plan fits all parameters and table sizes, and is kept. */
  readonly isKeyed?: boolean;
  /** It writes nothing, so in a keyed transaction it is sent without waiting for the answer to its begin. */
  readonly isRead?: boolean;
}

export interface Sql {
  /** Rows of one statement. Throws AppError STORE_UNAVAILABLE or QUERY_TOO_SLOW, otherwise the driver's error. */
  execute<T extends object>(statement: string | Statement, params?: readonly unknown[]): Promise<T[]>;
  /**
   * One transaction (read committed), rolled back if `work` throws. Inside another transaction it is part of that one.
   */
  transaction<T>(work: (sql: Sql) => Promise<T>, kind?: TransactionKind): Promise<T>;
}

/**
 * `keyed`: every statement finds rows by key. `snapshot`: all statements read, and see the rows of one moment. Query
 * plans of its keyed statements are kept; what follows one of them must be keyed as well.
 */
export type TransactionKind = 'plain' | 'keyed' | 'snapshot';

const BIGINT = 20;
const BIGINT_ARRAY = 1016;
const NUMERIC = 1700;
const TIMESTAMPTZ = 1184;

function toSafeInteger(text: string): number {
  const value = Number(text);
  assert(Number.isSafeInteger(value), 'a bigint beyond what a number holds');
  return value;
}

/** `{1,2}` -> numbers. None of our arrays of bigint contains nulls. */
function toSafeIntegers(text: string): number[] {
  return text === '{}' ? [] : text.slice(1, -1).split(',').map(toSafeInteger);
}

/** As PostgreSQL writes an instant: its year, the rest, and ` BC`. */
const INSTANT = /^(\d+)(-.*?)( BC)?$/;

/** Years outside 1 to 9999 have a sign and six digits; the year before 1 is 0. */
function isoOf(text: string): string {
  const iso = `${text.replace(' ', 'T')}:00`;
  if (text[4] === '-' && !text.endsWith('BC')) return iso;
  const [, year = '', rest = '', era] = INSTANT.exec(text) ?? [];
  const number = era === undefined ? Number(year) : 1 - Number(year);
  const digits = String(Math.abs(number)).padStart(6, '0');
  return `${number < 0 ? '-' : '+'}${digits}${rest.replace(' ', 'T')}:00`;
}

/** `2026-11-21 03:27:16.123+00` -> ms since 1970. The session's time zone is UTC. */
function toMs(text: string): number {
  if (text === 'infinity') return Number.POSITIVE_INFINITY;
  if (text === '-infinity') return Number.NEGATIVE_INFINITY;
  const ms = Date.parse(isoOf(text));
  assert(!Number.isNaN(ms), `not an instant: ${text}`);
  return ms;
}

/** Parsers by type, for this store's pool only. */
const TYPES = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === BIGINT) return toSafeInteger;
    if (oid === BIGINT_ARRAY) return toSafeIntegers;
    if (oid === NUMERIC) return Number;
    if (oid === TIMESTAMPTZ) return toMs;
    return pg.types.getTypeParser(oid, format);
  },
};

export interface PoolOptions {
  readonly url: string;
  readonly connectionsMax: number;
  /** The time after which the server ends a statement. */
  readonly statementTimeoutMs: number;
  readonly applicationName: string;
  /** The time after which the server ends an idle transaction; default 30 s. */
  readonly idleInTransactionMs?: number;
  /** `fresh` when absent. */
  readonly queryPlans?: QueryPlans;
}

/** Compiling a query plan costs more than it saves in our short statements. */
const SESSION = ['timezone=UTC', 'jit=off'] as const;

/** Whether the server makes a query plan at each execution, or keeps that of a named statement. */
type QueryPlans = 'fresh' | 'kept';

/**
 * Fresh query plans suit the present parameters and table sizes: a plan kept from when a table was small would scan it
 * until the next analyze. A keyed statement has only one sensible plan, through the index of its keys. That plan is
 * kept, because making it takes as long as running it. The planner would not keep it by itself, since it overestimates
 * the length of arrays. Materialization is off, because a plan made for a small table would let a join read the whole
 * table for each of its rows: 500 arrivals read 5 million rows of a young database.
 */
const PLAN_SETTINGS: Readonly<Record<QueryPlans, readonly string[]>> = {
  fresh: ['plan_cache_mode=force_custom_plan'],
  kept: [
    ...['seqscan', 'hashjoin', 'mergejoin', 'material'].map((way) => `enable_${way}=off`),
    'plan_cache_mode=force_generic_plan',
  ],
};

/** Lets a connection with fresh query plans keep those of this transaction. */
const KEEP_PLANS = PLAN_SETTINGS.kept.map((setting) => `set local ${setting}`).join('; ');

const BEGIN: Readonly<Record<TransactionKind, string>> = {
  plain: 'begin',
  keyed: 'begin',
  snapshot: 'begin isolation level repeatable read read only',
};

/** Connections are replaced after this time, so that query plans from when tables were small do not last. */
const KEPT_S_MAX = 300;
const CONNECT_TIMEOUT_MS = 5_000;
/** A transaction whose client is gone must not hold its locks. */
const IDLE_IN_TRANSACTION_MS = 30_000;

/**
 * A failure to connect is an outage, whatever the reason: a refused login, an unknown database or a certificate are
 * reported by many codes and messages.
 */
class Connection extends pg.Client {
  /**
   * The pool listens for errors while it has the connection, and its borrower from then on. If the server reports its
   * end together with its readiness, the event comes between the two, and an unhandled one would end the process.
   */
  constructor(config?: pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined); // the next statement reports it
  }

  override connect(): Promise<pg.Client>;
  override connect(done: (error: Error) => void): void;
  override connect(done?: (error: Error) => void): Promise<pg.Client> | undefined {
    if (done === undefined) {
      return super.connect().catch((error: Error) => {
        throw outage(error);
      });
    }
    super.connect((error?: Error) => (done as (error?: Error) => void)(error ? outage(error) : error));
    return undefined;
  }
}

/** The pool reconnects automatically: a broken connection is replaced at the next use. */
export function openPool(options: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.connectionsMax,
    application_name: options.applicationName,
    statement_timeout: options.statementTimeoutMs,
    idle_in_transaction_session_timeout: options.idleInTransactionMs ?? IDLE_IN_TRANSACTION_MS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    maxLifetimeSeconds: KEPT_S_MAX,
    // Statements that do not depend on each other's answers are sent at once.
    pipeline: true,
    options: [...SESSION, ...PLAN_SETTINGS[options.queryPlans ?? 'fresh']]
      .map((setting) => `-c ${setting}`)
      .join(' '),
    types: TYPES as pg.CustomTypesConfig,
    Client: Connection,
  });
  // The pool drops a broken idle connection; the next caller gets a new one, or the error.
  pool.on('error', () => undefined);
  return pool;
}

/** `Sql` over pools that the caller closes. `keyed` keeps query plans; keyed statements use it. */
export function sqlOf(pool: pg.Pool, keyed = pool): Sql {
  return {
    execute: (statement, params) => run(isKeyed(statement) ? keyed : pool, statement, params),
    transaction: (work, kind = 'plain') => inTransaction(kind === 'keyed' ? keyed : pool, work, kind),
  };
}

function isKeyed(statement: string | Statement): boolean {
  return typeof statement !== 'string' && statement.isKeyed === true;
}

/**
 * Has the checks of foreign keys planned once for the rest of a transaction, instead of for each row that is written.
 * The connection keeps their plans. A plan that was made while a table was small must not read it from end to end after
 * it has grown, so no statement of the transaction reads a table in that way if an index serves.
 */
export async function planChecksOnce(inside: Sql): Promise<void> {
  await inside.execute('set local plan_cache_mode = auto; set local enable_seqscan = off');
}

/** Whether a statement may be sent before its transaction is known to have begun. */
function mayPrecede(kind: TransactionKind, statement: string | Statement): boolean {
  if (kind === 'snapshot') return true;
  return kind === 'keyed' && typeof statement !== 'string' && statement.isRead === true;
}

async function run<T extends object>(
  on: pg.Pool | pg.PoolClient,
  statement: string | Statement,
  params: readonly unknown[] = [],
): Promise<T[]> {
  const query =
    typeof statement === 'string' ? { text: statement } : { name: statement.name, text: statement.text };
  try {
    const { rows } = await on.query<T>({ ...query, values: [...params] });
    return rows;
  } catch (error) {
    throw storeError(error);
  }
}

/**
 * Combines everything that is written until the next tick into one system call, which wakes the server once: a fifth of
 * a coordinator's time went into these calls.
 */
function inOnePiece(socket: Duplex): void {
  socket.cork();
  process.nextTick(() => socket.uncork());
}

async function inTransaction<T>(
  pool: pg.Pool,
  work: (sql: Sql) => Promise<T>,
  kind: TransactionKind,
): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    throw storeError(error);
  });
  // Without a listener, a connection that breaks between two statements would end the process.
  const onBreak = () => undefined;
  client.on('error', onBreak);
  let broken: Error | undefined;
  const socket = client.connection.stream;
  inOnePiece(socket);
  const begun = run(client, BEGIN[kind]);
  begun.catch(() => undefined); // thrown to the caller that waits for it
  let keepsPlans = kind !== 'snapshot';
  const sql: Sql = {
    async execute(statement, params) {
      // A write outside of a transaction, because the begin was refused, would persist. A read does no harm: the
      // transaction fails before anything is made of it.
      if (!mayPrecede(kind, statement)) await begun;
      inOnePiece(socket);
      if (!keepsPlans && isKeyed(statement)) {
        keepsPlans = true;
        run(client, KEEP_PLANS).catch(() => undefined); // then the statement fails as well
      }
      return run(client, statement, params);
    },
    transaction: (inner) => inner(sql),
  };
  try {
    const result = await work(sql);
    await begun;
    await run(client, 'commit');
    return result;
  } catch (error) {
    await run(client, 'rollback').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.off('error', onBreak);
    client.release(broken);
  }
}
