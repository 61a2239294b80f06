/**
 * Hand-written SQL over one pool: statements, transactions, and how values come back. Instants are read as
 * milliseconds since 1970, bigint and numeric as numbers; what does not fit a number exactly is refused.
 */
import type { Socket } from 'node:net';
import pg from 'pg';
import { assert } from '../../lib/assert.ts';
import { outage, storeError } from './store-errors.ts';

/** A statement that each connection prepares once. The name is unique in the program. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** It finds its rows by their keys: one plan does for all parameters and sizes, and is kept. */
  readonly isKeyed?: boolean;
}

export interface Sql {
  /**
   * Rows of one statement. Throws AppError STORE_UNAVAILABLE or QUERY_TOO_SLOW; the driver's error otherwise.
   */
  execute<T extends object>(statement: string | Statement, params?: readonly unknown[]): Promise<T[]>;
  /** One transaction (read committed), rolled back when `work` throws. Inside another it is that other. */
  transaction<T>(work: (sql: Sql) => Promise<T>, kind?: TransactionKind): Promise<T>;
}

/**
 * `keyed`: every statement finds its rows by their keys, and the first one writes nothing, for it is sent without
 * waiting for the transaction's begin.
 */
export type TransactionKind = 'plain' | 'keyed';

const BIGINT = 20;
const BIGINT_ARRAY = 1016;
const NUMERIC = 1700;
const TIMESTAMPTZ = 1184;

function toSafeInteger(text: string): number {
  const value = Number(text);
  assert(Number.isSafeInteger(value), 'a bigint beyond what a number holds');
  return value;
}

/** `{1,2}` -> numbers. No column of ours holds nulls in an array of bigint. */
function toSafeIntegers(text: string): number[] {
  return text === '{}' ? [] : text.slice(1, -1).split(',').map(toSafeInteger);
}

/** `2026-11-21 03:27:16.123+00` -> ms since 1970. The session's time zone is UTC. */
function toMs(text: string): number {
  if (text === 'infinity') return Number.POSITIVE_INFINITY;
  if (text === '-infinity') return Number.NEGATIVE_INFINITY;
  const ms = Date.parse(`${text.replace(' ', 'T')}:00`);
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
  /** After which the server ends a statement. */
  readonly statementTimeoutMs: number;
  readonly applicationName: string;
  /** After which the server ends a transaction that nobody goes on with; 30 s when absent. */
  readonly idleInTransactionMs?: number;
  /** `fresh` when absent. */
  readonly plans?: Plans;
}

/** Compiling plans costs more than it saves in statements as short as ours. */
const SESSION = ['timezone=UTC', 'jit=off'] as const;

/** How the server comes by the plans of a pool's statements. */
type Plans = 'fresh' | 'kept';

/**
 * Fresh plans are made for the parameters and the size that tables have now: one kept from when a table was small would
 * scan it for as long as nobody analyses it. What is keyed gets no plan but the one through the keys, which is then
 * worth keeping: making it takes as long as running it, and the planner of itself would not keep it, since it takes
 * arrays of unknown length for longer than ours are. Without what is materialized, a join does not read all of a table
 * that was small when the plan was made for each of its rows: 500 arrivals read 5 million rows of a young database.
 */
const PLANS: Readonly<Record<Plans, readonly string[]>> = {
  fresh: ['plan_cache_mode=force_custom_plan'],
  kept: [
    ...['seqscan', 'hashjoin', 'mergejoin', 'material'].map((way) => `enable_${way}=off`),
    'plan_cache_mode=force_generic_plan',
  ],
};

/** No plan outlives its connection: one that was made while tables were small is not kept for good. */
const KEPT_S_MAX = 300;
const CONNECT_TIMEOUT_MS = 5_000;
/** A transaction that nobody drives any more must not hold its locks. */
const IDLE_IN_TRANSACTION_MS = 30_000;

/**
 * A connection whose failure to be made is an outage, whatever the reason: a refused login, an unknown database or a
 * certificate are told by codes and sentences of many kinds.
 */
class Connection extends pg.Client {
  /**
   * The pool listens while it has the connection, and whoever borrows it from then on: an end that the server tells of
   * in one piece with its readiness comes between the two, and what nobody listens to would end the process.
   */
  constructor(config?: pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined); // the next statement says it
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

/** The pool reconnects by itself: a connection that breaks is replaced at the next use. */
export function openPool(options: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.connectionsMax,
    application_name: options.applicationName,
    statement_timeout: options.statementTimeoutMs,
    idle_in_transaction_session_timeout: options.idleInTransactionMs ?? IDLE_IN_TRANSACTION_MS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    ...(options.plans === 'kept' ? { maxLifetimeSeconds: KEPT_S_MAX } : {}),
    // Statements that wait for no answer of one another leave at once.
    pipeline: true,
    options: [...SESSION, ...PLANS[options.plans ?? 'fresh']].map((setting) => `-c ${setting}`).join(' '),
    types: TYPES as pg.CustomTypesConfig,
    Client: Connection,
  });
  // An idle connection that breaks is dropped by the pool; whoever needs one next gets a new one, or the
  // error.
  pool.on('error', () => undefined);
  return pool;
}

/** `Sql` over pools that somebody else closes. `keyed` keeps plans; what is keyed goes to it. */
export function sqlOf(pool: pg.Pool, keyed = pool): Sql {
  return {
    execute: (statement, params) => run(isKeyed(statement) ? keyed : pool, statement, params),
    transaction: (work, kind = 'plain') => inTransaction(kind === 'keyed' ? keyed : pool, work, kind),
  };
}

function isKeyed(statement: string | Statement): boolean {
  return typeof statement !== 'string' && statement.isKeyed === true;
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

/** Not among the driver's types, and the only way to its socket. */
function socketOf(client: pg.PoolClient): Socket {
  return (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream;
}

/**
 * What is written until the next tick leaves with one call of the system and wakes the server once: a fifth of a
 * coordinator's time went into these calls.
 */
function inOnePiece(socket: Socket): void {
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
  // Without a listener a connection that breaks between two statements would end the process.
  const onBreak = () => undefined;
  client.on('error', onBreak);
  let broken: Error | undefined;
  const socket = socketOf(client);
  inOnePiece(socket);
  const begun: Promise<unknown> | undefined = run(client, 'begin');
  begun.catch(() => undefined); // thrown to whoever waits for it
  let isFirst = kind === 'keyed';
  const sql: Sql = {
    async execute(statement, params) {
      // A write that met no transaction, because its begin was refused, would stay.
      if (begun !== undefined && !isFirst) await begun;
      isFirst = false;
      inOnePiece(socket);
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
