/** Requests with an `Idempotency-Key` to running coordinators, and the rows that they leave. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Test } from 'tap';

export interface KeyedAnswer {
  readonly status: number;
  readonly location: string | null;
  readonly retryAfter: string | null;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers of any shape
  readonly json: any;
}

export const newKey = (): string => `test ${randomUUID()}`;

/** POSTs JSON; locations come without their origin. */
export async function send(
  url: string,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<KeyedAnswer> {
  const response = await fetch(new URL(path, url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const location = response.headers.get('location');
  return {
    status: response.status,
    location: location === null ? null : new URL(location).pathname,
    retryAfter: response.headers.get('retry-after'),
    ...{ text, json: /^[[{]/.test(text) ? JSON.parse(text) : undefined },
  };
}

export type Rows = (
  sql: string,
  params?: readonly unknown[],
) => Promise<readonly Readonly<Record<string, unknown>>[]>;

export interface Session {
  readonly rows: Rows;
  count(table: string): Promise<number>;
}

/** A session of the test's own on the service's database. */
export async function openSession(t: Test, url: string): Promise<Session> {
  const client = new pg.Client({ connectionString: url, application_name: 'test' });
  await client.connect();
  client.on('error', () => undefined);
  t.teardown(() => client.end().catch(() => undefined));
  const rows: Rows = async (sql, params = []) => (await client.query(sql, [...params])).rows;
  return {
    rows,
    count: async (table) => Number((await rows(`select count(*) from ${table}`))[0]?.count),
  };
}

const LOCK = 7_232_999;

/**
 * Holds every statement that does `what` to a table, until `release`: what a coordinator has begun stays where it is.
 */
export async function hold(session: Session, what: 'insert' | 'delete', table: string) {
  const { rows } = session;
  await rows(`select pg_advisory_lock(${LOCK})`);
  await rows(`create or replace function held() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock(${LOCK}); return coalesce(new, old); end $$`);
  await rows(`create trigger held before ${what} on ${table} for each row execute function held()`);
  return {
    async release(): Promise<void> {
      await rows(`select pg_advisory_unlock(${LOCK})`);
      await rows(`drop trigger held on ${table}`);
    },
  };
}
