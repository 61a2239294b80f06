/** `--dry-run`: on every command that changes something, checked by the service, and without a change. */
import t from 'tap';
import { nameOf } from '../../src/cli/frame/command.ts';
import { createTyped, WORDS } from '../e2e/apply/typed.ts';
import { until } from '../e2e/harness/until.ts';

/** They only read. */
const READS = new Set([
  ...[
    'doctor',
    'status',
    'top',
    'queue',
    'jobs',
    'job show',
    'job logs',
    'job wait',
    'recipes',
    'recipe show',
  ],
  ...[
    'batches',
    'batch show',
    'batch compare',
    'batch wait',
    'files',
    'file get',
    'file lineage',
    'file unrecorded',
  ],
  ...['strike list', 'strike test', 'scan list', 'scan show', 'scan test', 'scan wait', 'node list'],
  ...['why job', 'why recipe', 'why file', 'why strike', 'why scan', 'changes', 'whoami', 'profile list'],
  ...['lint', 'diff', 'export', 'user list', 'token list', 'help', 'completion', 'complete', 'version'],
]);
/** They serve, make new files only, make a call as it is typed, or have a way of their own to be asked about first. */
const OTHERS = new Set([
  ...[
    'watch',
    'demo',
    'up',
    'coordinator',
    'agent',
    'init',
    'backup',
    'restore',
    'rotate-key',
    'login',
    'api',
  ],
  ...['certificates authority', 'certificates coordinator', 'certificates agent'],
]);

t.test('dry run: each command that changes something has the option', async (t) => {
  const { commandTree, allOf } = await import('../../src/cli/frame/program.ts');
  const leaves = allOf(commandTree(() => async () => undefined)).filter((one) => one.commands.length === 0);
  for (const leaf of leaves) {
    const name = nameOf(leaf);
    if (READS.has(name) || OTHERS.has(name)) continue;
    t.ok(
      leaf.options.some(({ long }) => long === '--dry-run'),
      name,
    );
  }
});

t.test('dry run: it prints what would be done, or the refusal, and changes nothing', async (t) => {
  const { client, run, write, put } = await createTyped(t);
  write('words.yaml', WORDS);
  t.match(await run(['apply', '-f', 'words.yaml', '--yes']), { code: 0 });
  put('in/a.txt', 'one two three\n');
  await until('the file is done', async () => {
    const { count } = await client.get<{ count: number }>('/v6/recipes/?is_completed=true');
    return count === 1;
  });
  const { cursor } = await client.get<{ cursor: string }>('/v6/changes/');
  const rows: readonly (readonly [args: string[], code: number, said: RegExp])[] = [
    [['pause'], 0, /^pauses the service: no more jobs start\n$/],
    [['resume'], 0, /^changes nothing: it is not paused\n$/],
    [['pause', '-o', 'json'], 0, /^\{\n {2}"dry_run": "pauses the service/],
    [['strike', 'pause', 'words'], 0, /^pauses strike words: it takes in no more files\n$/],
    [['strike', 'resume', 'words'], 0, /^changes nothing/],
    [['strike', 'pause', 'wrods'], 5, /did you mean 'words'/],
    [['node', 'drain', 'id:1'], 0, /^drains node \S+: it gets no more jobs\n$/],
    [['node', 'drain', 'nowhere', '--wait'], 5, /there is no node 'nowhere'/],
    [['node', 'resume', 'id:1'], 0, /^changes nothing/],
    [['file', 'put', 'words.yaml', 'texts:new.txt'], 3, /takes no files over HTTP/],
    [['file', 'put', 'none.yaml', 'texts:new.txt'], 2, /none.yaml cannot be read/],
    [['file', 'put', 'words.yaml', 'txets:new.txt'], 5, /did you mean 'texts'/],
    [['run', 'count', 'texts:a.txt'], 0, /^queues a job of count 1\.0\.0\n$/],
    [['run', 'count', './words.yaml'], 2, /--upload-to/],
    [['run', 'count', './words.yaml', '--upload-to', 'texts:x'], 3, /takes no files over HTTP/],
    [['run', 'count', 'id:999'], 5, /there is no file 999/],
    [['run', 'conut', 'texts:a.txt'], 5, /did you mean 'count'/],
    [['run', 'millrace-hello'], 3, /jobs of millrace-hello 1\.0\.0 are queued by the system only/],
    [['job', 'cancel', '--type', 'count'], 1, /no job that can be canceled is chosen/],
    [['job', 'requeue', '--type', 'count', '--priority', '0'], 2, /--priority '0'/],
    [['profile', 'delete', 'none'], 5, /there is no profile/],
  ];
  for (const [args, code, said] of rows) {
    const ran = await run([...args, '--dry-run']);
    t.equal(ran.code, code, `${args.join(' ')}: ${ran.stderr}`);
    t.match(code === 0 ? ran.stdout : ran.stderr, said, args.join(' '));
  }
  t.equal((await run(['complete', '--', 'run', ''])).stdout, 'count\npack\n', 'no types of the system');
  for (const args of [
    ['file', 'put', 'words.yaml', 'texts:new.txt'],
    ['run', 'count', './words.yaml', '--upload-to', 'texts:x'],
  ])
    t.match(await run(args), { code: 3, stderr: /takes no files over HTTP: that needs `http: write`/ });
  const { changes } = await client.get<{ changes: { kind: string }[] }>(`/v6/changes/?after=${cursor}`);
  t.strictSame(
    changes.filter(({ kind }) => ['strike', 'node', 'scheduler', 'job', 'file'].includes(kind)),
    [],
    'nothing has changed',
  );
});
