/** `login`, `logout`, `whoami`, `profile`: the account of the person, at one or several services. */
import type { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import { createNodeClient } from '../../client/node.ts';
import { nearestOf } from '../../domain/near-names.ts';
import { DRY_RUN, describeChange } from '../frame/change.ts';
import { examples, type Run } from '../frame/command.ts';
import { clientOf } from '../frame/connection.ts';
import type { Context } from '../frame/context.ts';
import { NotFoundError, UsageError } from '../frame/exit-codes.ts';
import { profilesPath, readProfiles, readTokenFile, writeProfiles } from '../frame/profiles.ts';
import { tokenByCode } from './code-login.ts';

const DAY_MS = 86_400_000;
const DAYS_MAX = 3_650;
const NAME = /^[A-Za-z0-9_.-]{1,60}$/;
const SCOPES = ['read', 'write', 'admin'] as const;

interface LoginOptions {
  readonly username?: string;
  readonly password?: boolean;
  readonly scope: string;
  readonly days: string;
}

export function addSession(program: Command, run: Run): void {
  program
    .command('login')
    .summary('log in, and keep an access token in a profile')
    .description(
      'Logs in, and keeps an access token that the service makes for it. On a terminal it shows a code, which you ' +
        'type on a page of the service, in a browser where you are logged in. With --password or --username, the ' +
        'password is asked for instead. Without a terminal, --username is needed, and the password is the first line ' +
        'of standard input. With --token-file, that token is kept. The profile is called `default` unless --profile ' +
        'names it.',
    )
    .option('--password', 'log in with a password')
    .option('-u, --username <name>', 'the account, with a password; asked for when absent')
    .option('--scope <scope>', `what the token may do: ${SCOPES.join(', ')}`, 'write')
    .option('--days <n>', 'how long the token is valid', '30')
    .addHelpText(
      'after',
      examples(
        'login --server https://millrace.example.com',
        'login --server https://millrace.example.com -u jane --days 7',
        'login --profile lab --token-file ./token',
      ),
    )
    .action(run(login));
  program
    .command('logout')
    .summary('revoke the token of the profile, and forget it')
    .option(...DRY_RUN)
    .addHelpText('after', examples('logout', 'logout --profile lab --dry-run'))
    .action(run(logout));
  program
    .command('whoami')
    .summary('the account and the service')
    .addHelpText('after', examples('whoami', 'whoami -o json'))
    .action(run(whoami));
  const profile = program.command('profile').summary('profiles: list, use, delete');
  profile
    .command('list')
    .summary('all profiles; the current one is marked')
    .addHelpText('after', examples('profile list'))
    .action(run(listProfiles));
  profile
    .command('use')
    .argument('<name>')
    .summary('make a profile the current one')
    .option(...DRY_RUN)
    .addHelpText('after', examples('profile use lab'))
    .action(run(useProfile));
  profile
    .command('delete')
    .argument('<name>')
    .summary('forget a profile; its token stays valid (`logout` revokes it)')
    .option(...DRY_RUN)
    .addHelpText('after', examples('profile delete lab'))
    .action(run(deleteProfile));
}

async function login(context: Context, options: LoginOptions): Promise<void> {
  const { env } = context.terminal;
  const name = context.options.profile ?? 'default';
  const days = Number(options.days);
  const scope = SCOPES.find((known) => known === options.scope);
  const problems = [
    ...(NAME.test(name) ? [] : ['--profile: a name has 1 to 60 letters, digits and . _ -']),
    ...(Number.isInteger(days) && days >= 1 && days <= DAYS_MAX ? [] : [`--days: from 1 to ${DAYS_MAX}`]),
    ...(scope === undefined ? [`--scope: one of ${SCOPES.join(', ')}`] : []),
  ];
  if (problems.length > 0 || scope === undefined) throw new UsageError(problems.join('; '));
  const { profile: _profile, ...others } = context.options;
  const known = (await readProfiles(profilesPath(env))).byName.get(name);
  const { server, tokenFrom } = await context.connectionTo({
    ...others,
    server: others.server ?? known?.server,
  });
  const { tokenFile } = context.options;
  const token =
    tokenFile === undefined
      ? await newToken(context, server, { ...options, scope, days })
      : await readTokenFile(tokenFile);
  const { username } = await clientOf({ server, token }).get('/v6/accounts/profile/', {
    signal: context.signal,
  });
  const { byName } = await readProfiles(profilesPath(env));
  await writeProfiles(profilesPath(env), {
    current: name,
    byName: new Map([...byName, [name, { server, token, username }]]),
  });
  context.note(`logged in at ${server} as ${username}; profile ${name}`);
  if (tokenFrom !== undefined && tokenFile === undefined) {
    context.note(`note: ${tokenFrom} comes before the profile: unset it to use this login`);
  }
}

interface TokenRequest {
  readonly username?: string;
  readonly password?: boolean;
  readonly scope: (typeof SCOPES)[number];
  readonly days: number;
}

function newToken(context: Context, server: string, options: TokenRequest): Promise<string> {
  const { stdin, stderr } = context.terminal;
  const isTerminal = stdin.isTTY === true && stderr.isTTY === true;
  const hasPassword = options.password === true || options.username !== undefined;
  if (hasPassword || !isTerminal) return tokenByPassword(context, server, options);
  return tokenByCode(context, server, { scope: options.scope, days: options.days });
}

async function tokenByPassword(context: Context, server: string, options: TokenRequest): Promise<string> {
  const { signal } = context;
  if (options.username === undefined && context.terminal.stdin.isTTY !== true) {
    throw new UsageError('--username: which account? Standard input has its password');
  }
  const username = options.username ?? (await context.question('Username: ')).trim();
  const password = await context.secret('Password: ');
  if (username === '' || password === '') throw new UsageError('a username and a password are needed');
  const nobody = clientOf({ server, token: undefined });
  const answer = await nobody.call('POST', '/v6/login/', { body: { username, password }, signal });
  const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
  const csrf = cookies.find((cookie) => cookie.startsWith('csrftoken='))?.slice('csrftoken='.length) ?? '';
  const session: Client = createNodeClient({
    server,
    headers: () => ({ cookie: cookies.join('; '), 'x-csrftoken': csrf }),
  });
  const expires = new Date(Date.now() + options.days * DAY_MS).toISOString();
  try {
    const body = { name: 'millrace login', scope: options.scope, expires };
    return (await session.post('/v6/tokens/', { body, signal })).token;
  } finally {
    // The session was needed only for this. If the logout fails, the session expires.
    await session.post('/v6/logout/', { retryForMs: 0 }).catch(() => undefined);
  }
}

async function logout(context: Context): Promise<void> {
  const path = profilesPath(context.terminal.env);
  const { current, byName } = await readProfiles(path);
  const name = context.options.profile ?? current;
  const profile = name === undefined ? undefined : byName.get(name);
  if (name === undefined || profile === undefined)
    throw new NotFoundError('there is no profile to log out of');
  const { token, server } = profile;
  if (context.options.dryRun) {
    const revokes = token === undefined ? '' : 'revokes its token, and ';
    return describeChange(context, `logs out of ${server}: ${revokes}forgets it in profile ${name}`);
  }
  if (token !== undefined) await clientOf({ server, token }).post('/v6/logout/', { signal: context.signal });
  const { token: _token, ...rest } = profile;
  await writeProfiles(path, { current, byName: new Map([...byName, [name, rest]]) });
  context.note(`logged out of ${server}`);
}

async function whoami(context: Context): Promise<void> {
  const { server, profile, token } = await context.connection();
  const client = await context.client();
  const { signal } = context;
  if (token === undefined) {
    // If this is answered without a token, everybody may do everything.
    await client.get('/v6/scheduler/', { signal });
    if (context.isStructured)
      return context.document({ server, profile: profile ?? null, username: null, needs_login: false });
    if (context.options.output !== 'name') context.printWrapped(`no account: ${server} needs no login`);
    return;
  }
  const account = await client.get('/v6/accounts/profile/', { signal });
  if (context.isStructured) return context.document({ server, profile: profile ?? null, ...account });
  const { username, is_staff: isStaff, scope } = account;
  if (context.options.output === 'name') return context.print(username);
  context.printWrapped(`${username} (${isStaff ? 'staff' : 'plain'}, ${scope}) at ${server}`);
}

async function listProfiles(context: Context): Promise<void> {
  const { current, byName } = await readProfiles(profilesPath(context.terminal.env));
  const rows = [...byName].map(([name, { server, username, token }]) => ({
    ...{ name, server, username: username ?? null },
    ...{ has_token: token !== undefined, is_current: name === current },
  }));
  context.records(
    rows,
    [
      { title: 'NAME', value: ({ name }) => name },
      { title: 'SERVER', value: ({ server }) => server },
      { title: 'ACCOUNT', value: ({ username }) => username },
      { title: 'CURRENT', value: ({ is_current: isCurrent }) => (isCurrent ? 'yes' : '') },
    ],
    ({ name }) => name,
  );
}

async function useProfile(context: Context, _options: unknown, name: string): Promise<void> {
  const path = profilesPath(context.terminal.env);
  const { byName } = await readProfiles(path);
  if (!byName.has(name))
    throw new NotFoundError(`there is no profile '${name}'${nearestOf(name, byName.keys())}`);
  if (context.options.dryRun) return describeChange(context, `makes ${name} the current profile`);
  await writeProfiles(path, { current: name, byName });
}

async function deleteProfile(context: Context, _options: unknown, name: string): Promise<void> {
  const path = profilesPath(context.terminal.env);
  const { current, byName } = await readProfiles(path);
  const left = new Map([...byName].filter(([one]) => one !== name));
  if (left.size === byName.size) {
    throw new NotFoundError(`there is no profile '${name}'${nearestOf(name, byName.keys())}`);
  }
  if (context.options.dryRun) {
    const which = current === name ? `${name}, the current one` : name;
    return describeChange(context, `forgets profile ${which}; its token stays valid`);
  }
  await writeProfiles(path, { current: current === name ? undefined : current, byName: left });
}
