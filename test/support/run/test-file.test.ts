import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { identifyProcess } from '../../../src/lib/process-identity.ts';
import { waitUntil } from '../../../src/lib/wait-until.ts';
import { type FileOptions, runFile } from './test-file.ts';

type FileLimit = FileOptions['limit'];

const PASSING = "console.log('TAP version 14\\nok 1 - a\\n1..1');\n";

const MINUTE = { counts: 'total', ms: 60_000 } as const;

function run(t: Test, text: string, limit: FileLimit = MINUTE, signal = new AbortController().signal) {
  const root = t.testdir({ 'x.js': text });
  return runFile(join(root, 'x.js'), { root, env: { PATH: process.env.PATH }, limit, signal });
}

t.test('test file: passed assertions are counted', async (t) => {
  t.match(await run(t, PASSING), { file: 'x.js', passed: 1, failures: [], skipped: [] });
});

t.test('test file: a crash after all assertions passed is a failure', async (t) => {
  const result = await run(t, `${PASSING}throw new Error('late');\n`);
  t.match(result, { passed: 1, failures: [{ diagnostic: 'ended with 1' }], stderr: /late/ });
});

t.test('test file: a file that kills itself is a failure', async (t) => {
  const result = await run(t, `${PASSING}process.kill(process.pid, 'SIGKILL');\n`);
  t.match(result.failures, [{ diagnostic: 'ended by SIGKILL' }]);
});

t.test('test file: a file that hangs is ended together with the processes that it started', async (t) => {
  const result = await run(
    t,
    `import { spawn } from 'node:child_process';
     import { writeFileSync } from 'node:fs';
     const child = spawn('sleep', ['1000'], { stdio: 'inherit' });
     writeFileSync('pid', String(child.pid));
     setInterval(() => 1, 1e6);\n`,
    { counts: 'total', ms: 2_000 },
  );
  t.match(result.failures, [{ diagnostic: 'not finished after 2000 ms' }]);
  const pid = Number(readFileSync(join(t.testdirName, 'pid'), 'utf8'));
  t.ok(await waitUntil(() => identifyProcess(pid) === undefined, { timeoutMs: 10_000 }));
});

t.test('test file: an abort of the run ends the file', async (t) => {
  t.equal(
    (await run(t, 'setInterval(() => 1, 1e6);\n', MINUTE, AbortSignal.timeout(300))).failures.length,
    1,
  );
});

t.test('test file: a limit on silence ends only a silent file', async (t) => {
  const lines = `let n = 0;
    const timer = setInterval(() => {
      n += 1;
      console.log(n === 1 ? 'TAP version 14' : '# ' + n);
      if (n < 30) return;
      clearInterval(timer);
      console.log('ok 1 - a\\n1..1');
    }, 100);\n`;
  t.match(await run(t, lines, { counts: 'silence', ms: 2_000 }), { passed: 1, failures: [] });
  const silent = await run(t, 'setInterval(() => 1, 1e6);\n', { counts: 'silence', ms: 1_000 });
  t.match(silent.failures, [{ diagnostic: 'silent for 1000 ms' }]);
});
