/** Who is let in to a real program: the first start, logins and tokens over sockets, the command line. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { compiledPrograms } from '../../support/run/compiled-programs.ts';
import { freePort } from '../../support/services/free-port.ts';
import { until } from '../harness/until.ts';
import { callerOf, logIn, PASSWORD } from '../harness/work/access-calls.ts';
import { createWorld, type World } from '../harness/world.ts';

const BIN = join(import.meta.dirname, '../../../bin/millrace.js');
/** Runs `millrace` to its end; its standard output. */
async function millrace(t: Test, world: World, ...args: string[]): Promise<string> {
  const { env } = world.options('up', 'up');
  const child = spawn(process.execPath, [BIN, ...args], {
    env: { PATH: process.env.PATH, ...compiledPrograms(), ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  t.equal(code, 0, args.join(' '));
  return output;
}

t.test(
  'access: the first start beyond loopback prints a password once, and nobody gets in without it',
  async (t) => {
    const world = await createWorld(t);
    const port = await freePort();
    const call = callerOf(port);
    const env = { MILLRACE_HTTP: `0.0.0.0:${port}` };
    let up = await world.start('up', 'up', env);
    const [, password = ''] = PASSWORD.exec(up.output) ?? [];
    t.equal(password.length, 24);
    t.notMatch(up.log, password);

    t.match(await call('GET', '/v6/jobs/'), { status: 401, json: { code: 'UNAUTHENTICATED' } });
    t.equal((await call('GET', '/v6/version/')).status, 200);
    t.equal((await call('GET', '/login/')).status, 200);
    const session = await logIn(call, password);
    const { cookie = '' } = session;
    t.match((await call('GET', '/v6/accounts/profile/', undefined, { cookie })).json, {
      ...{ username: 'admin', first_name: 'Admin', last_name: 'User', is_staff: true },
    });
    const queued = { num: 1 };
    t.equal(
      (await call('POST', '/v6/diagnostics/job/hello/', queued, { cookie })).status,
      403,
      'no CSRF token',
    );
    t.equal((await call('POST', '/v6/diagnostics/job/hello/', queued, session)).status, 202);
    const { json: recipes } = await until('the recipe is there', async () => {
      const found = await call('GET', '/v6/recipes/', undefined, session);
      return found.json.results.length > 0 ? found : undefined;
    });
    const recipe = await call('GET', `/v6/recipes/${recipes.results[0].id}/`, undefined, session);
    t.match(recipe.json.event, { type: 'USER', description: { user: 'admin' } });

    const { json: made } = await call('POST', '/v6/tokens/', { name: 'test', scope: 'write' }, session);
    const token = { authorization: `Token ${made.token}` };
    t.equal((await call('GET', '/v6/jobs/', undefined, token)).status, 200);
    t.equal((await call('GET', '/v6/audit/', undefined, token)).status, 403);
    const { json: audit } = await call('GET', '/v6/audit/?order=at', undefined, session);
    t.match(audit.results, [
      { username: 'admin', route: '/v6/login/', address: '127.0.0.1', status: 200 },
      { username: 'admin', route: '/v6/diagnostics/job/hello/', status: 202, known_by: 'session' },
      { username: 'admin', route: '/v6/tokens/', record_id: made.id, status: 201 },
    ]);

    const [, reset = ''] =
      /^password (\S+)$/m.exec(await millrace(t, world, 'user', 'password', 'admin')) ?? [];
    await until(
      'its sessions have ended',
      async () => (await call('GET', '/v6/jobs/', undefined, session)).status === 401,
    );
    t.equal((await call('POST', '/v6/login/', { username: 'admin', password })).status, 401);
    await up.end('SIGTERM');
    up = await world.start('up', 'up', env);
    t.notMatch(up.output, PASSWORD, 'once');
    t.match(await logIn(call, reset), { cookie: /millrace_session=\S+/ });
    for (const text of [up.log, up.output]) t.notMatch(text, new RegExp(`${reset}|${made.token}|${cookie}`));
    await up.end('SIGTERM');
    const list = await millrace(t, world, 'user', 'list');
    t.match(list, /^admin +staff +active /m, 'also while nothing runs');
  },
);
