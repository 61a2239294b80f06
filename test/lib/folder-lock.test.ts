import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { lockFolder } from '../../src/lib/folder-lock.ts';
import { identifyProcess, isAlive, pidSpace } from '../../src/lib/process-identity.ts';

const owner = (changes: object) =>
  JSON.stringify({ pid: 1, startedAt: '0', space: pidSpace(), host: 'here', what: 'test', ...changes });

t.test('folder lock: there is one owner at a time, and others learn who it is', async (t) => {
  const folder = t.testdir();
  const first = await lockFolder(folder, 'x.lock', 'first');
  const second = await lockFolder(folder, 'x.lock', 'second');

  t.ok(first.ok);
  t.match(second, { ok: false, owner: { pid: process.pid, what: 'first' } });
  if (first.ok) first.lock.release();
  const third = await lockFolder(folder, 'x.lock', 'third');
  t.ok(third.ok);
  if (third.ok) third.lock.release();
  t.same(readdirSync(folder), ['x.lock.spare'], 'the file that the next owner writes');
});

t.test('folder lock: one of twenty simultaneous callers gets the lock', async (t) => {
  const folder = t.testdir({ 'x.lock': owner({ pid: 999_999_999 }) });
  const results = await Promise.all(Array.from({ length: 20 }, () => lockFolder(folder, 'x.lock', 'one')));
  t.equal(results.filter(({ ok }) => ok).length, 1);
  for (const result of results) if (result.ok) result.lock.release();
});

for (const [name, text] of [
  ['a process that ended', owner({ pid: 999_999_999 })],
  ['a living process with another start time', owner({ pid: process.pid, startedAt: 'earlier' })],
  ['nobody, cut off while it was written,', '{"pid": 1'],
  ['nobody, an empty file,', ''],
] as const) {
  t.test(`folder lock: the lock of ${name} is taken over`, async (t) => {
    const folder = t.testdir({ 'x.lock': text });
    const taken = await lockFolder(folder, 'x.lock', 'new');
    t.ok(taken.ok);
    t.match(readFileSync(join(folder, 'x.lock'), 'utf8'), '"what":"new"');
    if (taken.ok) taken.lock.release();
  });
}

t.test('folder lock: an owner in another container keeps the lock while it touches the file', async (t) => {
  const folder = t.testdir({ 'x.lock': owner({ space: 'another container' }) });
  const path = join(folder, 'x.lock');
  const touching = setInterval(() => writeFileSync(path, readFileSync(path)), 100);
  // It is ended here, because the folder is removed before teardowns run.
  const taken = await lockFolder(folder, 'x.lock', 'new').finally(() => clearInterval(touching));
  t.match(taken, { ok: false, owner: { space: 'another container' } });
});

t.test('folder lock: releasing leaves a lock alone that another owner has taken since', async (t) => {
  const folder = t.testdir();
  const mine = await lockFolder(folder, 'x.lock', 'mine');
  writeFileSync(join(folder, 'x.lock'), owner({}));
  if (mine.ok) mine.lock.release();
  t.ok(existsSync(join(folder, 'x.lock')));
});

t.test(
  'process identity: it tells a living process from an ended one and from a later one of the same id',
  async (t) => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => 1, 1e6)']);
    const identity = identifyProcess(child.pid ?? 0);
    if (identity === undefined) throw new Error('the child has no identity');
    t.ok(isAlive(identity));
    t.notOk(isAlive({ ...identity, startedAt: 'another' }));

    child.kill('SIGKILL');
    await once(child, 'exit');

    t.notOk(isAlive(identity));
    for (const pid of [0, -1, 1.5, Number.NaN, 999_999_999])
      t.equal(identifyProcess(pid), undefined, String(pid));
  },
);
