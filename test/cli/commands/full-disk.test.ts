/** Commands that write files of this machine: a full disk is said and leaves no file in part, names may be odd. */
import { spawn } from 'node:child_process';
import { mkdirSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { createNodeClient } from '../../../src/client/node.ts';
import { mount, mounting } from '../../e2e/harness/mounts.ts';
import { createWorld } from '../../e2e/harness/world.ts';
import { migratedDatabase } from '../../support/db.ts';
import { typed } from './typed-process.ts';

const BIN = join(import.meta.dirname, '../../../bin/millrace.js');
const FULL = 'the disk is full \\(ENOSPC\\)\n';
/** More than the small disks hold. */
const BYTES = 300_000;

t.test('full disk: a command that cannot write its standard output fails and says so', async (t) => {
  const world = await createWorld(t);
  for (const args of [['help'], ['version'], ['completion', 'bash'], ['profile', 'list']]) {
    const child = spawn(process.execPath, [BIN, ...args], {
      env: { PATH: process.env.PATH, XDG_CONFIG_HOME: join(world.folder, 'config') },
      stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
    });
    const code = new Promise((resolve) => child.on('exit', resolve));
    const said = child.stderr === null ? '' : await text(child.stderr);
    t.match(said, new RegExp(`^millrace: standard output cannot be written: ${FULL}$`), args.join(' '));
    t.equal(await code, 1);
  }
});

t.test('full disk: file get, export and init leave no partial file', mounting(), async (t) => {
  const world = await createWorld(t);
  const up = await world.start('up', 'up', { DATABASE_URL: await migratedDatabase(t) });
  const run = (...args: string[]) => typed(world, args, { MILLRACE_SERVER: up.url });
  const client = createNodeClient({ server: up.url });
  const place = join(world.folder, 'place');
  mkdirSync(place);
  const broker = { type: 'host' as const, host_path: place };
  for (const title of ['Place', ...Array.from({ length: 9 }, (_, index) => `Place ${index}`)]) {
    await client.post('/v6/workspaces/', {
      body: {
        title,
        description: 'x'.repeat(500),
        is_active: title === 'Place',
        configuration: { broker, http: 'write' },
      },
    });
    if (title === 'Place') broker.host_path = join(world.folder, 'none');
  }
  await client.upload({ workspace: 'place', path: 'large', content: new Uint8Array(BYTES) });
  const small = join(world.folder, 'small');
  mkdirSync(small);
  t.ok(mount('-t', 'tmpfs', '-o', 'size=4k', 'tmpfs', small));
  t.teardown(() => spawn('umount', ['-l', small]));

  const got = await run('file', 'get', 'place:large', 'small/large');
  t.match(got, { code: 1, out: '', err: new RegExp(`^millrace: small/large cannot be written: ${FULL}$`) });
  t.strictSame(readdirSync(small), []);
  const exported = await run('export', 'small');
  t.match(exported, { code: 1, err: new RegExp(`^millrace: .*set.*\\.yaml cannot be written: ${FULL}$`) });
  t.strictSame(readdirSync(small), []);
  writeFileSync(join(small, 'fills'), new Uint8Array(4_096));
  const begun = await run('init', 'small');
  t.match(begun, { code: 1, err: new RegExp(`^millrace: .*small/\\S+ cannot be written: ${FULL}$`) });
  t.strictSame(
    readdirSync(small).filter((name) => name.includes('yaml')),
    [],
  );
});

t.test('file get: a name of 255 bytes is stored, and a file of the same name is kept', async (t) => {
  const world = await createWorld(t);
  const up = await world.start('up', 'up', { DATABASE_URL: await migratedDatabase(t) });
  const run = (...args: string[]) => typed(world, args, { MILLRACE_SERVER: up.url });
  const place = join(world.folder, 'place');
  mkdirSync(place);
  await createNodeClient({ server: up.url }).post('/v6/workspaces/', {
    body: { title: 'Place', configuration: { broker: { type: 'host', host_path: place }, http: 'write' } },
  });
  const name = 'n'.repeat(255);
  mkdirSync(join(world.folder, 'here'));
  writeFileSync(join(world.folder, 'a.txt'), 'content');
  writeFileSync(join(world.folder, `here/b.txt.part`), 'mine');
  t.match(await run('file', 'put', 'a.txt', `place:${name}`), { code: 0 });
  t.match(await run('file', 'get', `place:${name}`, `here/${name}`), { code: 0 });
  t.match(await run('file', 'get', `place:${name}`, 'here/b.txt'), { code: 0 });
  t.match(await run('file', 'get', `place:${name}`, 'here/b.txt'), {
    code: 1,
    err: /exists, and is not overwritten/,
  });
  t.match(await run('file', 'get', `place:${name}`, 'here'), {
    code: 1,
    err: /here is a directory: name the file that is to be written there/,
  });
  t.match(await run('file', 'get', `place:${name}`, `here/${name}n`), {
    code: 1,
    err: /its name is too long \(ENAMETOOLONG\)/,
  });
  t.strictSame(readdirSync(join(world.folder, 'here')).sort(), ['b.txt', 'b.txt.part', name]);
});

t.test('files: a name that is not UTF-8 is refused, and the message names another way', async (t) => {
  const world = await createWorld(t);
  const up = await world.start('up', 'up', { DATABASE_URL: await migratedDatabase(t) });
  const place = join(world.folder, 'place');
  mkdirSync(place);
  await createNodeClient({ server: up.url }).post('/v6/workspaces/', {
    body: { title: 'Place', configuration: { broker: { type: 'host', host_path: place }, http: 'write' } },
  });
  const name = Buffer.concat([Buffer.from(join(world.folder, 'odd-')), Buffer.from([0xff])]);
  writeFileSync(name, 'content');
  // Node passes on arguments as UTF-8 only: a shell has others.
  const shell = async (line: string) => {
    const child = spawn('bash', ['--norc', '-c', line, 'bash', process.execPath, BIN], {
      cwd: world.folder,
      env: { PATH: process.env.PATH, MILLRACE_SERVER: up.url, XDG_CONFIG_HOME: join(world.folder, 'config') },
    });
    const code = new Promise((resolve) => child.on('exit', resolve));
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await code, out, err };
  };
  const refused = await shell(`"$1" "$2" file put $'odd-\\xff' place:a`);
  t.match(refused, {
    code: 2,
    err: /its name is not UTF-8, and cannot be an argument: rename it, or type \/dev\/stdin/,
  });
  const done = await shell(`"$1" "$2" file put /dev/stdin place:a <$'odd-\\xff'`);
  t.match(done, { code: 0, out: 'place:a\n' }, done.err);
  const typedOdd = /the path has \ufffd in it: an argument that is not UTF-8 arrives so, and names no file/;
  for (const [line, code] of [
    [`file put /dev/stdin place:$'odd-\\xff' </etc/hostname`, 2],
    [`file get place:$'odd-\\xff'`, 5],
    [`why file place $'odd-\\xff'`, 0],
  ] as const)
    t.match(await shell(`"$1" "$2" ${line}`), { code, err: typedOdd }, line);
  t.strictSame(
    readdirSync(place).filter((one) => one.startsWith('odd')),
    [],
  );
});
