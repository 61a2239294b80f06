/** `run`: files of the service and of this machine, values, logs, and how it ends. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { createTyped } from '../e2e/apply/typed.ts';
import { createJobType } from '../e2e/harness/work/job-types.ts';

t.test('run: it runs a job of a type on given files', async (t) => {
  const { client, folder, run, write } = await createTyped(t);
  const place = join(folder, 'place');
  mkdirSync(place);
  await client.post('/v6/workspaces/', {
    title: 'Place',
    configuration: { broker: { type: 'host', host_path: place }, http: 'write' },
  });
  await createJobType(client, {
    name: 'reads',
    script: 'cat "$TEXT"; echo late >&2; exit $CODE',
    inputs: [{ name: 'TEXT' }],
    json: [
      { name: 'CODE', type: 'integer' },
      { name: 'NOTE', type: 'string', required: false },
    ],
    maxTries: 1,
  });
  const hostile = 'a $(touch x)\u001b[2J.txt';
  write(hostile, 'content\n');
  write('-b.txt', 'other\n');
  mkdirSync(join(folder, 'a-folder'));
  const code = ['--set', 'CODE=0'];
  const wrong: readonly (readonly [args: string[], code: number, stderr: RegExp])[] = [
    [['raeds'], 5, /no active job type 'raeds'; did you mean 'reads'/],
    [['reads:9.9.9', 'id:1', ...code], 5, /there is no /],
    [['id:999999', 'id:1'], 5, /no job type 'id:999999'/],
    [['reads'], 2, /reads needs TEXT, CODE/],
    [['reads', 'id:1', 'id:2', ...code], 2, /takes no more files: 'id:2'/],
    [['reads', 'id:1', '--set', 'CODE=zero'], 2, /--set CODE: 'zero' is no JSON of type integer/],
    [['reads', 'id:1', '--set', 'CODE=1.5'], 2, /--set CODE: '1.5' is no JSON of type integer/],
    [
      ['reads', 'id:1', '--set', 'CODE=9007199254740993'],
      2,
      /--set CODE: the value 9007199254740993 cannot be kept exactly/,
    ],
    [['reads', 'id:1', '--set', 'CODE'], 2, /expected INPUT=value/],
    [['reads', 'id:1', '--set', 'CDOE=0'], 2, /no input 'CDOE'; did you mean 'CODE'/],
    [['reads', './none.txt', ...code], 5, /no file '.\/none.txt'/],
    [['reads', 'none.txt', ...code], 5, /no file 'none.txt', neither in the service nor/],
    [
      ['reads', 'TEXT=none.txt', ...code],
      5,
      /no file 'TEXT=none.txt'.*; an input .* with --set 'TEXT=none.txt'/,
    ],
    [['reads', 'place:none.txt', ...code], 5, /no file at place:none.txt/],
    [['reads', './a-folder', ...code], 2, /a-folder is not a file/],
    [['reads', `./${hostile}`, ...code], 2, /uploaded first: --upload-to/],
    [['reads', `./${hostile}`, ...code, '--upload-to', 'none'], 5, /there is no /],
    [['reads', 'id:999999', ...code], 5, /there is no file 999999/],
  ];
  for (const [args, exit, stderr] of wrong)
    t.match(await run(['run', ...args]), { code: exit, stdout: '', stderr }, args.join(' '));
  t.match(await run(['run', 'reads'], 'http://127.0.0.1:1'), { code: 6, stderr: /cannot be reached/ });
  const { count } = await client.get<{ count: number }>('/v6/jobs/?job_type_name=reads');
  t.equal(count, 0, 'nothing is queued so far');

  const here = ['run', 'reads', `./${hostile}`, '--upload-to', 'place:in'];
  t.match(await run([...here, ...code, '--set', 'NOTE=a=b', '--wait']), {
    code: 0,
    stdout: /^job +\d+\nstatus +COMPLETED\n/,
    stderr: /job \d+ of reads 1.0.0 is queued/,
  });
  const logs = await run([...here, '--set', 'CODE=3', '--logs']);
  t.match(logs, { code: 1, stdout: 'content\n', stderr: /late\n[\s\S]*is FAILED: exit code 3/ });
  const files = await client.get<{ count: number; results: { id: number }[] }>('/v6/files/');
  t.equal(files.count, 1, 'the same file is uploaded once');
  const id = files.results[0]?.id;
  // These are the digits that programs write for a double, as in a body.
  const large = ['run', 'reads', `id:${id}`, '--set', 'CODE=12345678901234567000', '--dry-run'];
  t.match(await run(large), { code: 0, stdout: /^queues a job/ });
  t.match(await run(['run', 'reads', hostile, ...code, '-o', 'name', '-q']), { code: 0, stdout: /^\d+\n$/ });
  const named = await run(['run', 'reads:1.0.0', '--set', `TEXT=id:${id}`, ...code, '--wait', '-o', 'json']);
  t.match(JSON.parse(named.stdout), { status: 'COMPLETED', input: { files: { TEXT: [id] } } });
  t.match(await run(['run', 'reads', './-b.txt', ...code, '--upload-to', 'place', '--logs']), {
    code: 0,
    stdout: 'other\n',
  });
});
