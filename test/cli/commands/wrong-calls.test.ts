/** Commands that are called wrongly, without a service, or at the address of another program. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { until } from '../../e2e/harness/until.ts';
import { createWorld } from '../../e2e/harness/world.ts';
import { freePort } from '../../support/services/free-port.ts';
import { typed } from './typed-process.ts';

t.test('commands: a wrong call, or one without a service, ends with its own exit code', async (t) => {
  const world = await createWorld(t);
  const away = `http://127.0.0.1:${await freePort()}`;
  const profiles = join(world.folder, 'config/millrace/profiles.json');
  const wrong: readonly (readonly [args: string[], code: number, err: RegExp])[] = [
    [['jbos'], 2, /there is no command 'jbos'; did you mean 'jobs'/],
    [['job', 'shwo', '7'], 2, /Did you mean show/],
    [['jobs', '--stauts', 'FAILED'], 2, /Did you mean --status/],
    [['jobs', '--status', 'FALIED'], 2, /--status 'FALIED': one of PENDING/],
    [['jobs', '--limit', '-1'], 2, /--limit '-1': expected a whole number/],
    [['job', 'show', 'x'], 2, /job 'x': expected an id/],
    [['file', 'get', 'a.txt'], 2, /file 'a\.txt': expected workspace:path, or an id, such as 7 or id:7/],
    [['job', 'cancel'], 2, /choose them by --status/],
    [['status', '-o', 'xml'], 2, /Allowed choices are table, wide, json/],
    [['status', '--server', 'nowhere'], 2, /--server nowhere: the server is no address/],
    [['status', '--server', 'http://user:pw@host'], 2, /has a user/],
    [['status', '--profile', 'lab'], 2, /there is no profile 'lab'/],
    [['status', '--token-file', 'none'], 2, /there is no such file/],
    [['export', '-o', 'json'], 2, /-o json: export writes the form of files, which is YAML/],
    [['apply', '-f', 'x.yaml', '--expand', '-o', 'json'], 2, /-o json: --expand writes the form of files/],
    [['api', 'LOOK', '/v6/'], 2, /'LOOK': one of GET/],
    [['login', '--days', '0', '--scope', 'all'], 2, /--days: from 1 .*--scope: one of/],
    [['profile', 'use', 'lab'], 5, /there is no profile 'lab'/],
    [
      ['status', '--server', away],
      6,
      /ECONNREFUSED.*; trying again for 3 s[\s\S]*millrace: .*cannot be reached/,
    ],
    [['status', '--server', away, '-q'], 6, /^millrace: .*cannot be reached: .*ECONNREFUSED/],
    [['jobs', '--server', away, '-o', 'json'], 6, /--server or MILLRACE_SERVER names another/],
  ];
  for (const [args, code, err] of wrong) {
    const done = await typed(world, args);
    t.match(done, { code, out: '', err }, args.join(' '));
  }
  for (const MILLRACE_TOKEN of ['a\nb', '\u20ac', 'a b']) {
    const err = 'millrace: MILLRACE_TOKEN has no token: correct or unset this variable\n';
    t.strictSame(await typed(world, ['jobs'], { MILLRACE_TOKEN }), { code: 2, out: '', err }, 'not shown');
  }
  mkdirSync(join(world.folder, 'config/millrace'), { recursive: true });
  writeFileSync(profiles, '{}');
  chmodSync(profiles, 0o644);
  t.match(await typed(world, ['whoami']), { code: 2, err: /can be read by others: run chmod 600/ });
  chmodSync(profiles, 0o600);
  t.match(await typed(world, ['whoami']), { code: 2, err: /is not a file of profiles/ });
});

t.test('commands: an answer of another program than Millrace is reported as such', async (t) => {
  const world = await createWorld(t);
  const other = createServer(({ url }, response) => {
    if (url?.startsWith('/v6/jobs/') === true) response.writeHead(404).end('no such page');
    else if (url === '/' || url?.startsWith('/v6/files/') === true) response.end('<html>');
    else if (url?.startsWith('/v6/nodes/') === true) response.writeHead(505).end('no HTTP/1.0');
    else if (url?.startsWith('/v6/batches/') === true) response.writeHead(413).end('too large');
    else if (url?.startsWith('/v6/queue/') !== true)
      response.setHeader('content-type', 'application/json').end('{}');
    else response.writeHead(502).end('bad gateway');
  });
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
  t.teardown(() => other.close());
  const server = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const run = (...args: string[]) => typed(world, [...args, '-q', '--server', server]);
  t.match(await run('jobs'), {
    code: 6,
    err: `millrace: ${server} answered with the status 404, and not as a Millrace service does\n  is this its address?`,
  });
  const foreign = `millrace: ${server}: what answers there is no Millrace service: its answer has no X-Request-Id\n`;
  for (const args of [['files'], ['recipe', 'show', '7'], ['api', 'GET', '/json']])
    t.strictSame(await run(...args), { code: 6, out: '', err: foreign }, args.join(' '));
  t.match(await run('queue'), {
    code: 6,
    err: /with the status 502, .*\n {2}a proxy may stand before a service/,
  });
  t.match(await run('node', 'list'), {
    code: 6,
    err: /status 505, .*\n {2}.*nginx needs `proxy_http_version 1\.1`/,
  });
  t.match(await run('batches'), {
    code: 6,
    err: /status 413, .*\n {2}.*nginx needs `client_max_body_size 0`/,
  });
});

t.test('commands: a service that does not work yet is not ready, which is no refusal', async (t) => {
  const world = await createWorld(t);
  const server = `http://127.0.0.1:${await freePort()}`;
  const http = { MILLRACE_HTTP: new URL(server).host };
  const nowhere = `postgres://millrace@127.0.0.1:${await freePort()}/millrace`;
  world.launch('up', 'up', { ...http, DATABASE_URL: nowhere });
  await until('it answers', async () => (await fetch(server).catch(() => undefined))?.status === 503);
  writeFileSync(join(world.folder, 'a.yaml'), 'set: a\nworkspaces: {texts: ./in}\n');
  for (const args of [['status'], ['diff', '-f', 'a.yaml'], ['job', 'cancel', '7', '--yes']]) {
    const done = await typed(world, [...args, '-q', '--server', server]);
    t.match(done, { code: 6, out: '' }, args.join(' '));
    t.match(
      done.err,
      new RegExp(
        `^millrace: ${server} is not ready: the coordinator waits for .*\\n {2}try again in some seconds\n$`,
      ),
    );
  }
});

t.test('commands: a data folder that cannot be used is named, with what helps', async (t) => {
  const world = await createWorld(t);
  writeFileSync(join(world.folder, 'taken'), '');
  const nowhere = { DATABASE_URL: `postgres://millrace@127.0.0.1:${await freePort()}/millrace` };
  const agent = { MILLRACE_COORDINATORS: '127.0.0.1:1', MILLRACE_JOIN_TOKEN: 'a-token-of-16-characters' };
  const calls: readonly (readonly [string, Record<string, string>])[] = [
    ['up', nowhere],
    ['coordinator', nowhere],
    ['agent', agent],
  ];
  for (const [program, env] of calls) {
    for (const folder of ['taken', 'taken/below']) {
      const done = await typed(world, [program, '--data-dir', folder], env);
      t.match(done, {
        code: 1,
        err: /^millrace: the data folder: .*taken is no directory; name another: --data-dir, MILLRACE_DATA_DIR$/m,
      });
    }
  }
});
