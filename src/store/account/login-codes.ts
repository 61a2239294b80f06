/** Logins by a code: a program's request, a person's decision, and the one token that follows from it. */
import type { Scope } from '../../domain/access.ts';
import { LOGIN_CODES_LOCK, takeLock } from '../locks.ts';
import type { Sql } from '../sql/sql.ts';

export interface NewLoginCode {
  readonly deviceHash: Buffer;
  readonly userCode: string;
  readonly address: string;
  /** What limits count by: the address, or its IPv6 network. */
  readonly addressHolder: string;
  readonly scope: Scope;
  readonly days: number;
  /** Seconds between two polls. */
  readonly pollInterval: number;
  readonly nowMs: number;
  readonly expiresMs: number;
}

/** limit: live requests of one address, and of all. */
const CODES_OF_ADDRESS_MAX = 5;
const CODES_MAX = 1_000;
/** limit: seconds between two polls, however often they came too early. */
const POLL_INTERVAL_MAX = 60;
/** What a poll that came too early adds, in seconds (RFC 8628, 3.5). */
const SLOWER_BY = 5;
/** Clocks and networks make polls of the right interval come a little early. */
const TOLERANCE_MS = 500;

const AT = (parameter: number) => `to_timestamp($${parameter}::float8 / 1000)`;
const REMOVE_EXPIRED = /* sql */ `delete from login_code where expires <= ${AT(1)}`;
const COUNT = /* sql */ `
  select count(*) as "all", count(*) filter (where address_holder = $1) as own from login_code`;
const INSERT = /* sql */ `
  insert into login_code (device_hash, user_code, address, address_holder, scope, days, poll_interval, created, expires)
  values ($1, $2, $3, $4, $5, $6, $7, ${AT(8)}, ${AT(9)})
  on conflict (user_code) do nothing returning id`;

/** Removes expired requests first, so that the table stays as small as its limit. */
export function createLoginCode(
  sql: Sql,
  code: NewLoginCode,
): Promise<'created' | 'code taken' | 'too many'> {
  return sql.transaction(async (tx) => {
    // One at a time, so that the limits are exact.
    await takeLock(tx, LOGIN_CODES_LOCK);
    await tx.execute(REMOVE_EXPIRED, [code.nowMs]);
    const [count] = await tx.execute<{ all: number; own: number }>(COUNT, [code.addressHolder]);
    if ((count?.all ?? 0) >= CODES_MAX || (count?.own ?? 0) >= CODES_OF_ADDRESS_MAX) return 'too many';
    const rows = await tx.execute(INSERT, [
      ...[code.deviceHash, code.userCode, code.address, code.addressHolder, code.scope, code.days],
      ...[code.pollInterval, code.nowMs, code.expiresMs],
    ]);
    return rows.length === 0 ? 'code taken' : 'created';
  });
}

export interface PendingLoginCode {
  readonly address: string;
  readonly scope: Scope;
  readonly days: number;
  readonly createdMs: number;
  readonly expiresMs: number;
}

/** The request of a code that waits for its decision. */
export async function findLoginCode(
  sql: Sql,
  userCode: string,
  nowMs: number,
): Promise<PendingLoginCode | undefined> {
  const [row] = await sql.execute<PendingLoginCode>(
    `select address, scope, days, created as "createdMs", expires as "expiresMs" from login_code
    where user_code = $1 and decided is null and expires > ${AT(2)}   -- = login_code_user_code_key`,
    [userCode, nowMs],
  );
  return row;
}

/** False: nothing waits under this code, or somebody else has decided first. */
export async function decideLoginCode(
  sql: Sql,
  decision: { readonly userCode: string; readonly accountId: number; readonly isApproved: boolean },
  nowMs: number,
): Promise<boolean> {
  const rows = await sql.execute(
    `update login_code set decided = ${AT(2)}, is_approved = $3, account_id = $4
    where user_code = $1 and decided is null and expires > ${AT(2)} returning id   -- = login_code_user_code_key`,
    [decision.userCode, nowMs, decision.isApproved, decision.accountId],
  );
  return rows.length > 0;
}

export interface ApprovedLoginCode {
  readonly accountId: number;
  readonly scope: Scope;
  readonly days: number;
}

export type Poll<Issued> =
  | { readonly state: 'unknown' | 'pending' | 'early' | 'denied' }
  | { readonly state: 'approved'; readonly issued: Issued };

interface Row extends ApprovedLoginCode {
  readonly id: number;
  readonly isApproved: boolean;
  readonly isDecided: boolean;
  readonly pollInterval: number;
  readonly lastPolledMs: number | null;
}

/** A decided request ends with its poll: `issue` runs at most once for it, in the transaction that removes it. */
export function pollLoginCode<Issued>(
  sql: Sql,
  deviceHash: Buffer,
  nowMs: number,
  issue: (tx: Sql, approved: ApprovedLoginCode) => Promise<Issued>,
): Promise<Poll<Issued>> {
  return sql.transaction(async (tx): Promise<Poll<Issued>> => {
    const [row] = await tx.execute<Row>(
      `select id, account_id as "accountId", scope, days, is_approved as "isApproved",
        decided is not null as "isDecided", poll_interval as "pollInterval", last_polled as "lastPolledMs"
      from login_code where device_hash = $1 and expires > ${AT(2)} for update   -- = login_code_device_hash_key`,
      [deviceHash, nowMs],
    );
    if (row === undefined) return { state: 'unknown' };
    const { id, lastPolledMs, pollInterval } = row;
    const isEarly = lastPolledMs !== null && nowMs - lastPolledMs < pollInterval * 1_000 - TOLERANCE_MS;
    if (isEarly || !row.isDecided) {
      const next = isEarly ? Math.min(POLL_INTERVAL_MAX, pollInterval + SLOWER_BY) : pollInterval;
      await tx.execute(`update login_code set last_polled = ${AT(2)}, poll_interval = $3 where id = $1`, [
        ...[id, nowMs, next],
      ]);
      return { state: isEarly ? 'early' : 'pending' };
    }
    await tx.execute('delete from login_code where id = $1', [id]);
    return row.isApproved ? { state: 'approved', issued: await issue(tx, row) } : { state: 'denied' };
  });
}
