/** One execution by itself, with an executor that ends every task at once. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pLimit from 'p-limit';
import t from 'tap';
import { systemClock as clock } from '../../../node-agent/clock.ts';
import { DocumentReader } from '../../../node-agent/documents/document-reader.ts';
import type { Executor } from '../../../node-agent/executor/executor.ts';
import { createNoopExecutor } from '../../../node-agent/executor/noop.ts';
import { TaskLogs } from '../../../node-agent/logs/task-logs.ts';
import { Execution } from '../../../node-agent/task/execution.ts';
import { DiskWatch } from '../../../node-agent/task/full-disk.ts';
import { taskFolder } from '../../../node-agent/task/task-folder.ts';
import { TaskFolders } from '../../../node-agent/task/task-folders.ts';
import { withoutSecrets } from '../../../node-agent/task/task-spec.ts';
import { Workspaces } from '../../../node-agent/workspaces.ts';
import type { TaskInput } from '../../../src/domain/node/coordinator-messages.ts';
import { makeLaunch } from '../../support/agent/make-launch.ts';
import { silentLog as log } from '../../support/silent-log.ts';

/** What happens, in order, to an execution whose launch is durable only when `write` is called. */
function begin(root: string, { usesFolder = true, inputs = [] as readonly TaskInput[] } = {}) {
  const happened: string[] = [];
  const noop = createNoopExecutor(clock);
  let prepared: () => void = () => undefined;
  const isPrepared = new Promise<void>((resolve) => {
    prepared = resolve;
  });
  const executor: Executor = {
    ...noop,
    usesFolder,
    prepare: async (task) => {
      await noop.prepare(task);
      happened.push('prepared');
      prepared();
    },
    start: (task) => {
      happened.push('started');
      return noop.start(task);
    },
  };
  let write: () => void = () => undefined;
  const isRecorded = new Promise<void>((resolve) => {
    write = () => {
      happened.push('written');
      resolve();
    };
  });
  const launch = { ...makeLaunch(1), inputs };
  const { executionId, jobId, exeNum, jobTypeName, jobTypeVersion, containerImage: image } = launch;
  const task = {
    executionId,
    jobId,
    exeNum,
    jobTypeName,
    jobTypeVersion,
    image,
    folder: taskFolder(root),
    logBytesMax: 1024,
  };
  const execution = new Execution(task, withoutSecrets(launch, 'boot', executor.name), launch, {
    ...{ executor, clock, log, isRecorded, bootId: 'boot', staging: pLimit(1) },
    ...{
      workspaces: new Workspaces('agent', []),
      paths: { reserve: () => Promise.reject(new Error('no product has a path of its own')) },
      folders: new TaskFolders({ folder: dirname(root), clock, log, onTrouble: () => undefined }),
      documents: new DocumentReader(clock),
      logs: new TaskLogs(log),
      disk: new DiskWatch(root, clock),
    },
  });
  return { execution, happened, isPrepared, write, run: execution.run() };
}

/** Longer than what needs no disk takes to continue. */
async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

t.test('execution: the folder is created while the launch is written, and a start waits', async (t) => {
  const { happened, isPrepared, write, run } = begin(join(t.testdir({}), '1'));
  await isPrepared;
  await someTurns();
  write();
  t.equal((await run)?.outcome, 'COMPLETED');
  t.strictSame(happened, ['prepared', 'written', 'started']);
});

t.test('execution: a task that is canceled or left while its launch is written is not started', async (t) => {
  const canceled = begin(join(t.testdir({}), '1'));
  await canceled.isPrepared;
  canceled.execution.cancel();
  canceled.write();
  t.equal((await canceled.run)?.outcome, 'CANCELED');
  const left = begin(join(t.testdir({}), '1'));
  await left.isPrepared;
  left.execution.abandon();
  t.equal(await left.run, undefined);
  left.write();
  await someTurns();
  t.strictSame([...canceled.happened, ...left.happened], ['prepared', 'written', 'prepared', 'written']);
});

t.test('execution: a folder is created if the task uses one or files are staged in it', async (t) => {
  const bare = begin(join(t.testdir({}), '1'), { usesFolder: false });
  bare.write();
  t.equal((await bare.run)?.outcome, 'COMPLETED');
  t.notOk(existsSync(bare.execution.task.folder.root));
  const none = { name: 'IN', multiple: true, partial: false, files: [] };
  const staged = begin(join(t.testdir({}), '1'), { usesFolder: false, inputs: [none] });
  staged.write();
  t.equal((await staged.run)?.outcome, 'COMPLETED');
  t.ok(existsSync(join(staged.execution.task.folder.input, 'IN')));
});
