import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { readTinySync } from '../../node-agent/task-file.ts';

t.test('tiny file: as many bytes as asked for are read, if there are so many', async (t) => {
  const path = join(t.testdir(), 'file');
  writeFileSync(path, '0123456789');
  t.equal(readTinySync(path, 2, 3)?.toString(), '234');
  t.equal(readTinySync(path, 8, 100)?.toString(), '89');
  t.equal(readTinySync(path, 50, 1)?.length, 0);
});

t.test('tiny file: a pipe or link in its place neither blocks the agent nor is followed', async (t) => {
  const folder = t.testdir();
  const file = join(folder, 'file');
  writeFileSync(file, 'content');
  symlinkSync(file, join(folder, 'link'));
  mkdirSync(join(folder, 'directory'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  t.equal(readTinySync(join(folder, 'absent'), 0, 8), undefined);
  t.equal(readTinySync(join(folder, 'link'), 0, 8), undefined);
  t.equal(readTinySync(join(folder, 'directory'), 0, 8), undefined);
  t.notOk(readTinySync(join(folder, 'pipe'), 0, 8));
});
