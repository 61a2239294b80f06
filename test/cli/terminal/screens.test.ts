/** Screens that are kept current, and questions, in a pseudo terminal. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { createNodeClient } from '../../../src/client/node.ts';
import { createWorld } from '../../e2e/harness/world.ts';
import { migratedDatabase } from '../../support/db.ts';
import { installed, TerminalSession, typed } from './terminal.ts';

const CTRL_C = '\u0003';
/** A name that would turn the terminal red, and one in wide characters. */
const HOSTILE = '\u001b[31m\u202e$(x)';
const WIDE = '漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字';

t.test('terminal: screens and questions', async (t) => {
  const world = await createWorld(t);
  const up = await world.start('up', 'up', { DATABASE_URL: await migratedDatabase(t) });
  const client = createNodeClient({ server: up.url, token: () => undefined });
  const place = join(world.folder, 'place');
  mkdirSync(place);
  await client.post('/v6/workspaces/', {
    body: { title: 'Place', configuration: { broker: { type: 'host', host_path: place } } },
  });
  const made = async (name: string, title: string, command: string) =>
    client.post('/v6/job-types/', {
      body: {
        container_image: 'process:default',
        manifest: {
          seedVersion: '1.0.0',
          job: {
            ...{ name, jobVersion: '1.0.0', packageVersion: '1.0.0', title, description: title },
            ...{ maintainer: { name: 'x', email: 'x@example.com' }, timeout: 60 },
            interface: { command },
          },
        },
      },
    });
  const bad = await made('bad', WIDE, `sh -c 'printf "%s" "${WIDE} ${HOSTILE}" >&2; exit 3'`);
  const { id } = await client.post('/v6/jobs/', { body: { job_type_id: bad.id, input: {} } });
  const at = (columns = 80, rows = 24) => ({
    ...{ cwd: world.folder, columns, rows },
    env: { MILLRACE_SERVER: up.url },
  });
  const waited = typed(t, ['job', 'wait', `${id}`], at());
  t.equal(await waited.exited, 1, waited.text());

  await t.test('top fits the window, whatever its size, and gives the screen back', async (t) => {
    const top = typed(t, ['top'], at());
    await top.shows(/host-1 +READY/);
    await top.shows(/bad 1\.0\.0/);
    t.ok(top.isFullScreen);
    t.match(top.text(), /scheduler READY/);
    await top.shows(/^q or Ctrl-C ends/m);
    top.resize(40, 10);
    await top.shows(/more lines {3}q or Ctrl-C/);
    t.match(top.text(), /…/, 'what does not fit is cut');
    t.match(top.lines()[0], /^Millrace /, 'nothing has scrolled');
    t.notOk(top.raw.includes('\u001b[31m'), 'what a job has written cannot command the terminal');
    top.type('q');
    t.equal(await top.exited, 0);
    t.notOk(top.isFullScreen);
    t.ok(top.raw.includes('\u001b[?25h'), 'the cursor is back');
  });

  await t.test('a terminal that understands no control sequences gets none', async (t) => {
    const { env, ...size } = at();
    for (const [args, code] of [
      [['top'], 0],
      [['doctor', '--server', 'http://127.0.0.1:1'], 1],
    ] as const) {
      const dumb = typed(t, args, { ...size, env: { ...env, TERM: 'dumb' } });
      t.equal(await dumb.exited, code, dumb.text());
      t.notOk(dumb.raw.includes('\u001b'), dumb.raw);
    }
  });

  await t.test('what a command shows is shown again with --watch, until Ctrl-C', async (t) => {
    const jobs = typed(t, ['jobs', '--type', 'bad', '-w'], at(40, 12));
    await jobs.shows(/FAILED/);
    t.ok(jobs.isFullScreen);
    const { id: next } = await client.post('/v6/jobs/', { body: { job_type_id: bad.id, input: {} } });
    await jobs.shows(new RegExp(`^${next} +bad.*FAILED`, 'm'));
    jobs.type(CTRL_C);
    t.equal(await jobs.exited, 0);
    await jobs.shows(/FAILED/);
    t.notOk(jobs.isFullScreen, 'the last look stays');
  });

  await t.test('a change of many objects asks first, and no is the answer unless y is typed', async (t) => {
    const asked = typed(t, ['job', 'requeue', '--status', 'FAILED'], at());
    await asked.shows(/This requeues 2 jobs: 2 FAILED\. Continue\? \[y\/N\]/);
    asked.type('\r');
    t.equal(await asked.exited, 1);
    await asked.shows(/nothing was changed/);
    const interrupted = typed(t, ['job', 'requeue', '--status', 'FAILED'], at());
    await interrupted.shows(/\[y\/N\]/);
    interrupted.type(CTRL_C);
    t.equal(await interrupted.exited, 130, interrupted.text());
    t.equal(await client.count('/v6/jobs/', { query: { status: ['FAILED'] } }), 2, 'nothing has changed');
  });

  await t.test('help and every failure stay readable at 40 columns', async (t) => {
    for (const args of [['help'], ['help', 'watch'], ['jbos'], ['why', 'job', `${id}`], ['status']]) {
      const narrow = typed(t, args, at(40, 400));
      await narrow.exited;
      const words = narrow.text().replace(/\s+/g, ' ');
      t.match(words, /\w+ \w+/, args.join(' '));
      t.notMatch(narrow.raw, /undefined|\[object/, args.join(' '));
    }
  });

  await t.test('a lost service is reported on the screen', async (t) => {
    const status = typed(t, ['status', '--watch'], at());
    await status.shows(/scheduler READY/);
    up.signal('SIGKILL');
    await up.exited;
    await status.shows(/trying again[\s\S]*cannot be reached/);
    status.type('q');
    t.equal(await status.exited, 0);
  });
});

t.test('terminal: shells complete commands', async (t) => {
  const world = await createWorld(t);
  const up = await world.start('up', 'up', { DATABASE_URL: await migratedDatabase(t) });
  const client = createNodeClient({ server: up.url, token: () => undefined });
  const place = join(world.folder, 'place');
  mkdirSync(place);
  await client.post('/v6/workspaces/', {
    body: {
      ...{ name: 'pictures-of-ann', title: 'P' },
      configuration: { broker: { type: 'host', host_path: place }, http: 'write' },
    },
  });
  const bin = installed(world.folder);
  const env = { PATH: `${bin}:${process.env.PATH}`, MILLRACE_SERVER: up.url, PS1: '> ' };
  const options = { cwd: world.folder, env, columns: 100 };
  const { findProgram } = await import('../../support/services/find-program.ts');
  const { needsPrograms } = await import('../../support/registry.ts');

  const shells = {
    bash: ['--norc', '--noprofile'],
    zsh: ['-f'],
    fish: ['--no-config'],
  } as const;
  const begins = {
    bash: 'source <(millrace completion bash); echo rea""dy\r',
    zsh: 'autoload -U compinit; compinit -u -D; source <(millrace completion zsh); echo rea""dy\r',
    fish: 'millrace completion fish | source; echo rea""dy\r',
  };
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    await t.test(
      `${shell} completes commands, options, and names that the service has`,
      needsPrograms(shell),
      async (t) => {
        const session = new TerminalSession(t, findProgram(shell) ?? shell, shells[shell], options);
        session.type(begins[shell]);
        await session.shows(/^ready/m);
        session.type('millrace repro\t');
        await session.shows(/millrace reprocess/);
        session.type('\u0015');
        session.type('millrace scan create --workspace pic\t');
        await session.shows(/--workspace pictures-of-ann/);
        session.type('\u0015');
        session.type('millrace file put no pictures-of-ann\t');
        await session.shows(/put no pictures-of-ann:/);
        // A path comes next, without a space before it.
        session.type('x');
        await session.shows(/put no pictures-of-ann:x/);
        session.type('\u0015');
        session.type('millrace jobs --stat\t');
        await session.shows(/jobs --status/);
      },
    );
  }
});
