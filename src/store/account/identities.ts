/** Accounts of people who log in by an OpenID provider: found, or created at the first login. */
import { AppError } from '../../domain/errors.ts';
import type { Identity } from '../../domain/identity.ts';
import { IDENTITIES_LOCK, takeLock } from '../locks.ts';
import { inEntities, type SqlEntityManager } from '../sql/entities.ts';
import type { Sql } from '../sql/sql.ts';
import { findLogin, findLoginById, type LoginAccount } from './list.ts';
import { createAccount, editAccount } from './save.ts';
import { AccountEntity, AccountIdentityEntity } from './table.ts';

/**
 * The account of an identity, updated from the provider's claims. A new identity gets the account of its name if that
 * has neither password nor identity (staff created it for this purpose), or a new one if there is none. Throws AppError
 * FORBIDDEN if the name belongs to another account.
 */
export function accountOfIdentity(sql: Sql, identity: Identity, nowMs: number): Promise<LoginAccount> {
  return inEntities(sql, async (manager, tx) => {
    await takeLock(tx, IDENTITIES_LOCK);
    const { issuer, subject } = identity;
    const known = await manager.findOne(AccountIdentityEntity, { issuer, subject });
    const id = known?.accountId ?? (await linked(manager, tx, identity, nowMs));
    const account = await findLoginById(tx, id);
    if (account === undefined) throw new AppError('NOT_FOUND', 'there is no such account');
    await follow(manager, tx, account, identity, nowMs);
    return account;
  });
}

async function linked(
  manager: SqlEntityManager,
  tx: Sql,
  identity: Identity,
  nowMs: number,
): Promise<number> {
  const { issuer, subject, username, firstName, lastName, email, isStaff } = identity;
  const named = await findLogin(tx, username);
  if (named !== undefined) {
    const isLinked = (await manager.count(AccountIdentityEntity, { accountId: named.id })) > 0;
    if (named.passwordHash !== null || isLinked) {
      throw new AppError('FORBIDDEN', `the account ${username} is somebody else's; ask your administrator`);
    }
  }
  const accountId =
    named?.id ??
    (await createAccount(tx, {
      ...{ username, firstName, lastName, email, nowMs },
      ...{ isStaff: isStaff ?? false, isActive: true, passwordHash: null },
    }));
  manager.create(AccountIdentityEntity, { accountId, issuer, subject, created: nowMs });
  return accountId;
}

/**
 * Names and the staff role may change at the provider. A field that the provider does not send is not changed. The last
 * staff account keeps its role, so that somebody can administer.
 */
async function follow(
  manager: SqlEntityManager,
  tx: Sql,
  account: LoginAccount,
  identity: Identity,
  nowMs: number,
): Promise<void> {
  const { firstName, lastName, email, isStaff } = identity;
  const given = (text: string) => (text === '' ? undefined : text);
  const others = { isStaff: true, isActive: true, id: { $ne: account.id } };
  const isLast = isStaff === false && account.isStaff && (await manager.count(AccountEntity, others)) === 0;
  const changed = isLast || isStaff === account.isStaff ? undefined : isStaff;
  const edit = {
    firstName: given(firstName),
    lastName: given(lastName),
    email: given(email),
    isStaff: changed,
  };
  await editAccount(tx, account.id, edit, nowMs);
}
