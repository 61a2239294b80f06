/**
 * `millrace user`, `millrace token`: accounts and tokens from the command line of a host, directly in the database, so
 * that a locked-out installation can be opened again. Their changes are in the audit.
 */
import { existsSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { hashOf, newToken, randomSecret } from '../auth/credentials.ts';
import { createPasswords } from '../auth/passwords.ts';
import { type Config, parseConfig } from '../config/config.ts';
import { SCOPES, type Scope } from '../domain/access.ts';
import { AppError } from '../domain/errors.ts';
import { didYouMean } from '../domain/near-names.ts';
import { runningUrl, startEmbedded } from '../embedded/postgres.ts';
import type { Logger } from '../lib/logger.ts';
import { createToken, revokeToken } from '../store/account/access-tokens.ts';
import { findLogin, type LoginAccount, listAccounts, listTokens } from '../store/account/list.ts';
import { createAccount, editAccount, setPassword } from '../store/account/save.ts';
import { beginAudit, finishAudit } from '../store/audit/save.ts';
import { openDatabase } from '../store/database.ts';
import type { Sql } from '../store/sql/sql.ts';

const USAGE = `Usage: millrace user list
       millrace user create <name> [--staff]     prints the password that it made up
       millrace user password <name>             makes up another one; all sessions of the account end
       millrace user enable|disable <name>
       millrace user staff|plain <name>
       millrace token list <name>
       millrace token create <name> [--scope read|write|admin] [--days <n>] [--for <what>]
       millrace token revoke <id>

They use DATABASE_URL, or the embedded database in MILLRACE_DATA_DIR (--data-dir), whether \`millrace up\` runs or not.
A running coordinator follows within two seconds.
`;

export interface AccountsCall {
  readonly command: 'user' | 'token';
  /** After the command. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  readonly nowMs: number;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

interface Order {
  readonly verb: string;
  /** The name of an account, or the id of a token. */
  readonly subject: string;
  readonly options: ReadonlyMap<string, string>;
}

interface Work extends Order {
  readonly sql: Sql;
  readonly nowMs: number;
  readonly say: (text: string) => void;
}

const DAY_MS = 86_400_000;
const DAYS_MAX = 36_500;
/** The commands' own options, and whether each has a value. */
const OPTIONS: Readonly<Record<string, boolean>> = { staff: false, scope: true, days: true, for: true };
const ALL = { page: 1, pageSize: 1_000, offset: 0 };
const BY_ID = [{ field: 'id', isDescending: false }] as const;

const VERBS: Readonly<Record<string, (work: Work) => Promise<void>>> = {
  'user list': listUsers,
  'user create': createUser,
  'user password': newPassword,
  'user enable': (work) => edit(work, { isActive: true }),
  'user disable': (work) => edit(work, { isActive: false }),
  'user staff': (work) => edit(work, { isStaff: true }),
  'user plain': (work) => edit(work, { isStaff: false }),
  'token list': listAccountTokens,
  'token create': createAccountToken,
  'token revoke': revoke,
};

/** The exit code: 0 success, 1 failed or refused, 2 wrong usage. */
export async function runAccounts(call: AccountsCall): Promise<number> {
  const { order, settings } = readArgs(call.args);
  const name = `${call.command} ${order.verb}`;
  const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  const checked = parseConfig('up', call.env, settings);
  if (verb === undefined || (order.subject === '') !== (name === 'user list') || !checked.ok) {
    const problems = checked.ok
      ? []
      : checked.errors.map(({ path, description }) => `${path}: ${description}`);
    if (verb === undefined && order.verb !== '') {
      problems.unshift(`there is no '${name}'${didYouMean(name, Object.keys(VERBS))}`);
    }
    call.stderr([...problems.map((problem) => `millrace: ${problem}\n`), USAGE].join(''));
    return 2;
  }
  try {
    await withDatabase(checked.value, call.log, async (sql) => {
      const work: Work = { ...order, sql, nowMs: call.nowMs, say: (text) => call.stdout(`${text}\n`) };
      await (order.verb === 'list' ? verb(work) : audited(work, name, verb));
    });
    return 0;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    call.stderr(`millrace: ${error.message}\n`);
    return 1;
  }
}

/** Own options belong to the command, all other flags are settings. */
function readArgs(args: readonly string[]): { order: Order; settings: readonly string[] } {
  const words: string[] = [];
  const settings: string[] = [];
  const options = new Map<string, string>();
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    const [flag = '', inline] = arg.split(/=(.*)/s);
    const hasValue = OPTIONS[flag.replace(/^--/, '')];
    if (!arg.startsWith('--')) words.push(arg);
    else if (hasValue === undefined) {
      settings.push(arg);
      if (inline === undefined) settings.push(args[++index] ?? '');
    } else options.set(flag.slice(2), hasValue ? (inline ?? args[++index] ?? '') : '');
  }
  const [verb = '', subject = '', ...rest] = words;
  // Extra words make an unknown command.
  return { order: { verb: rest.length > 0 ? '' : verb, subject, options }, settings };
}

async function withDatabase(config: Config, log: Logger, work: (sql: Sql) => Promise<void>): Promise<void> {
  const { dataDir } = config;
  const url = config.databaseUrl?.reveal();
  // A typing error must not create a new installation.
  if (url === undefined && !existsSync(dataDir)) {
    throw new AppError('NOT_FOUND', `there is no ${dataDir}: set DATABASE_URL, or MILLRACE_DATA_DIR`);
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

async function audited(work: Work, name: string, verb: (work: Work) => Promise<void>): Promise<void> {
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
    await verb(work);
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

async function listUsers({ sql, say }: Work): Promise<void> {
  const none = { username: [], is_staff: undefined, is_active: undefined };
  const { count, results } = await listAccounts(sql, none, BY_ID, ALL);
  for (const { username, is_staff: isStaff, is_active: isActive, last_login: lastLogin } of results) {
    const words = [isStaff ? 'staff' : 'plain', isActive ? 'active' : 'inactive'];
    say([String(username), ...words, `last login ${lastLogin ?? 'never'}`].join('\t'));
  }
  if (count > results.length) say(`and ${count - results.length} more`);
}

async function createUser({ sql, subject, options, nowMs, say }: Work): Promise<void> {
  if (!/^[A-Za-z0-9_.@+-]{1,150}$/.test(subject)) {
    throw new AppError('INVALID_REQUEST', 'a name has letters, digits and _ . @ + - only');
  }
  const password = randomSecret().slice(0, 24);
  await createAccount(sql, {
    ...{ username: subject, firstName: '', lastName: '', email: '', isStaff: options.has('staff') },
    ...{ isActive: true, nowMs, passwordHash: await createPasswords().hash(password) },
  });
  say(`password ${password}`);
}

async function newPassword(work: Work): Promise<void> {
  const { id } = await accountOf(work);
  const password = randomSecret().slice(0, 24);
  await setPassword(work.sql, id, await createPasswords().hash(password), null, work.nowMs);
  work.say(`password ${password}`);
}

async function edit(work: Work, change: Parameters<typeof editAccount>[2]): Promise<void> {
  const { id } = await accountOf(work);
  await editAccount(work.sql, id, change, work.nowMs);
  work.say('done');
}

async function listAccountTokens(work: Work): Promise<void> {
  const { id } = await accountOf(work);
  const { results } = await listTokens(work.sql, [id], BY_ID, ALL);
  for (const token of results) {
    const state = token.is_active === true ? `until ${token.expires ?? 'it is revoked'}` : 'ended';
    work.say(
      [token.id, token.name, token.scope, state, `last used ${token.last_used ?? 'never'}`].join('\t'),
    );
  }
}

async function createAccountToken(work: Work): Promise<void> {
  const { sql, options, nowMs } = work;
  const scope = SCOPES.find((known) => known === (options.get('scope') ?? ('read' satisfies Scope)));
  const days = Number(options.get('days') ?? '365');
  if (scope === undefined || !Number.isInteger(days) || days < 1 || days > DAYS_MAX) {
    throw new AppError(
      'INVALID_REQUEST',
      `--scope is one of ${SCOPES.join(', ')}, --days from 1 to ${DAYS_MAX}`,
    );
  }
  const { id: accountId } = await accountOf(work);
  const token = newToken();
  const name = options.get('for') ?? 'command line';
  if (name === '' || name.length > 100)
    throw new AppError('INVALID_REQUEST', '--for has 1 to 100 characters');
  const id = await createToken(sql, {
    ...{ accountId, name, hash: hashOf(token), scope, expiresMs: nowMs + days * DAY_MS, nowMs },
  });
  work.say(`token ${id} ${token}`);
}

async function revoke({ sql, subject, nowMs, say }: Work): Promise<void> {
  const id = /^\d{1,15}$/.test(subject) ? Number(subject) : 0;
  await revokeToken(sql, id, null, nowMs);
  say('done');
}
