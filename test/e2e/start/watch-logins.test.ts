/** `millrace watch` at a service that other machines reach, and that demands a login. */
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { freePort } from '../../support/services/free-port.ts';
import { createPlace, PROGRAM, products, Typed } from './watch-typed.ts';

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
