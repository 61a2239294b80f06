/**
 * A writer of a workspace swaps files and directories for links while jobs stage them: what lies outside of the
 * workspace never reaches a product. Pipes in the place of files hold nobody up.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { InputFile } from '../../src/domain/node/coordinator-messages.ts';
import { type AgentBench, agentBench } from '../support/agent/agent-bench.ts';
import { hostWorkspace, makeLaunch, outputFile, shell } from '../support/agent/make-launch.ts';

const OWN = 'the content of the workspace\n';
/** As long as the file that it is taken for: the recorded size does not tell them apart. */
const FOREIGN = 'what root alone may ever read\n'.slice(0, OWN.length - 1).concat('\n');
const ROUNDS = 200;
/** Swaps two names, and rests after each swap for up to half a millisecond; says how often on SIGTERM. */
const SWAPPER = `
use strict; my ($one, $other) = @ARGV; my $count = 0; $SIG{TERM} = sub { print "$count\\n"; exit 0 };
$| = 1; print "begun\\n";
for (;;) {
  rename($one, "$one.aside") and rename($other, $one) and rename("$one.aside", $other) or die $!;
  $count++; select(undef, undef, undef, rand() / 2000);
}
`;

t.test('inputs that are swapped for links bring no foreign content into a product', async (t) => {
  const bench = await agentBench(t);
  const outside = join(bench.folder, 'outside');
  await mkdir(join(outside, 'nested'), { recursive: true });
  await mkdir(join(bench.workspace, 'dir/nested'), { recursive: true });
  await writeFile(join(outside, 'file'), FOREIGN, { mode: 0o600 });
  await writeFile(join(outside, 'nested/file'), FOREIGN, { mode: 0o600 });
  await writeFile(join(bench.workspace, 'file'), OWN);
  await writeFile(join(bench.workspace, 'dir/nested/file'), OWN);
  await symlink(join(outside, 'file'), join(bench.workspace, 'file-link'));
  await symlink(outside, join(bench.workspace, 'dir-link'));
  await writeFile(join(bench.workspace, 'other'), OWN);
  execFileSync('mkfifo', [join(bench.workspace, 'other-pipe')]);
  const counts = [
    await swapping(t, join(bench.workspace, 'file'), join(bench.workspace, 'file-link')),
    await swapping(t, join(bench.workspace, 'dir'), join(bench.workspace, 'dir-link')),
    // One that was opened for reading while nobody writes would hold a thread of the pool for good.
    await swapping(t, join(bench.workspace, 'other'), join(bench.workspace, 'other-pipe')),
  ];
  await bench.start();
  await bench.coordinator.connected();
  const ids = Array.from({ length: ROUNDS }, (_, index) => index + 1);
  const paths = ['file', 'dir/nested/file', 'other'];
  for (const id of ids) bench.coordinator.send(copying(bench, id, [paths[id % 3] as string]));
  const updates = await Promise.all(ids.map((id) => bench.coordinator.update(id)));
  for (const update of updates) {
    if (update.outcome === 'FAILED') t.equal(update.error?.name, 'missing-file', `${update.error?.detail}`);
    for (const { path } of update.outputs)
      t.equal(await readFile(join(bench.workspace, path), 'utf8'), OWN, path);
  }
  for (const count of counts) t.ok((await count()) > ROUNDS, 'they were swapped all the while');
});

t.test('inputs that are pipes hold nothing up, even if they outnumber the threads of the pool', async (t) => {
  const bench = await agentBench(t);
  execFileSync('mkfifo', [join(bench.workspace, 'pipe')]);
  await writeFile(join(bench.workspace, 'file'), OWN);
  await bench.start();
  await bench.coordinator.connected();
  const pipes = Array.from({ length: 40 }, (_, index) => index + 1);
  for (const id of pipes) bench.coordinator.send(copying(bench, id, ['pipe']));
  bench.coordinator.send(copying(bench, 100, ['file']));
  const last = await bench.coordinator.update(100);
  t.equal(last.outcome, 'COMPLETED', `${last.error?.detail}`);
  for (const id of pipes) t.match(await bench.coordinator.update(id), { error: { name: 'missing-file' } });
});

/** A job that takes the files and makes a product of each. */
function copying(bench: AgentBench, executionId: number, paths: readonly string[]) {
  const workspace = hostWorkspace(bench.workspace);
  const files = paths.map(
    (path, index): InputFile => ({
      fileId: index + 1,
      workspaceUuid: workspace.uuid,
      path,
      fileName: `f${index}`,
      size: OWN.length,
      isSource: true,
      record: '',
    }),
  );
  return makeLaunch(executionId, {
    command: shell('cp "$IN"/* "$OUTPUT_DIR"'),
    interface: {
      inputs: {
        files: [{ name: 'IN', multiple: true, required: true, partial: false, mediaTypes: [] }],
        json: [],
      },
      outputs: { files: [outputFile('OUT', '*', { multiple: true })], json: [] },
    },
    launch: {
      inputs: [{ name: 'IN', multiple: true, partial: false, files }],
      environment: {},
      outputs: [{ output: 'OUT', workspaceUuid: workspace.uuid }],
      workspaces: [workspace],
    },
  });
}

/** Begins to swap; what is answered ends it and says how often it did. */
async function swapping(t: Test, one: string, other: string): Promise<() => Promise<number>> {
  const child = spawn('/usr/bin/perl', ['-e', SWAPPER, one, other], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  let said = '';
  child.stdout.on('data', (piece: Buffer) => {
    said += piece.toString();
  });
  await once(child.stdout, 'data');
  return async () => {
    child.kill('SIGTERM');
    await once(child, 'close');
    return Number(said.split('\n')[1]);
  };
}
