/** `millrace watch` at a service that other machines reach: with a login, with TLS. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import t from 'tap';
import { migratedDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import { needsCertificates, selfSigned } from '../../support/services/http-certificate.ts';
import { createPlace, createPlaceOnDatabase, PROGRAM, products, Typed } from './watch-typed.ts';

t.test('watch: the password is shown once, and the command that is shown lets the line in', async (t) => {
  const { cwd } = await createPlace(t);
  await writeFile(join(cwd, 'in/a.txt'), 'a');
  const port = await freePort();
  const env = { MILLRACE_HTTP: `0.0.0.0:${port}` };
  const line = ['in', '--run', 'cp "$in" "$out/$name"', '--into', 'out'];
  const first = new Typed(cwd, line, env);
  t.equal(await first.exited, 4);
  t.match(first.output, /^admin password \S{12,} \(shown this once; the account is called admin\)$/m);
  t.match(first.output, new RegExp(`^the service is at http://127\\.0\\.0\\.1:${port}$`, 'm'), 'loopback');
  t.match(
    first.errors,
    new RegExp(`^millrace: the service at http://127\\.0\\.0\\.1:${port} demands a login`),
  );

  const stale = new Typed(cwd, line, { ...env, MILLRACE_TOKEN: `mlr_${'x'.repeat(43)}` });
  t.equal(await stale.exited, 4);
  t.match(stale.errors, /does not accept the token of MILLRACE_TOKEN\n {2}make a token/);
  t.notMatch(stale.output, /admin password/);

  const command = /again: {2}(export MILLRACE_TOKEN=.*)$/m.exec(first.errors)?.[1] ?? '';
  const shell = `millrace() { "${process.execPath}" "${PROGRAM}" "$@"; }; ${command}; printf %s "$MILLRACE_TOKEN"`;
  const { PATH, HOME } = process.env;
  const made = spawnSync('sh', ['-c', shell], { cwd, env: { PATH, HOME }, encoding: 'utf8' });
  t.match(made.stdout, /^mlr_\S+$/, made.stderr);
  const allowed = { ...env, MILLRACE_TOKEN: made.stdout };
  const second = new Typed(cwd, line, allowed);
  await second.shows(/^done {2}a\.txt/m);
  const beside = new Typed(cwd, [...line.slice(0, -1), 'out-2'], allowed);
  await beside.shows(
    new RegExp(`^using the service at http://127\\.0\\.0\\.1:${port}\n[\\s\\S]*^done {2}a`, 'm'),
  );
  t.equal(await beside.interrupt(), 0, beside.errors);
  t.equal(await second.interrupt(), 0, second.errors);
  t.strictSame(await products(cwd), ['a.txt']);

  const every = new Typed(cwd, line, { ...allowed, MILLRACE_HTTP: `[::]:${port}` });
  await every.shows(new RegExp(`^the service is at http://\\[::1\\]:${port}\n[\\s\\S]*^watching `, 'm'));
  t.equal(await every.interrupt(), 0, every.errors);
});

const COPY = ['in', '--run', 'cp "$in" "$out/"', '--into', 'out'];

t.test(
  'watch: a service of this machine with TLS is used once its certificate is trusted',
  needsCertificates(),
  async (t) => {
    const { world, cwd, env } = await createPlace(t);
    const { certificate, env: settings } = selfSigned(world.folder);
    const DATABASE_URL = await migratedDatabase(t);
    const up = await world.start('up', 'up', { ...env, ...settings, DATABASE_URL });
    const url = `https://${env.MILLRACE_HTTP}`;
    await writeFile(join(cwd, 'in/a'), 'a');
    const help =
      /^millrace: .*certificate.*\n {2}its certificate is not trusted here: set NODE_EXTRA_CA_CERTS to a PEM/m;
    for (const args of [COPY, [...COPY, '--server', url]]) {
      const refused = new Typed(cwd, args, env);
      t.equal(await refused.exited, 6, refused.output);
      t.match(refused.errors, help);
      t.match(refused.errors, url);
      t.equal(refused.output, '', 'no second service is started');
    }
    t.strictSame((await readdir(cwd)).sort(), ['in']);

    const trusting = new Typed(cwd, COPY, { ...env, NODE_EXTRA_CA_CERTS: certificate });
    await trusting.shows(new RegExp(`^using the service at ${url}\n[^]*^done {2}a -> a`, 'm'));
    t.equal(await trusting.interrupt(), 0, trusting.errors);
    await up.end('SIGTERM');

    // Without a service there, the line starts one with TLS itself.
    const own = new Typed(cwd, [...COPY.slice(0, -1), 'out-2'], { ...env, ...settings });
    t.equal(await own.exited, 6, own.output);
    t.match(own.errors, help);
  },
);

t.test(
  'watch: beside another program with TLS it starts a service at another port',
  needsCertificates(),
  async (t) => {
    const { world, cwd, env } = await createPlaceOnDatabase(t);
    const { certificate, key } = selfSigned(world.folder);
    const options = { cert: readFileSync(certificate), key: readFileSync(key) };
    const other = createServer(options, (_request, response) => response.end('{"version": 7}'));
    const port = Number(env.MILLRACE_HTTP?.split(':')[1]);
    await new Promise<void>((done) => other.listen(port, '127.0.0.1', done));
    t.teardown(() => other.close());
    const typed = new Typed(cwd, COPY, env);
    await typed.shows(/^watching /m);
    const taken = `another program has 127.0.0.1:${port}: the service gets another address\n`;
    t.match(typed.output, new RegExp(`^${taken}starting a service [^\n]*\nthe service is at http:`));
    t.notMatch(typed.output.replace(taken, ''), `:${port}`);
    t.equal(await typed.interrupt(), 0, typed.errors);
  },
);
