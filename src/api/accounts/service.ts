/** The service behind the routes of accounts: rows of the catalog, and passwords checked and hashed. */

import { type LoginParts, requireLoginTry } from '../../auth/login.ts';
import { type Caller, NOBODY_NAME, refusalOf } from '../../domain/access.ts';
import { AppError } from '../../domain/errors.ts';
import { passwordProblems } from '../../domain/password.ts';
import { IssueList, type Problem } from '../../domain/validation.ts';
import type { Asker } from '../../http/route.ts';
import { findAccount, findLoginById, type LoginAccount, listAccounts } from '../../store/account/list.ts';
import { createAccount, editAccount, setPassword } from '../../store/account/save.ts';
import { creating } from '../../store/catalog/creating.ts';
import { savesAnswer } from '../shared/idempotency.ts';
import { refuseProblems } from '../shared/requests.ts';
import {
  type AccountCreateBody,
  type AccountRouteDeps,
  accountPath,
  type PasswordChangeBody,
} from './routes.ts';

type Accounts = AccountRouteDeps['accounts'];

export function accountsApp(parts: LoginParts): Accounts {
  const { sql, credentials } = parts;
  return {
    list: (filter, order, page) => listAccounts(sql, filter, order, page),
    find: (id) => findAccount(sql, id),
    async profile({ accountId, scope }) {
      const account = accountId === null ? undefined : await findAccount(sql, accountId);
      if (account === undefined) throw new AppError('UNAUTHENTICATED', 'nobody is logged in');
      const { id, username, first_name, last_name, email, is_staff } = account;
      return { id, username, first_name, last_name, email, is_staff, scope };
    },
    create: (body, asker) => create(parts, body, asker),
    async edit(id, body, nowMs) {
      const { first_name: firstName, last_name: lastName, email } = body;
      const { is_staff: isStaff, is_active: isActive } = body;
      await editAccount(sql, id, { firstName, lastName, email, isStaff, isActive }, nowMs);
      credentials.forget();
    },
    setPassword: (id, body, request) => changePassword(parts, id, body, request),
    passwordProblems: ({ password, username }) =>
      typeof password === 'string' && password !== ''
        ? passwordProblems(password, typeof username === 'string' ? username : '', 'password')
        : [],
  };
}

async function create(
  { sql, passwords }: LoginParts,
  body: AccountCreateBody,
  asker: Asker,
): Promise<number> {
  const { username, password } = body;
  const errors: Problem[] = [];
  if (username.toLowerCase() === NOBODY_NAME.toLowerCase()) {
    const description = 'is what callers without an account are called';
    errors.push({ name: 'NAME_TAKEN', description, path: 'username' });
  }
  if (password !== undefined) errors.push(...passwordProblems(password, username, 'password'));
  refuse(errors);
  const also = savesAnswer(asker, async (tx, id: number) => {
    return { status: 201, location: accountPath(id), record: await findAccount(tx, id) };
  });
  const row = {
    ...{ username, nowMs: asker.nowMs, firstName: body.first_name ?? '', lastName: body.last_name ?? '' },
    ...{ email: body.email ?? '', isStaff: body.is_staff ?? false, isActive: body.is_active ?? true },
    passwordHash: password === undefined ? null : await passwords.hash(password),
  };
  return creating(sql, also, (tx) => createAccount(tx, row));
}

interface Asked {
  readonly caller: Caller;
  readonly address: string;
  readonly nowMs: number;
}

/** A caller who is logged in as the account must also know its password, because a session may have been left open. */
async function changePassword(
  parts: LoginParts,
  id: number,
  body: PasswordChangeBody,
  { caller, address, nowMs }: Asked,
): Promise<void> {
  const isOwn = caller.accountId === id;
  if (!isOwn && refusalOf(caller, 'admin') !== undefined) {
    throw new AppError('FORBIDDEN', 'only staff may set the password of another account');
  }
  const account = await findLoginById(parts.sql, id);
  if (account === undefined) throw new AppError('NOT_FOUND', 'there is no such account');
  refuse(passwordProblems(body.password, account.username, 'password'));
  if (isOwn) await requireCurrent(parts, account, body.current_password, address, nowMs);
  const keptId = isOwn && caller.by === 'session' ? caller.credentialId : null;
  await setPassword(parts.sql, id, await parts.passwords.hash(body.password), keptId, nowMs);
  parts.credentials.forget();
}

async function requireCurrent(
  parts: LoginParts,
  { username, passwordHash }: LoginAccount,
  shown: string | undefined,
  address: string,
  nowMs: number,
): Promise<void> {
  const path = 'current_password';
  if (shown === undefined) {
    refuse([{ name: 'MISSING_FIELD', description: 'is required to change the own password', path }]);
    return;
  }
  requireLoginTry(parts.logins, username, address, nowMs);
  if (!(await parts.passwords.matches(shown, passwordHash))) {
    refuse([{ name: 'WRONG_PASSWORD', description: 'is not the password of the account', path }]);
  }
  parts.logins.succeeded(username, address);
}

function refuse(errors: readonly Problem[]): void {
  const issues = new IssueList();
  issues.include('', { errors });
  refuseProblems(issues);
}
