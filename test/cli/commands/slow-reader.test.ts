/** A long result in a pipe whose reader is slower than the command. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import t from 'tap';
import { BIN } from './typed-process.ts';

const run = promisify(execFile);
/** Many times what a pipe holds. */
const RECORDS = 20_000;

const results = Array.from({ length: RECORDS }, (_, id) => ({ id, title: 'a record of many' }));
const answers = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json');
  response.setHeader('x-request-id', 'made-up');
  response.end(JSON.stringify({ count: RECORDS, next: null, previous: null, results }));
});
await new Promise<void>((done) => answers.listen(0, '127.0.0.1', done));
t.teardown(() => answers.close());
const MILLRACE_SERVER = `http://127.0.0.1:${(answers.address() as AddressInfo).port}`;
const env = { PATH: process.env.PATH, MILLRACE_SERVER };
const command = [process.execPath, BIN, 'api', 'GET', '/v6/jobs/', '-o', 'json'] as const;

t.test('a slow reader gets the whole result', async (t) => {
  // The reader begins when the command would have ended without it.
  const line = ['-c', '"$@" | { sleep 2; cat; }', 'sh', ...command];
  const { stdout } = await run('sh', line, { env, maxBuffer: 1 << 26 });
  t.equal(JSON.parse(stdout).results.length, RECORDS);
});

t.test('a command whose result nobody reads ends by Ctrl-C', async (t) => {
  const [program, ...args] = command;
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  await once(child.stdout, 'readable');
  child.kill('SIGINT');
  const [code] = await once(child, 'exit');
  t.equal(code, 130);
});
