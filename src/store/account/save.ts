/** Writes of accounts. They have no actor: each write is one transaction. */
import { AppError } from '../../domain/errors.ts';
import { ACCOUNTS_LOCK, takeLock } from '../locks.ts';
import { inEntities, type SqlEntityManager } from '../sql/entities.ts';
import type { Sql } from '../sql/sql.ts';
import { constraintOf } from '../sql/store-errors.ts';
import { AccountEntity, LoginSessionEntity } from './table.ts';

export interface NewAccount {
  readonly username: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly isStaff: boolean;
  readonly isActive: boolean;
  /** Null: no login by password. */
  readonly passwordHash: string | null;
  readonly nowMs: number;
}

/** Absent fields do not change. */
export interface AccountEdit {
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly email?: string | undefined;
  readonly isStaff?: boolean | undefined;
  readonly isActive?: boolean | undefined;
}

/** Resolves with its id. Throws NAME_TAKEN. */
export async function createAccount(sql: Sql, account: NewAccount): Promise<number> {
  const { nowMs, ...fields } = account;
  try {
    const made = await inEntities(sql, async (manager) =>
      manager.create(AccountEntity, { ...fields, created: nowMs, lastModified: nowMs }),
    );
    return made.id;
  } catch (error) {
    if (constraintOf(error) !== 'account_username_key') throw error;
    const description = 'there is an account of this name';
    const errors = [{ name: 'NAME_TAKEN', description, path: 'username' }];
    throw new AppError('NAME_TAKEN', `username: ${description}`, { errors });
  }
}

/**
 * Creates the account if there is none at all. If several callers try at once, one succeeds; the others get undefined.
 */
export function createFirstAccount(sql: Sql, account: NewAccount): Promise<number | undefined> {
  return inEntities(sql, async (manager, tx) => {
    await takeLock(tx, ACCOUNTS_LOCK);
    return (await manager.count(AccountEntity)) === 0 ? createAccount(tx, account) : undefined;
  });
}

/** Deactivating an account ends its sessions. Throws NOT_FOUND, or CONFLICT if nobody could administer any longer. */
export function editAccount(sql: Sql, id: number, edit: AccountEdit, nowMs: number): Promise<void> {
  return inEntities(sql, async (manager, tx) => {
    await takeLock(tx, ACCOUNTS_LOCK);
    const account = await accountById(manager, id);
    account.firstName = edit.firstName ?? account.firstName;
    account.lastName = edit.lastName ?? account.lastName;
    account.email = edit.email ?? account.email;
    account.isStaff = edit.isStaff ?? account.isStaff;
    account.isActive = edit.isActive ?? account.isActive;
    account.lastModified = nowMs;
    await manager.flush();
    if (edit.isStaff === false || edit.isActive === false) await keepOneAdministrator(manager);
    if (!account.isActive) await manager.nativeDelete(LoginSessionEntity, { accountId: id });
  });
}

async function keepOneAdministrator(manager: SqlEntityManager): Promise<void> {
  if ((await manager.count(AccountEntity, { isStaff: true, isActive: true })) > 0) return;
  throw new AppError('CONFLICT', 'this is the last active staff account: nobody could administer any more');
}

/** Ends all sessions but `keptSessionId`. Throws NOT_FOUND. */
export function setPassword(
  sql: Sql,
  id: number,
  passwordHash: string,
  keptSessionId: number | null,
  nowMs: number,
): Promise<void> {
  return inEntities(sql, async (manager) => {
    const account = await accountById(manager, id);
    manager.assign(account, { passwordHash, lastModified: nowMs });
    // The update locks the account, so it waits for sessions that are being created, and the delete below sees them.
    await manager.flush();
    const others = keptSessionId === null ? {} : { id: { $ne: keptSessionId } };
    await manager.nativeDelete(LoginSessionEntity, { accountId: id, ...others });
  });
}

async function accountById(manager: SqlEntityManager, id: number) {
  const account = await manager.findOne(AccountEntity, id);
  if (account === null) throw new AppError('NOT_FOUND', 'there is no such account');
  return account;
}
