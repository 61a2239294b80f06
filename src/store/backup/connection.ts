/** A connection for a backup or a restore: one session without time limits, and with the text forms of all servers. */
import pg from 'pg';
import { AppError } from '../../domain/errors.ts';
import { outage, sqlStateOf, storeError } from '../sql/store-errors.ts';

/** What COPY writes must not depend on the settings of a server, a database or a role. */
const SESSION = [
  ...['timezone=UTC', 'datestyle=ISO', 'intervalstyle=postgres', 'extra_float_digits=1', 'bytea_output=hex'],
  ...['standard_conforming_strings=on', 'jit=off', 'client_encoding=UTF8'],
  ...['statement_timeout=0', 'lock_timeout=0', 'idle_in_transaction_session_timeout=0'],
];
const CONNECT_TIMEOUT_MS = 10_000;
/** The first version that has all that the schema uses (`unique nulls not distinct`). */
export const POSTGRESQL_MIN = 15;

export interface Session {
  readonly client: pg.Client;
  query<T extends object>(text: string, params?: readonly unknown[]): Promise<T[]>;
}

/**
 * The session ends with `work`, and with it its locks and a transaction that it left open. The signal breaks it at
 * once, also while it waits for a lock.
 */
export async function withSession<T>(
  url: string,
  signal: AbortSignal | undefined,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'millrace-backup',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    options: SESSION.map((setting) => `-c ${setting}`).join(' '),
  });
  client.on('error', () => undefined); // the next statement reports it
  try {
    await client.connect();
  } catch (error) {
    throw outage(error as Error);
  }
  const onAbort = () => void client.end().catch(() => undefined);
  signal?.addEventListener('abort', onAbort);
  try {
    signal?.throwIfAborted();
    return await work({
      client,
      query: async <R extends object>(text: string, params: readonly unknown[] = []) =>
        (await client.query<R>(text, [...params])).rows,
    });
  } catch (error) {
    throw explained(error);
  } finally {
    signal?.removeEventListener('abort', onAbort);
    await client.end().catch(() => undefined);
  }
}

/** Errors of the server for the operator, without values of rows. */
function explained(error: unknown): unknown {
  const state = sqlStateOf(error);
  if (state === undefined || error instanceof AppError) return storeError(error);
  const { where = '', message } = error as pg.DatabaseError;
  const [, table, line] = /COPY (\w+), line (\d+)/.exec(where) ?? [];
  // Class 22 quotes values, 23 names the constraint in its message.
  const what = state.startsWith('22') ? 'a value has not the form of its column' : message;
  const place = table === undefined ? '' : ` in row ${line} of ${table}`;
  const text = `the database refused: ${what}${place} (${state})`;
  return new AppError('STORE_UNAVAILABLE', text, {}, { cause: error });
}

/** The name as an identifier in SQL. */
export const quoted = (name: string): string => pg.escapeIdentifier(name);
