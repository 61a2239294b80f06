/** Terminals of 40 columns: no line is broken inside a word. */
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { createNodeClient } from '../../../src/client/node.ts';
import { createWorld } from '../../e2e/harness/world.ts';
import { migratedDatabase } from '../../support/db.ts';
import { typed } from './terminal.ts';

const COLUMNS = 40;
const BIN = join(import.meta.dirname, '../../../bin/millrace.js');

t.test('narrow: changes, scans, nodes and top fit 40 columns, and keep what matters', async (t) => {
  const world = await createWorld(t);
  const up = await world.start('up', 'up', { DATABASE_URL: await migratedDatabase(t) });
  const client = createNodeClient({ server: up.url });
  const place = join(world.folder, 'place');
  mkdirSync(place);
  const name = 'a-place-with-a-name-as-long-as-names-can-be';
  await client.post('/v6/workspaces/', {
    body: { title: 'Place', name: 'place', configuration: { broker: { type: 'host', host_path: place } } },
  });
  await client.post('/v6/scans/', {
    body: {
      ...{ title: name, name },
      configuration: {
        workspace: 'place',
        scanner: { type: 'dir' },
        files_to_ingest: [{ filename_regex: '.*' }],
      },
    },
  });
  const at = { cwd: world.folder, columns: COLUMNS, rows: 60, env: { MILLRACE_SERVER: up.url } };
  for (const [args, line] of [
    [['changes', '--after', '0', '--kind', 'workspace'], /^\d\d:\d\d:\d\d {2}workspace \d+ {2}created$/m],
    [['changes', '--after', '0', '--kind', 'scan'], /^\d\d:\d\d:\d\d {2}scan \d+ {2}\w+$/m],
    [['scan', 'list'], /^\d+ +a-place\S*… +\w+ +\w+ +\S+$/m],
    [['node', 'list'], /^\d+ +host-1 +active/m],
  ] as const) {
    const session = typed(t, args, at);
    t.equal(await session.exited, 0, session.text());
    const written = session.raw.split('\r\n');
    t.match(written.join('\n'), line, args.join(' '));
    t.notOk(
      written.some((one) => one.length > COLUMNS),
      args.join(' '),
    );
  }
  const why = ['why', 'file', 'place', 'a-file-that-is-not-there.txt'];
  const piped = promisify(execFile)(process.execPath, [BIN, ...why], {
    env: { ...at.env, PATH: process.env.PATH },
  });
  const { stdout: whole } = await piped;
  t.ok(
    whole.split('\n').some((line) => line.length > COLUMNS && !line.includes('`')),
    'there is a line to wrap',
  );
  const session = typed(t, why, at);
  t.equal(await session.exited, 0, session.text());
  const written = session.raw.split('\r\n');
  t.equal(written.join(' ').replace(/\s+/g, ' '), whole.replace(/\s+/g, ' '), 'no word is cut or missing');
  t.notOk(
    written.some((line) => line.length > COLUMNS && !line.includes('`')),
    written.join('\n'),
  );

  for (const [args, code, words] of [
    [['whoami'], 0, 'no account: http'],
    [['pause', '--dry-run'], 0, 'pauses the service: no more jobs start'],
    [['job', 'show', '1'], 0, 'type millrace-'],
    [['login'], 130, 'in a browser, log in there, and type this code. It is valid for 10 minutes.'],
    [['jobs', '--status', 'FALIED'], 2, "FALIED': one of PENDING, BLOCKED, QUEUED, RUNNING, FAILED"],
    [['job', 'show'], 2, '(add --help for the arguments and examples)'],
    [['job', 'cancel', '--help'], 0, '--dry-run say how many, and change nothing -h, --help options and'],
  ] as const) {
    const said = typed(t, args, at);
    if (code === 130) await said.shows(/^ {4}[A-Z]{4}-[A-Z]{4}$/m);
    if (code === 130) said.type('\u0003');
    t.equal(await said.exited, code, args.join(' '));
    t.match(said.raw.replace(/\s+/g, ' '), words);
    const broken = said.raw.split('\r\n').filter((line) => line.length > COLUMNS);
    t.strictSame(
      broken.filter((line) => /\S +\S/.test(line) && !/^ +\$ |\{"/.test(line)),
      [],
      args.join(' '),
    );
  }

  const top = typed(t, ['top'], { ...at, rows: 20 });
  await top.shows(/^host\S* +READY/m);
  t.match(top.lines()[0], /^Millrace /, 'nothing has scrolled');
  top.type('q');
  t.equal(await top.exited, 0);
});
