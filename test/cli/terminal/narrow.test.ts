/** Lists on a terminal of 40 columns: no line wraps. */
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { createNodeClient } from '../../../src/client/node.ts';
import { createWorld } from '../../e2e/harness/world.ts';
import { typed } from './terminal.ts';

const COLUMNS = 40;
const BIN = join(import.meta.dirname, '../../../bin/millrace.js');

t.test('narrow: changes, scans, nodes and top fit 40 columns, and keep what matters', async (t) => {
  const world = await createWorld(t);
  const up = await world.start('up', 'up');
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

  const top = typed(t, ['top'], { ...at, rows: 20 });
  await top.shows(/^host\S* +READY/m);
  t.match(top.lines()[0], /^Millrace /, 'nothing has scrolled');
  top.type('q');
  t.equal(await top.exited, 0);
});
