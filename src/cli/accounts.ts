/**
 * `millrace user`, `millrace token`: accounts and tokens from the command line of a host, directly in the database, so
 * that somebody who is locked out of an installation can log in again. The audit records their changes.
 */
import { existsSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { hashOf, newToken, randomSecret } from '../auth/credentials.ts';
import { createPasswords } from '../auth/passwords.ts';
import type { Config } from '../config/config.ts';
import { SCOPES, type Scope } from '../domain/access.ts';
import { AppError } from '../domain/errors.ts';
import { runningUrl, startEmbedded } from '../embedded/postgres.ts';
import type { Logger } from '../lib/logger.ts';
import { createLogger } from '../observe/log.ts';
import { createToken, revokeToken } from '../store/account/access-tokens.ts';
import { findLogin, type LoginAccount, listAccounts, listTokens } from '../store/account/list.ts';
import { createAccount, editAccount, setPassword } from '../store/account/save.ts';
import { beginAudit, finishAudit } from '../store/audit/save.ts';
import { openDatabase } from '../store/database.ts';
import type { Listed, PageBounds } from '../store/sql/listing.ts';
import type { Sql } from '../store/sql/sql.ts';
import { describeChange } from './frame/change.ts';
import type { Context } from './frame/context.ts';
import { UsageError } from './frame/exit-codes.ts';
import { readConfig } from './frame/read-config.ts';
import type { SettingOptions } from './frame/settings.ts';

export interface AccountsOptions extends SettingOptions {
  readonly staff?: boolean;
  readonly scope?: string;
  readonly days?: string;
  readonly for?: string;
}

interface Work {
  readonly sql: Sql;
  readonly context: Context;
  /** The name of an account, or the id of a token. Empty for a list of all. */
  readonly subject: string;
  readonly options: AccountsOptions;
  readonly nowMs: number;
  readonly print: (text: string) => void;
}

const DAY_MS = 86_400_000;
const DAYS_MAX = 36_500;
const PAGE_SIZE = 1_000;
const BY_ID = [{ field: 'id', isDescending: false }] as const;

const VERBS = {
  'user list': listUsers,
  'user create': createUser,
  'user password': newPassword,
  'user enable': (work: Work) => edit(work, { isActive: true }),
  'user disable': (work: Work) => edit(work, { isActive: false }),
  'user staff': (work: Work) => edit(work, { isStaff: true }),
  'user plain': (work: Work) => edit(work, { isStaff: false }),
  'token list': listAccountTokens,
  'token create': createAccountToken,
  'token revoke': revoke,
} satisfies Record<string, (work: Work) => Promise<void>>;

export type AccountsCommand = keyof typeof VERBS;

/** What `--dry-run` says of each change. */
const DOES: Readonly<
  Partial<Record<AccountsCommand, (subject: string, options: AccountsOptions) => string>>
> = {
  'user create': (name, { staff }) => `creates the ${staff === true ? 'staff ' : ''}account ${name}`,
  'user password': (name) => `replaces the password of ${name}; its sessions end`,
  'user enable': (name) => `lets ${name} log in`,
  'user disable': (name) => `stops ${name} from logging in; its sessions end`,
  'user staff': (name) => `lets ${name} administrate`,
  'user plain': (name) => `makes ${name} a plain account, which may not administrate`,
  'token create': (name, { scope = 'read' }) => `creates a token of scope ${scope} for ${name}`,
  'token revoke': (id) => `ends token ${id}`,
};

export async function runAccounts(
  context: Context,
  name: AccountsCommand,
  options: AccountsOptions,
  subject: string,
): Promise<void> {
  const config = readConfig(context.terminal.env, options);
  const log = createLogger({ level: 'error', name: 'millrace-accounts' });
  await withDatabase(config, log, async (sql) => {
    const print = (text: string) => context.print(text);
    const work: Work = { context, sql, subject, options, nowMs: Date.now(), print };
    const does = DOES[name];
    if (does === undefined) await VERBS[name](work);
    else if (context.options.dryRun) {
      await tried(work, name);
      describeChange(context, does(subject, options));
    } else await audited(work, name);
  });
}

async function withDatabase(config: Config, log: Logger, work: (sql: Sql) => Promise<void>): Promise<void> {
  const { dataDir } = config;
  const url = config.databaseUrl?.reveal();
  // A mistyped folder must not become a new installation.
  if (url === undefined && !existsSync(dataDir)) {
    throw new UsageError(`there is no ${dataDir}: set DATABASE_URL, or MILLRACE_DATA_DIR`);
  }
  const given = url ?? (await runningUrl({ dataDir, log }));
  const embedded = given === undefined ? await startEmbedded({ dataDir, log }) : undefined;
  try {
    const database = await openDatabase({ url: given ?? embedded?.url ?? '', log });
    await work(database.sql).finally(() => database.close());
  } finally {
    await embedded?.stop();
  }
}

/** Makes the change with all its checks, then rolls it back. */
async function tried(work: Work, name: AccountsCommand): Promise<void> {
  const takenBack = new Error('taken back');
  const trial = work.sql.transaction(async (sql) => {
    await VERBS[name]({ ...work, sql, print: () => undefined });
    throw takenBack;
  });
  await trial.catch((error: unknown) => {
    if (error !== takenBack) throw error;
  });
}

async function audited(work: Work, name: AccountsCommand): Promise<void> {
  const { sql, nowMs } = work;
  const [id = 0] = await beginAudit(sql, [
    {
      ...{ atMs: nowMs, accountId: null, username: userInfo().username, knownBy: 'command', tokenId: null },
      ...{
        address: hostname(),
        requestId: '',
        method: 'COMMAND',
        route: `millrace ${name}`,
        path: work.subject,
      },
    },
  ]);
  const end = (status: number) => finishAudit(sql, [{ id, status, recordId: null }]);
  try {
    await VERBS[name](work);
  } catch (error) {
    await end(error instanceof AppError ? error.status : 500);
    throw error;
  }
  await end(200);
}

async function accountOf({ sql, subject }: Work): Promise<LoginAccount> {
  const account = await findLogin(sql, subject);
  if (account === undefined) throw new AppError('NOT_FOUND', `there is no account ${subject}`);
  return account;
}

async function listUsers({ sql, context }: Work): Promise<void> {
  const none = { username: [], is_staff: undefined, is_active: undefined };
  context.records(
    await all((page) => listAccounts(sql, none, BY_ID, page)),
    [
      { title: 'NAME', value: ({ username }) => username },
      { title: 'ROLE', value: ({ is_staff: isStaff }) => (isStaff ? 'staff' : 'plain') },
      { title: 'STATE', value: ({ is_active: isActive }) => (isActive ? 'active' : 'inactive') },
      { title: 'LAST LOGIN', value: ({ last_login: lastLogin }) => lastLogin },
      { title: 'CREATED', value: ({ created }) => created, isWide: true },
    ],
    ({ username }) => username,
  );
}

/** The records of all pages. */
async function all<T>(list: (page: PageBounds) => Promise<Listed<T>>): Promise<T[]> {
  const records: T[] = [];
  for (;;) {
    const { results } = await list({ pageSize: PAGE_SIZE, offset: records.length });
    records.push(...results);
    if (results.length < PAGE_SIZE) return records;
  }
}

async function createUser({ sql, subject, options, nowMs, print }: Work): Promise<void> {
  if (!/^[A-Za-z0-9_.@+-]{1,150}$/.test(subject)) {
    throw new AppError('INVALID_REQUEST', 'a name has letters, digits and _ . @ + - only');
  }
  const password = randomSecret().slice(0, 24);
  await createAccount(sql, {
    ...{ username: subject, firstName: '', lastName: '', email: '', isStaff: options.staff === true },
    ...{ isActive: true, nowMs, passwordHash: await createPasswords().hash(password) },
  });
  print(`password ${password}`);
}

async function newPassword(work: Work): Promise<void> {
  const { id } = await accountOf(work);
  const password = randomSecret().slice(0, 24);
  await setPassword(work.sql, id, await createPasswords().hash(password), null, work.nowMs);
  work.print(`password ${password}`);
}

async function edit(work: Work, change: Parameters<typeof editAccount>[2]): Promise<void> {
  const { id } = await accountOf(work);
  await editAccount(work.sql, id, change, work.nowMs);
  work.print('done');
}

async function listAccountTokens(work: Work): Promise<void> {
  const { sql, context, subject } = work;
  const accountIds = subject === '' ? [] : [(await accountOf(work)).id];
  context.records(
    await all((page) => listTokens(sql, accountIds, BY_ID, page)),
    [
      { title: 'ID', value: ({ id }) => id },
      { title: 'ACCOUNT', value: ({ account }) => account.username },
      { title: 'NAME', value: ({ name }) => name },
      { title: 'SCOPE', value: ({ scope }) => scope },
      { title: 'STATE', value: ({ is_active: isActive }) => (isActive ? 'valid' : 'ended') },
      { title: 'EXPIRES', value: ({ expires }) => expires },
      { title: 'LAST USED', value: ({ last_used: lastUsed }) => lastUsed, isWide: true },
    ],
    ({ id }) => id,
  );
}

async function createAccountToken(work: Work): Promise<void> {
  const { sql, options, nowMs } = work;
  const scope = SCOPES.find((known) => known === (options.scope ?? ('read' satisfies Scope)));
  const days = Number(options.days ?? '365');
  if (scope === undefined || !Number.isInteger(days) || days < 1 || days > DAYS_MAX) {
    throw new AppError(
      'INVALID_REQUEST',
      `--scope is one of ${SCOPES.join(', ')}, --days from 1 to ${DAYS_MAX}`,
    );
  }
  const { id: accountId } = await accountOf(work);
  const token = newToken();
  const name = options.for ?? 'command line';
  if (name === '' || name.length > 100)
    throw new AppError('INVALID_REQUEST', '--for has 1 to 100 characters');
  const id = await createToken(sql, {
    ...{ accountId, name, hash: hashOf(token), scope, expiresMs: nowMs + days * DAY_MS, nowMs },
  });
  work.print(`token ${id} ${token}`);
}

async function revoke({ sql, subject, nowMs, print }: Work): Promise<void> {
  const id = /^\d{1,15}$/.test(subject) ? Number(subject) : 0;
  await revokeToken(sql, id, null, nowMs);
  print('done');
}
