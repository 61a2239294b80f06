/** `type try`: manifests in files, inputs as typed, what is shown, and how it ends. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { createTyped } from '../e2e/apply/typed.ts';
import { manifestOf } from '../e2e/harness/work/job-types.ts';

t.test('type try: it runs a manifest once on one file', async (t) => {
  const { client, folder, run, write } = await createTyped(t);
  const place = join(folder, 'place');
  mkdirSync(place);
  await client.post('/v6/workspaces/', {
    title: 'Place',
    configuration: { broker: { type: 'host', host_path: place }, http: 'write' },
  });
  const manifest = manifestOf({
    name: 'reads',
    script: 'cat "$TEXT"; echo late >&2; cp "$TEXT" "$OUTPUT_DIR/copy.out"; exit $CODE',
    inputs: [{ name: 'TEXT' }],
    json: [{ name: 'CODE', type: 'integer' }],
    outputs: [{ name: 'COPY', pattern: '*.out' }],
  });
  write('reads.json', JSON.stringify(manifest));
  write(
    'type.yaml',
    `container_image: process:default\nmanifest: ${JSON.stringify(manifest)}\n` +
      'configuration: {output_workspaces: {default: place}}\n',
  );
  write('wrong.yaml', 'seedVersion: "2"\njob: {name: A B}\n');
  write('list.yaml', '- 1\n');
  write('syntax.yaml', 'a: [\n');
  const hostile = 'a $(touch x)\u001b[2J.txt';
  write(hostile, 'content\n');
  const image = ['--image', 'process:default'];
  const code = ['--set', 'CODE=0'];
  const wrong: readonly (readonly [args: string[], code: number, stderr: RegExp])[] = [
    [['none.yaml'], 2, /none.yaml cannot be read: .*ENOENT/],
    [['syntax.yaml', ...image], 2, /syntax.yaml:\d+:\d+: error/],
    [['list.yaml', ...image], 2, /expected one manifest/],
    [['reads.json'], 2, /names no image: give one with --image/],
    [['wrong.yaml', ...image], 3, /seedVersion[\s\S]*job\.name/],
    [['reads.json', ...image, ...code], 3, /^--into names the workspace[\s\S]*'COPY' has no workspace/],
    [['type.yaml'], 2, /reads needs TEXT, CODE/],
    [['type.yaml', 'id:1', '--set', 'CDOE=1'], 2, /no input 'CDOE'; did you mean 'CODE'/],
    [['type.yaml', `./${hostile}`, ...code], 2, /uploaded first: --upload-to/],
    [['type.yaml', 'id:999999', ...code, '--into', 'place'], 5, /999999/],
    [['type.yaml', 'id:999999', ...code, '--into', 'nowhere'], 3, /nowhere/],
  ];
  for (const [args, exit, stderr] of wrong)
    t.match(await run(['type', 'try', ...args]), { code: exit, stdout: '', stderr }, args.join(' '));
  t.match(await run(['type', 'try', 'type.yaml'], 'http://127.0.0.1:1'), { code: 6 });
  const dry: typeof wrong = [
    [['type.yaml', './list.yaml', '--upload-to', 'place', ...code], 0, /^$/],
    [['wrong.yaml', ...image], 3, /seedVersion[\s\S]*job\.name/],
    [['type.yaml', 'id:999999', ...code], 5, /999999/],
  ];
  for (const [args, exit, stderr] of dry)
    t.match(await run(['type', 'try', ...args, '--dry-run']), {
      code: exit,
      stdout: exit === 0 ? 'uploads ./list.yaml to place, and tries type.yaml once\n' : '',
      stderr,
    });
  t.match(await client.get('/v6/files/'), { count: 0 }, 'nothing is uploaded');

  const here = [`./${hostile}`, '--upload-to', 'place:in', '--into', 'place'];
  const good = await run(['type', 'try', 'type.yaml', ...here, ...code]);
  t.match(good, {
    code: 0,
    stdout:
      /^job +\d+\nstatus +COMPLETED\nexit code +0\n[\s\S]*COPY +place:jobs\/.*copy\.out, 8 bytes, id:\d+/m,
    stderr: /tries type.yaml; it is gone in an hour[\s\S]*(?:content[\s\S]*late|late[\s\S]*content)/,
  });
  const failed = await run(['type', 'try', 'reads.json', ...image, ...here, '--set', 'CODE=3']);
  t.match(failed, { code: 1, stdout: /exit code +3\n[\s\S]*ends with:\s+late/, stderr: /is FAILED/ });
  const json = await run([
    'type',
    'try',
    'type.yaml',
    hostile,
    '--into',
    'place',
    ...code,
    '-o',
    'json',
    '-q',
  ]);
  t.match(JSON.parse(json.stdout), { status: 'COMPLETED', products: [{ output: 'COPY', bytes: 8 }] });
  t.equal(json.stderr, '');
  t.match(await client.get('/v6/jobs/'), { count: 0 }, 'nothing is listed');
  t.match(await client.get('/v6/job-type-names/?is_system=false'), { count: 0 });
});
