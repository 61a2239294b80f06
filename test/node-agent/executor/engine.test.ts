/** Which engine is called, and what is loaded for it. */
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { connectEngine } from '../../../node-agent/executor/docker/engine.ts';

const PROGRAM = join(import.meta.dirname, '../../../bin/millrace.js');

/** A server that answers pings as engines do; its socket, its port, and the paths that were called. */
async function startEngine(t: Test, where: { readonly path: string } | { readonly port: number }) {
  const calls: (string | undefined)[] = [];
  const server = createServer(({ url }, answer) => {
    calls.push(url);
    answer.end('OK');
  });
  await new Promise<void>((resolve) => server.listen(where, resolve));
  t.teardown(() => server.close());
  return { calls, address: server.address() };
}

t.test('engine: DOCKER_HOST does not change which one is called', async (t) => {
  const path = join(t.testdir(), 'engine.sock');
  const { calls } = await startEngine(t, { path });
  const { calls: others, address } = await startEngine(t, { port: 0 });
  const { port } = address as { readonly port: number };
  const before = process.env.DOCKER_HOST;
  t.teardown(() => {
    if (before === undefined) delete process.env.DOCKER_HOST;
    else process.env.DOCKER_HOST = before;
  });
  for (const other of [`tcp://127.0.0.1:${port}`, 'ssh://somebody@127.0.0.1:1']) {
    process.env.DOCKER_HOST = other;
    t.equal(String(await connectEngine(`unix://${path}`).ping()), 'OK', other);
  }
  t.equal(calls.length, 2);
  process.env.DOCKER_HOST = `unix://${path}`;
  t.equal(String(await connectEngine(`tcp://127.0.0.1:${port}`).ping()), 'OK');
  t.strictSame([calls.length, others.length], [2, 1]);
});

t.test('engine: programs have its client built in, without what only ssh and builds need', async (t) => {
  const folder = t.testdir({
    'loaded.mjs': `
      import { registerHooks } from 'node:module';
      registerHooks({
        resolve(specifier, context, next) {
          const found = next(specifier, context);
          const name = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(found.url)?.[1];
          if (name !== undefined) console.error('loaded ' + name);
          return found;
        },
      });`,
  });
  const socket = join(folder, 'engine.sock');
  const { calls } = await startEngine(t, { path: socket });
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [PROGRAM, 'doctor'], {
    env: {
      ...{ PATH: process.env.PATH, NODE_OPTIONS: `--import ${join(folder, 'loaded.mjs')}` },
      ...{ MILLRACE_EXECUTORS: 'docker', MILLRACE_DOCKER_HOST: `unix://${socket}` },
      MILLRACE_DATA_DIR: join(folder, 'data'),
    },
  }).catch((error: { readonly stdout: string; readonly stderr: string }) => error);
  t.ok(calls.length > 0, `the engine was called: ${stdout}`);
  t.match(stderr, 'loaded ', 'packages are seen');
  t.notMatch(stderr, /loaded (?:dockerode|docker-modem|ssh2|protobufjs|@grpc\/proto-loader)/);
});
