/** `millrace login` on a real terminal: the code that it shows is approved over HTTP, as the page does it. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { until } from '../e2e/harness/until.ts';
import { createWorld } from '../e2e/harness/world.ts';
import { migratedDatabase } from '../support/db.ts';

const PROGRAM = join(import.meta.dirname, '../../bin/millrace.js');
const PASSWORD = 'a-password-of-tests';

t.test('login: a person on a terminal logs in by a code', async (t) => {
  const world = await createWorld(t);
  const up = await world.start('up', 'up', {
    DATABASE_URL: await migratedDatabase(t),
    MILLRACE_AUTH: 'on',
    MILLRACE_ADMIN_PASSWORD: PASSWORD,
  });
  const config = join(world.folder, 'config');
  const login = (...options: string[]) => {
    const line = [process.execPath, PROGRAM, 'login', '--server', up.url, ...options].join(' ');
    const env = { PATH: process.env.PATH, HOME: world.folder, XDG_CONFIG_HOME: config };
    const child = spawn('script', ['-qec', line, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    t.teardown(() => child.kill('SIGKILL'));
    const seen = { text: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      seen.text += text;
    });
    const exited = new Promise((resolve) => {
      // Later than 'exit': all that it has written has come.
      child.once('close', resolve);
    });
    return { seen, exited };
  };
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(new URL(path, up.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const begun = await post('/v6/login/', { username: 'admin', password: PASSWORD });
  const cookies = begun.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
  const csrf = cookies.find((cookie) => cookie.startsWith('csrftoken='))?.slice('csrftoken='.length) ?? '';
  const session = { cookie: cookies.join('; '), 'x-csrftoken': csrf };
  const decide = async ({ seen }: ReturnType<typeof login>, isApproved: boolean) => {
    await until('it shows a code', () => /[A-Z]{4}-[A-Z]{4}/.test(seen.text));
    const [code] = /[A-Z]{4}-[A-Z]{4}/.exec(seen.text) ?? [];
    t.match(seen.text, `${up.url.replace(/\/$/, '')}/login/code/`);
    const body = { user_code: code, is_approved: isApproved };
    t.equal((await post('/v6/login/codes/decision/', body, session)).status, 204);
  };

  const denied = login('--profile', 'no');
  const approved = login('--scope', 'read', '--days', '2');
  await decide(denied, false);
  await decide(approved, true);
  t.equal(await denied.exited, 1);
  t.match(denied.seen.text, /the login was denied/);
  t.equal(await approved.exited, 0);
  t.match(approved.seen.text, /logged in at .* as admin; profile default/);
  const kept = JSON.parse(readFileSync(join(config, 'millrace/profiles.json'), 'utf8'));
  t.strictSame(Object.keys(kept.profiles), ['default']);
  const { token } = kept.profiles.default;
  t.notMatch(approved.seen.text, token);
  const who = await fetch(new URL('/v6/accounts/profile/', up.url), {
    headers: { authorization: `Bearer ${token}` },
  });
  t.match(await who.json(), { username: 'admin', scope: 'read' });

  const password = login('--password');
  await until('it asks for the account', () => password.seen.text.includes('Username: '));
});
