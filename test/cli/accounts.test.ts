/** `millrace user` and `millrace token`, on a real database. */
import t, { type Test } from 'tap';
import { createCredentials, hashOf } from '../../src/auth/credentials.ts';
import { createPasswords } from '../../src/auth/passwords.ts';
import { findToken } from '../../src/store/account/access-tokens.ts';
import { findLogin } from '../../src/store/account/list.ts';
import { storeWorld } from '../store/store-world.ts';
import { runTyped } from './run-typed.ts';

async function commandLine(t: Test) {
  const { url, db } = await storeWorld(t);
  const run = (text: string) => runTyped(text.split(' '), { env: { DATABASE_URL: url } });
  return { run, sql: db.sql };
}

t.test('command line: an account is created, changed and listed', async (t) => {
  const { run, sql } = await commandLine(t);
  const made = await run('user create jane --staff');
  const [, password = ''] = /^password (\S{24})\n$/.exec(made.stdout) ?? [];
  t.match([made.code, made.stderr], [0, '']);
  const stored = await findLogin(sql, 'jane');
  t.match(stored, { isStaff: true, isActive: true });
  t.ok(await createPasswords().matches(password, stored?.passwordHash ?? null));

  t.equal((await run('user create joe --staff')).code, 0);
  const changed = await run('user password jane');
  t.match(changed.stdout, /^password \S{24}\n$/);
  t.not(changed.stdout, made.stdout);
  t.notOk(await createPasswords().matches(password, (await findLogin(sql, 'jane'))?.passwordHash ?? null));
  t.equal((await run('user plain jane')).code, 0);
  t.equal((await run('user disable jane')).code, 0);
  t.match(await run('user list'), {
    stdout:
      /^NAME {2}ROLE {3}STATE {5}LAST LOGIN\njane {2}plain {2}inactive {2}-\njoe {3}staff {2}active {4}-\n$/,
  });
  t.equal((await run('user list -o name')).stdout, 'jane\njoe\n');
  t.match(JSON.parse((await run('user list -o json')).stdout), [{ username: 'jane', is_staff: false }, {}]);
  t.match(await run('user list --server http://host'), { code: 2, stderr: /calls no service/ });
  t.match(await run('user plain joe'), { code: 1, stderr: /last active staff account/ });
  t.equal((await run('user enable jane')).code, 0);
  t.match(await run('user create JANE'), { code: 1, stderr: /there is an account of this name/ });
  t.match(await run('user create a/b'), { code: 1, stderr: /letters/ });
  t.match(await run('user password nobody'), { code: 5, stderr: /there is no account nobody/ });

  const audit = await sql.execute<{ route: string }>('select * from audit order by id');
  t.equal(audit.length, 10, 'all but the list');
  t.match(audit[0], {
    known_by: 'command',
    method: 'COMMAND',
    route: 'millrace user create',
    path: 'jane',
    status: 200,
  });
  t.match(audit.at(-1), { route: 'millrace user password', status: 404 });
  t.notMatch(JSON.stringify(audit), password);
});

t.test('command line: a dry run checks a change and rolls it back', async (t) => {
  const { run, sql } = await commandLine(t);
  await run('user create jane --staff');
  const { stdout } = await run('token create jane');
  const id = stdout.split(' ')[1];
  for (const [text, expected] of [
    ['user create joe --staff', 'creates the staff account joe\n'],
    ['user password jane', 'replaces the password of jane; its sessions end\n'],
    ['user staff jane', 'lets jane administrate\n'],
    ['token create jane --scope write', 'creates a token of scope write for jane\n'],
    [`token revoke ${id}`, `ends token ${id}\n`],
  ] as const)
    t.match(await run(`${text} --dry-run`), { code: 0, stdout: expected, stderr: '' }, text);
  for (const [text, code, stderr] of [
    ['user create jane', 1, /there is an account of this name/],
    ['user plain jane', 1, /last active staff account/],
    ['user disable nobody', 5, /there is no account nobody/],
    ['token revoke 999', 5, /no such token/],
    ['token create jane --scope all', 1, /--scope/],
  ] as const)
    t.match(await run(`${text} --dry-run`), { code, stdout: '', stderr }, text);
  t.equal(await findLogin(sql, 'joe'), undefined);
  t.equal((await sql.execute('select * from audit')).length, 2, 'a dry run is no change for the audit');
  t.match((await run(`token list jane`)).stdout, / valid +\d{4}-/, 'the token is valid');
});

t.test('command line: a token is created, listed and revoked', async (t) => {
  const { run, sql } = await commandLine(t);
  await run('user create jane');
  const made = await run('token create jane --scope=write --days 7 --for backup');
  const [, id = '', token = ''] = /^token (\d+) (mlr_\S{43})\n$/.exec(made.stdout) ?? [];
  const found = await findToken(sql, hashOf(token), Date.now());
  t.match(found, { scope: 'write', username: 'jane' });
  const days = ((found?.expiresMs ?? 0) - Date.now()) / 86_400_000;
  t.ok(days > 6.9 && days <= 7);
  const listed = await run('token list jane');
  t.match(listed.stdout, new RegExp(`^ID .*\n${id} +jane +backup +write +valid +\\d{4}-`));
  t.notMatch(listed.stdout, /mlr_/);
  await run('user create joe');
  await run('token create joe');
  const everybody = await run('token list -o json');
  t.strictSame(
    JSON.parse(everybody.stdout).map((one: { account: { username: string } }) => one.account.username),
    ['jane', 'joe'],
    'without a name the tokens of all accounts',
  );
  t.notMatch(everybody.stdout, /mlr_/);
  t.match(await run('token list nobody'), { code: 5, stderr: /there is no account nobody/ });
  t.equal((await run(`token revoke ${id}`)).code, 0);
  t.equal(await createCredentials(sql).byToken(token, Date.now()), undefined);
  t.match((await run('token list jane')).stdout, /ended/);
  t.match(await run('token revoke 999'), { code: 5, stderr: /no such token/ });
  t.match(await run('token create jane --scope all'), { code: 1, stderr: /--scope/ });
  t.match(await run('token create jane --days 0'), { code: 1, stderr: /--days/ });
});

t.test('command line: a wrong call is refused before the database is opened', async (t) => {
  const env = { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' };
  for (const [text, stderr] of [
    ['user', /Usage: millrace user/],
    ['user frobnicate', /unknown command 'frobnicate'/],
    ['user create', /missing required argument 'name'/],
    ['user list jane', /too many arguments/],
    ['token', /Usage: millrace token/],
    ['token create', /missing required argument 'name'/],
    ['token revoke', /missing required argument 'id'/],
    ['user create a b', /too many arguments/],
    ['user create jane --frobnicate 1', /unknown option '--frobnicate'/],
    ['user __proto__ x', /unknown command '__proto__'/],
  ] as const) {
    t.match(await runTyped(text.split(' '), { env }), { code: 2, stdout: '', stderr }, text);
  }
  const absent = await runTyped(['user', 'list', '--data-dir', '/nowhere/at/all']);
  t.match(absent, { code: 2, stderr: /there is no \/nowhere\/at\/all/ });
});
