/** Accounts of those who log in by an OpenID provider: found, or made at the first login. */
import { AppError } from '../../domain/errors.ts';
import type { Identity } from '../../domain/identity.ts';
import type { Sql } from '../sql/sql.ts';
import { findLogin, findLoginById, type LoginAccount } from './list.ts';
import { createAccount, editAccount } from './save.ts';

const LOCK = /* sql */ `select pg_advisory_xact_lock(4711, 11)`;
const FIND = /* sql */ `
  select account_id as id from account_identity where issuer = $1 and subject = $2`;
const IS_LINKED = /* sql */ `select 1 from account_identity where account_id = $1 limit 1`;
const OTHER_STAFF = /* sql */ `
  select 1 from account where is_staff and is_active and id <> $1 limit 1`;
const LINK = /* sql */ `
  insert into account_identity (account_id, issuer, subject, created)
  values ($1, $2, $3, to_timestamp($4::float8 / 1000))`;

/**
 * The account of an identity, as it is after what the provider says of it. A new identity gets the account of its name
 * if that has neither password nor identity (somebody made it for them), a new one if there is none. Throws AppError
 * FORBIDDEN where the name is somebody else's.
 */
export function accountOfIdentity(sql: Sql, identity: Identity, nowMs: number): Promise<LoginAccount> {
  return sql.transaction(async (tx) => {
    await tx.execute(LOCK);
    const [known] = await tx.execute<{ id: number }>(FIND, [identity.issuer, identity.subject]);
    const id = known?.id ?? (await linked(tx, identity, nowMs));
    const account = await findLoginById(tx, id);
    if (account === undefined) throw new AppError('NOT_FOUND', 'there is no such account');
    await follow(tx, account, identity, nowMs);
    return account;
  });
}

async function linked(tx: Sql, identity: Identity, nowMs: number): Promise<number> {
  const { issuer, subject, username, firstName, lastName, email, isStaff } = identity;
  const named = await findLogin(tx, username);
  if (named !== undefined) {
    const others = await tx.execute(IS_LINKED, [named.id]);
    if (named.passwordHash !== null || others.length > 0) {
      throw new AppError('FORBIDDEN', `the account ${username} is somebody else's; ask your administrator`);
    }
  }
  const id =
    named?.id ??
    (await createAccount(tx, {
      ...{ username, firstName, lastName, email, nowMs },
      ...{ isStaff: isStaff ?? false, isActive: true, passwordHash: null },
    }));
  await tx.execute(LINK, [id, issuer, subject, nowMs]);
  return id;
}

/**
 * Names may change at the provider, and so may who is staff. What it does not tell stays, and so does the last staff
 * account, for somebody must be able to set things right.
 */
async function follow(tx: Sql, account: LoginAccount, identity: Identity, nowMs: number): Promise<void> {
  const { firstName, lastName, email, isStaff } = identity;
  const told = (text: string) => (text === '' ? undefined : text);
  const isLast =
    isStaff === false && account.isStaff && (await tx.execute(OTHER_STAFF, [account.id])).length === 0;
  const changed = isLast || isStaff === account.isStaff ? undefined : isStaff;
  const edit = { firstName: told(firstName), lastName: told(lastName), email: told(email), isStaff: changed };
  await editAccount(tx, account.id, edit, nowMs);
}
