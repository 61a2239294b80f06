import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { identifyProcess } from '../../../src/lib/process-identity.ts';
import { waitUntil } from '../../../src/lib/wait-until.ts';
import { runFile } from './test-file.ts';

const PASSING = "console.log('TAP version 14\\nok 1 - a\\n1..1');\n";

function run(t: Test, text: string, timeoutMs = 60_000, signal = new AbortController().signal) {
  const root = t.testdir({ 'x.js': text });
  return runFile(join(root, 'x.js'), { root, env: { PATH: process.env.PATH }, timeoutMs, signal });
}

t.test('test file: passes with what it asserts', async (t) => {
  t.match(await run(t, PASSING), { file: 'x.js', passed: 1, failures: [], skipped: [] });
});

t.test('test file: a crash after everything passed is a failure', async (t) => {
  const result = await run(t, `${PASSING}throw new Error('late');\n`);
  t.match(result, { passed: 1, failures: [{ diagnostic: 'ended with 1' }], stderr: /late/ });
});

t.test('test file: one that kills itself is a failure', async (t) => {
  const result = await run(t, `${PASSING}process.kill(process.pid, 'SIGKILL');\n`);
  t.match(result.failures, [{ diagnostic: 'ended by SIGKILL' }]);
});

t.test('test file: one that hangs is ended, and what it started with it', async (t) => {
  const result = await run(
    t,
    `import { spawn } from 'node:child_process';
     import { writeFileSync } from 'node:fs';
     const child = spawn('sleep', ['1000'], { stdio: 'inherit' });
     writeFileSync('pid', String(child.pid));
     setInterval(() => 1, 1e6);\n`,
    2_000,
  );
  t.match(result.failures, [{ diagnostic: 'not finished after 2000 ms' }]);
  const pid = Number(readFileSync(join(t.testdirName, 'pid'), 'utf8'));
  t.ok(await waitUntil(() => identifyProcess(pid) === undefined, { timeoutMs: 10_000 }));
});

t.test('test file: an interrupted run ends it', async (t) => {
  t.equal(
    (await run(t, 'setInterval(() => 1, 1e6);\n', 60_000, AbortSignal.timeout(300))).failures.length,
    1,
  );
});
