/** The audit: rows are inserted before the work, statuses added after it, both many at a time; old rows are removed. */
import type { Sql } from '../sql/sql.ts';

/** A call that changes something, recorded before it is done. */
export type KnownBy = 'none' | 'session' | 'token' | 'command';

export interface AuditEntry {
  readonly atMs: number;
  readonly accountId: number | null;
  readonly username: string;
  readonly knownBy: KnownBy;
  readonly tokenId: number | null;
  readonly address: string;
  readonly requestId: string;
  readonly method: string;
  /** The path as documented. */
  readonly route: string;
  /** The path of the call. */
  readonly path: string;
}

export interface AuditOutcome {
  readonly id: number;
  readonly status: number;
  /** The id of the created record; null if there is none. */
  readonly recordId: number | null;
}

/** limit: characters of a stored path, the width of the column. */
const PATH_CHARS_MAX = 1_000;
const ADDRESS_CHARS_MAX = 45;

/**
 * Its commit is not synced, so the work does not wait for it: the log of PostgreSQL is written in order, so a synced
 * commit of the work, or of the status, makes the row durable as well.
 */
const INSERT = {
  name: 'begin_audit',
  isKeyed: true,
  text: /* sql */ `
    with unsynced as materialized (
      select set_config('synchronous_commit', 'off', true)
    ), entry as (
      select nextval('audit_id_seq') as id, q.*
      from unsynced, unnest($1::float8[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[],
          $8::text[], $9::text[], $10::text[])
        with ordinality as q(at, account_id, username, known_by, token_id, address, request_id, method, route,
          path, place)
    ), saved as (
      insert into audit (id, at, account_id, username, known_by, token_id, address, request_id, method, route, path)
      select id, to_timestamp(at / 1000), account_id, username, known_by, token_id, address, request_id, method,
        route, path
      from entry
    )
    select id from entry order by place`,
};

/**
 * Resolves with the ids of the rows, in the order of the entries. They survive a kill at once, and a loss of power of
 * the database's host as soon as anything that is committed after them does.
 */
export async function beginAudit(sql: Sql, entries: readonly AuditEntry[]): Promise<readonly number[]> {
  const column = <T>(pick: (entry: AuditEntry) => T): T[] => entries.map(pick);
  const rows = await sql.execute<{ id: number }>(INSERT, [
    column((entry) => entry.atMs),
    column((entry) => entry.accountId),
    column((entry) => entry.username),
    column((entry) => entry.knownBy),
    column((entry) => entry.tokenId),
    column((entry) => entry.address.slice(0, ADDRESS_CHARS_MAX)),
    column((entry) => entry.requestId),
    column((entry) => entry.method),
    column((entry) => entry.route),
    column((entry) => entry.path.slice(0, PATH_CHARS_MAX)),
  ]);
  return rows.map((row) => row.id);
}

const FINISH = {
  name: 'finish_audit',
  isKeyed: true,
  text: /* sql */ `
    update audit set status = q.status, record_id = q.record_id
    from unnest($1::bigint[], $2::smallint[], $3::bigint[]) as q(id, status, record_id)
    where audit.id = q.id   -- = audit_pkey`,
};

export async function finishAudit(sql: Sql, outcomes: readonly AuditOutcome[]): Promise<void> {
  await sql.execute(FINISH, [
    outcomes.map((outcome) => outcome.id),
    outcomes.map((outcome) => outcome.status),
    outcomes.map((outcome) => outcome.recordId),
  ]);
}

/** limit: rows that one call removes. */
const ROWS_MAX = 2_000;

/** Removes the oldest rows before a time. True: there may be more. */
export async function removeOldAudit(sql: Sql, beforeMs: number): Promise<boolean> {
  const gone = await sql.execute(
    `delete from audit where id in (select id from audit where at < to_timestamp($1::float8 / 1000)
       order by at, id limit ${ROWS_MAX})   -- = audit_at_idx
     returning id`,
    [beforeMs],
  );
  return gone.length === ROWS_MAX;
}
