/** Writes of accounts. They have no actor: each write is one transaction. */
import { AppError } from '../../domain/errors.ts';
import type { Sql } from '../sql/sql.ts';
import { constraintOf } from '../sql/store-errors.ts';

export interface NewAccount {
  readonly username: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly isStaff: boolean;
  readonly isActive: boolean;
  /** Null: cannot log in by password. */
  readonly passwordHash: string | null;
  readonly nowMs: number;
}

/** Absent fields stay. */
export interface AccountEdit {
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly email?: string | undefined;
  readonly isStaff?: boolean | undefined;
  readonly isActive?: boolean | undefined;
}

/** Any number: whoever changes which accounts there are, or what they may do, takes turns. */
const ACCOUNTS_LOCK = 'select pg_advisory_xact_lock(4711, 10)';

const INSERT = /* sql */ `
  insert into account (username, first_name, last_name, email, is_staff, is_active, password_hash, created,
    last_modified)
  select $1, $2, $3, $4, $5, $6, $7, at, at from to_timestamp($8::float8 / 1000) as at
  returning id`;

/** Resolves with its id. Throws NAME_TAKEN. */
export async function createAccount(sql: Sql, account: NewAccount): Promise<number> {
  const { username, firstName, lastName, email, isStaff, isActive, passwordHash, nowMs } = account;
  const values = [username, firstName, lastName, email, isStaff, isActive, passwordHash, nowMs];
  try {
    const [row] = await sql.execute<{ id: number }>(INSERT, values);
    return (row as { id: number }).id;
  } catch (error) {
    if (constraintOf(error) !== 'account_username_key') throw error;
    const description = 'there is an account of this name';
    const errors = [{ name: 'NAME_TAKEN', description, path: 'username' }];
    throw new AppError('NAME_TAKEN', `username: ${description}`, { errors });
  }
}

/** Makes the account if there is none at all. When several try at once, one succeeds; the others get undefined. */
export function createFirstAccount(sql: Sql, account: NewAccount): Promise<number | undefined> {
  return sql.transaction(async (inside) => {
    await inside.execute(ACCOUNTS_LOCK);
    const [known] = await inside.execute('select id from account limit 1');
    return known === undefined ? createAccount(inside, account) : undefined;
  });
}

const UPDATE = /* sql */ `
  update account set
    first_name = coalesce($2, first_name),
    last_name = coalesce($3, last_name),
    email = coalesce($4, email),
    is_staff = coalesce($5, is_staff),
    is_active = coalesce($6, is_active),
    last_modified = to_timestamp($7::float8 / 1000)
  where id = $1
  returning is_active`;

/** Its sessions end when it is deactivated. Throws NOT_FOUND, or CONFLICT where nobody could administer any more. */
export function editAccount(sql: Sql, id: number, edit: AccountEdit, nowMs: number): Promise<void> {
  const { firstName, lastName, email, isStaff, isActive } = edit;
  return sql.transaction(async (inside) => {
    await inside.execute(ACCOUNTS_LOCK);
    const values = [firstName, lastName, email, isStaff, isActive].map((value) => value ?? null);
    const rows = await inside.execute<{ is_active: boolean }>(UPDATE, [id, ...values, nowMs]);
    const [edited] = rows;
    if (edited === undefined) throw new AppError('NOT_FOUND', 'there is no such account');
    if (isStaff === false || isActive === false) await keepOneAdministrator(inside);
    if (!edited.is_active) await inside.execute('delete from login_session where account_id = $1', [id]);
  });
}

async function keepOneAdministrator(sql: Sql): Promise<void> {
  const [left] = await sql.execute('select id from account where is_staff and is_active limit 1');
  if (left !== undefined) return;
  throw new AppError('CONFLICT', 'this is the last active staff account: nobody could administer any more');
}

/** All sessions end but `keptSessionId`. Throws NOT_FOUND. */
export function setPassword(
  sql: Sql,
  id: number,
  passwordHash: string,
  keptSessionId: number | null,
  nowMs: number,
): Promise<void> {
  return sql.transaction(async (inside) => {
    const rows = await inside.execute(
      `update account set password_hash = $2, last_modified = to_timestamp($3::float8 / 1000)
       where id = $1 returning id`,
      [id, passwordHash, nowMs],
    );
    if (rows.length === 0) throw new AppError('NOT_FOUND', 'there is no such account');
    await inside.execute('delete from login_session where account_id = $1 and id is distinct from $2', [
      id,
      keptSessionId,
    ]);
  });
}
