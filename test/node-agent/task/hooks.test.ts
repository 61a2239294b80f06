/**
 * The law for all hooks of a task, known and unknown: whatever a task leaves, each execution ends with a named error or
 * its products, the folder is gone afterwards, no file call goes by a path that the task could change, and the cost is
 * counted: calls begun in one turn of the loop, names told at once, bytes read at once.
 */
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { type AgentBench, agentBench } from '../../support/agent/agent-bench.ts';
import { eventually } from '../../support/agent/eventually.ts';
import { hostWorkspace, makeLaunch, outputFile } from '../../support/agent/make-launch.ts';
import { FileCalls } from '../../support/file-calls.ts';
import { folderSeenByTasks } from '../../support/seen-by-tasks.ts';

/** Eight files are removed side by side; the rest is what else is under way. */
const PER_TURN_MAX = 32;
/** Calls for each file: a look and a removal at most, some for the folders, and what the agent does all the time. */
const PER_FILE_MAX = 2;
const READ_MAX = 10 * 1024 * 1024 + 1;
/** `hooks.long.ts` has more. */
const MANY = Number(process.env.HOOKS_FILES ?? 50_000);
/** A new hook is to be named here, and has to stand all of the outputs below. */
const HOOKS = ['main.ts', 'post.ts', 'pre.ts'];

interface Nasty {
  readonly what: string;
  /** Perl, run as the task in its empty output directory. */
  readonly script: string;
  /** Names of the products, or of the error. */
  readonly products?: readonly string[];
  readonly error?: string;
}

const BIG = 'truncate($f, 2 ** 40) or die $!';
const NASTY: readonly Nasty[] = [
  { what: `${MANY} files`, script: files(MANY, '$_'), error: 'invalid-results-manifest' },
  { what: '20,000 files that nobody asks for', script: files(20_000, '.$_'), products: [] },
  { what: '10,001 files', script: files(10_001, '$_'), error: 'invalid-results-manifest' },
  {
    what: '300 files and as many side-cars',
    script: `${files(300, '$_')}; for (1..300) { open my $f, ">", "$_.metadata.json"; print $f "{}" }`,
    products: Array.from({ length: 300 }, (_, n) => String(n + 1)).sort(),
  },
  {
    what: 'results of 10 MB',
    script: 'open my $f, ">", "seed.outputs.json"; print $f "[", "1," x 5_000_000, "1]"',
    error: 'invalid-results-manifest',
  },
  {
    what: 'results of 1 TB that take no room',
    script: `open my $f, ">", "seed.outputs.json"; ${BIG}`,
    error: 'invalid-results-manifest',
  },
  {
    what: 'results nested 500,000 times',
    script: `open my $f, ">", "seed.outputs.json"; print $f '{"VALUE":', "[" x 500_000, "]" x 500_000, "}"`,
    error: 'invalid-results-manifest',
  },
  { what: 'results that are a directory', script: 'mkdir "seed.outputs.json"', products: [] },
  {
    what: 'a file of 1 TB that takes no room',
    script: `open my $f, ">", "a"; ${BIG}`,
    error: 'filesystem-io',
  },
  {
    what: 'a side-car of 1 TB that takes no room',
    script: `open my $a, ">", "a"; open my $f, ">", "a.metadata.json"; ${BIG}`,
    products: ['a'],
  },
  {
    what: '3,000 directories inside each other',
    script: 'for (1..3_000) { mkdir "deep" or die; chdir "deep" or die }',
    products: [],
  },
  { what: '5,000 directories', script: 'for (1..5_000) { mkdir $_ or die; mkdir "$_/b" }', products: [] },
  {
    what: 'names with line breaks, without meaning, and as long as they get',
    script: 'for ("a\\nb", "x\\xff", "n" x 255) { open my $f, ">", $_ or die }',
    products: ['a\nb', 'n'.repeat(255), 'x\uf7ff'],
  },
  {
    what: 'pipes, sockets, devices and links',
    script: `system("mkfifo", "p"); system("mknod", "d", "c", "1", "3"); symlink("/etc/passwd", "l");
      symlink("/etc", "e"); symlink("loop", "loop");
      use IO::Socket::UNIX; IO::Socket::UNIX->new(Local => "s", Listen => 1)`,
    products: [],
  },
  {
    what: 'a pipe for a side-car',
    script: 'open my $f, ">", "a"; system("mkfifo", "a.metadata.json")',
    products: ['a'],
  },
  {
    what: 'directories without rights',
    script:
      'mkdir "dir"; open my $f, ">", "dir/x"; mkdir "dir/in"; chmod 0, "dir/in", "dir"; chmod 0500, "."',
    products: process.getuid?.() === 0 ? ['x'] : [],
  },
  {
    what: 'one file by many names',
    script: 'open my $f, ">", "a"; for (1..100) { link "a", "a$_" or die $! }',
    products: ['a', ...Array.from({ length: 100 }, (_, n) => `a${n + 1}`)].sort(),
  },
  {
    what: "links to somebody else's file",
    script: 'for (1..500) { link "../../../../shared/other", "o$_" }',
    products: [],
  },
  { what: 'its own folder', script: 'unlink glob("../*"); rmdir "../work"', products: [] },
];

t.test('hooks: this file knows all hooks', async (t) => {
  const folder = new URL('../../../node-agent/task/hooks/', import.meta.url);
  t.strictSame((await readdir(folder)).sort(), HOOKS);
});

t.test('hooks: the cost of hostile outputs is bounded by their size, and no program ends', async (t) => {
  const bench = await agentBench(t);
  await mkdir(join(bench.folder, 'shared'));
  await writeFile(join(bench.folder, 'shared/other'), 'not the task’s');
  await chmod(join(bench.folder, 'shared/other'), 0o666);
  const scripts = folderSeenByTasks('millrace-test-');
  t.teardown(() => rm(scripts, { recursive: true }));
  const executions = join(bench.config.folder, 'executions');
  const calls = new FileCalls((path) => isForeign(bench, path));
  await calls.watchReads();
  t.teardown(() => calls.stop());
  await bench.start();
  await bench.coordinator.connected();
  for (const [index, nasty] of NASTY.entries()) {
    const [before, countBefore, executionId] = [calls.byPath.length, calls.count, index + 1];
    calls.perTurnMax = 0;
    bench.coordinator.send(leaving(bench, scripts, executionId, nasty.script));
    const ended = (): boolean => bench.coordinator.updatesOf(executionId).length > 0;
    await eventually(ended, nasty.what, 120_000);
    const update = await bench.coordinator.update(executionId);
    const names = update.outputs.map(({ fileName }) => fileName);
    const told = { error: update.error?.name, products: update.error === undefined ? names : undefined };
    t.strictSame(
      told,
      { error: nasty.error, products: nasty.products },
      `${nasty.what}: ${update.error?.detail}`,
    );
    const isGone = (): boolean => bench.foldersOfTasks().length === 0;
    await eventually(isGone, `the folder of ${nasty.what} gone`, 120_000);
    t.ok(calls.perTurnMax <= PER_TURN_MAX, `${nasty.what}: ${calls.perTurnMax} calls in one turn`);
    t.strictSame(calls.byPath.slice(before), [], nasty.what);
    const count = calls.count - countBefore;
    if (index === 0) t.ok(count < MANY * PER_FILE_MAX, `${count} calls for ${MANY} files`);
  }
  t.ok(calls.namesMax <= PER_TURN_MAX, `${calls.namesMax} names at once`);
  t.ok(calls.readMax <= READ_MAX, `${calls.readMax} bytes at once`);
  t.ok(calls.count > MANY, 'the calls were seen');
  t.strictSame(await readdir(join(executions, 'leftovers')).catch(() => []), []);
});

t.test('hooks: a file call by a path that the task controls is noticed', async (t) => {
  const folder = t.testdir({ executions: { 1: { output: { a: 'x' } } } });
  const calls = new FileCalls((path) => path.startsWith(folder));
  t.teardown(() => calls.stop());
  const fs = await import('node:fs/promises');
  await fs.readFile(join(folder, 'executions/1/output/a'));
  await Promise.all(Array.from({ length: 50 }, () => fs.lstat('/proc/self/fd/0/a/b').catch(() => undefined)));
  calls.stop();
  await fs.readFile(join(folder, 'executions/1/output/a'));
  t.equal(calls.byPath.filter((one) => one.startsWith('readFile')).length, 1);
  t.equal(calls.byPath.filter((one) => one === 'lstat /proc/self/fd/0/a/b').length, 50);
  t.ok(calls.perTurnMax >= 50);
  const walking = new FileCalls(() => false);
  t.teardown(() => walking.stop());
  await fs.rm(join(folder, 'executions/1'), { recursive: true });
  t.equal(walking.byPath.length, 1, 'one that walks by itself is, wherever it is');
});

function files(count: number, name: string): string {
  return `for (1..${count}) { open my $f, ">", "${name}" or die $! }`;
}

/** What a task or a writer of a workspace may swap. What the agent has staged is its own. */
function isForeign({ config, workspace }: AgentBench, path: string): boolean {
  if (path.startsWith(`${workspace}/`)) return true;
  const inside = path.startsWith(config.folder) ? path.slice(config.folder.length) : '';
  return /^\/executions\/\d+\/(output|work)\/./.test(inside);
}

function leaving(bench: AgentBench, scripts: string, executionId: number, script: string) {
  const workspace = hostWorkspace(bench.workspace);
  const file = join(scripts, `leave-${executionId}.pl`);
  execFileSync('/bin/sh', ['-c', 'cat >"$1"; chmod 755 "$1"', 'sh', file], {
    input: `chdir $ENV{OUTPUT_DIR} or die $!; ${script}; exit 0;`,
  });
  const many = { multiple: true, required: false };
  return makeLaunch(executionId, {
    command: `/usr/bin/perl ${file}`,
    interface: {
      outputs: {
        files: [
          outputFile('OUT', '*', many),
          outputFile('BELOW', 'dir/*', many),
          outputFile('DEEP', 'e/*', many),
        ],
        json: [{ name: 'VALUE', key: 'VALUE', type: 'array', required: false }],
      },
    },
    launch: {
      outputs: ['OUT', 'BELOW', 'DEEP'].map((output) => ({ output, workspaceUuid: workspace.uuid })),
      workspaces: [workspace],
    },
  });
}
