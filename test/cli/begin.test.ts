/** What a newcomer calls first: `init` and `doctor`. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { IMAGES, WORDS } from '../e2e/apply/typed.ts';

const BIN = join(import.meta.dirname, '../../bin/millrace.js');

function typed(cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const own = { PATH: process.env.PATH, HOME: cwd, ...env };
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
    ...{ cwd, env: own, encoding: 'utf8' },
  });
  return { code: status, out: stdout, err: stderr };
}

t.test('init: it writes the examples of the guide with their files, and overwrites nothing', (t) => {
  const folder = t.testdir();
  for (const [args, file, text] of [
    [[], 'words.yaml', WORDS],
    [['--example=images'], 'images.yaml', IMAGES],
  ] as const) {
    const made = typed(folder, ['init', '.', ...(args.length === 0 ? ['--example'] : args)]);
    t.match(made, { code: 0, err: new RegExp(`millrace apply -f ${file}`) });
    t.equal(readFileSync(join(folder, file), 'utf8'), text);
    for (const path of made.out.trim().split('\n')) t.ok(existsSync(join(folder, path)), path);
    t.match(typed(folder, ['lint', '-f', file]), { code: 0, out: /no errors/ });
  }
  for (const name of ['in', 'out', 'photos', 'previews']) t.ok(existsSync(join(folder, name)), name);
  writeFileSync(join(folder, 'words.yaml'), 'mine');
  const again = typed(folder, ['init', '--example']);
  t.match(again, { code: 1, out: '', err: /not overwritten: words\.yaml, in\/short\.txt/ });
  t.equal(readFileSync(join(folder, 'words.yaml'), 'utf8'), 'mine');
  t.match(typed(folder, ['init', '--example=wrods']), { code: 2, err: /words, images/ });
  t.end();
});

t.test('init: the names in millrace.yaml come from its directory, whatever that is called', (t) => {
  const folder = t.testdir();
  for (const name of ['My Pictures', '2026', `$(x) '"`, 'a'.repeat(80)]) {
    mkdirSync(join(folder, name));
    const made = typed(join(folder, name), ['init']);
    t.match(made, { code: 0, out: 'millrace.yaml\n' }, name);
    const lint = typed(join(folder, name), ['lint', '-f', 'millrace.yaml']);
    t.match(lint, { code: 0 }, `${name}: ${lint.err}`);
  }
  t.match(readFileSync(join(folder, 'My Pictures/millrace.yaml'), 'utf8'), /^set: 'my-pictures'$/m);
  t.end();
});

t.test('doctor: a clock that nobody can tell about is not called good', (t) => {
  const folder = t.testdir({ none: {} });
  const { out } = typed(folder, ['doctor'], { PATH: join(folder, 'none') });
  t.match(out, /^note +clock: not known: this host cannot tell whether NTP keeps it\n +-> .*timedatectl/m);
  t.end();
});

t.test('doctor: it reports what works, what does not, and what to do about it', (t) => {
  const folder = t.testdir();
  const data = { MILLRACE_DATA_DIR: join(folder, 'data') };
  const well = typed(folder, ['doctor', '--server', 'http://127.0.0.1:1'], {
    ...data,
    MILLRACE_EXECUTORS: 'process:default,docker',
    MILLRACE_DOCKER_HOST: `unix://${folder}/none.sock`,
  });
  t.match(well.out, /^ok +data folder: .*data \(will be made\)$/m);
  t.match(well.out, /^ok +database: embedded PostgreSQL \d+/m);
  t.match(well.out, /^ok +executor process:default: works$/m);
  t.match(well.out, /^note +executor docker: [^\n]*none\.sock\n +-> for containers by an engine/m);
  t.match(well.out, /^no +service: .*127\.0\.0\.1:1 [\s\S]*-> check --server/m);
  t.match(well.out, /^(ok|note) +watching directories: events arrive/m);
  t.match(well, { code: 1, err: /1 of \d+ do not work/ });
  t.notOk(existsSync(join(folder, 'data')), 'nothing is made');

  const bad = typed(folder, ['doctor', '-o', 'json'], {
    ...data,
    DATABASE_URL: 'postgres://someone:secret-of-tests@127.0.0.1:1/none',
    MILLRACE_EXECUTORS: 'docker',
    MILLRACE_DOCKER_HOST: `unix://${folder}/none.sock`,
  });
  t.equal(bad.code, 1);
  const found = JSON.parse(bad.out) as { what: string; verdict: string; help?: string }[];
  const verdictOf = (what: string) => found.find((one) => one.what === what);
  t.match(verdictOf('database'), { verdict: 'no', help: /DATABASE_URL/ });
  t.match(verdictOf('executor docker'), { verdict: 'no' }, 'a host needs one executor');
  t.notMatch(bad.out + bad.err, /secret-of-tests/);
  t.end();
});

t.test('doctor: a service that takes calls and never answers is named, with what to do', async (t) => {
  // The kernel completes its connections; nothing reads them while the command runs.
  const silent = createServer();
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
  t.teardown(() => silent.close());
  const server = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const { out } = typed(t.testdir(), ['doctor', '--server', server]);
  t.match(
    out,
    new RegExp(`^no +service: no answer from ${server} within 10 s\\n +-> check that this is`, 'm'),
  );
});
