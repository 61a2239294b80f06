/** How much of a task's output is kept, and what is counted as cut off. */
import { appendFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { TaskLogs } from '../../../node-agent/logs/task-logs.ts';
import { taskFolder } from '../../../node-agent/task/task-folder.ts';
import { createLogger } from '../../../src/observe/log.ts';

const MIB = 1024 * 1024;
const KEPT = 1_000;
const NOTICE = `\n[stdout is longer than ${KEPT} bytes: the rest was cut off]\n`;

async function follow(t: Test) {
  const folder = taskFolder(t.testdir());
  for (const path of [folder.stdout, folder.stderr]) writeFileSync(path, '');
  const logs = new TaskLogs(createLogger({ level: 'silent' }));
  await logs.follow({ executionId: 1, folder, logBytesMax: KEPT }, true);
  const sent = async () => {
    let text = '';
    for await (const { content } of logs.unsent()) text += content;
    return text;
  };
  return { logs, path: folder.stdout, size: () => statSync(folder.stdout).size, sent };
}

t.test('logs: what is too long is announced at once, and counted to the byte at the end', async (t) => {
  const { logs, path, size, sent } = await follow(t);
  writeFileSync(path, 'x'.repeat(KEPT + 10));
  await logs.look();
  t.equal(size(), KEPT + 10, 'a task that writes meanwhile loses count of nothing');
  t.equal(await sent(), `${'x'.repeat(KEPT)}${NOTICE}`);
  appendFileSync(path, 'y');
  t.strictSame(await logs.end(1), { stdout: 11, stderr: 0 });
  t.equal(size(), KEPT);
  t.equal(await sent(), '[11 bytes of stdout were cut off]\n');
});

t.test('logs: what is much too long is cut off while the task runs, and counted once', async (t) => {
  const { logs, path, size } = await follow(t);
  truncateSync(path, KEPT + 17 * MIB);
  await Promise.all([logs.look(), logs.look()]);
  t.equal(size(), KEPT);
  truncateSync(path, KEPT + 17 * MIB);
  const [, cut] = await Promise.all([logs.look(), logs.end(1)]);
  t.strictSame(cut, { stdout: 34 * MIB, stderr: 0 });
});
