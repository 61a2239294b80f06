import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { Deletions } from '../../node-agent/deletions.ts';
import { Workspaces } from '../../node-agent/workspaces.ts';

const UUID = '00000000-0000-4000-8000-000000000001';

function begin(test: { testdir(): string }, declared = [UUID]) {
  const root = join(test.testdir(), 'root');
  mkdirSync(join(root, 'a'), { recursive: true });
  writeFileSync(join(root, 'a/one'), '12345');
  writeFileSync(join(root, 'two'), '12345');
  const workspaces = new Workspaces('agent', declared);
  const configuration = JSON.stringify({ broker: { type: 'host', host_path: root } });
  const deletions = new Deletions(workspaces);
  const remove = (...files: { path: string; size: number }[]) =>
    deletions.remove({
      ...{ type: 'deleteFiles', requestId: 'r', workspace: { uuid: UUID, name: 'in', configuration }, files },
    });
  return { root, remove };
}

t.test('deletions: files are removed, missing ones are absent, and other content stays', async (t) => {
  const { root, remove } = begin(t);
  const { files } = await remove(
    { path: 'a/one', size: 5 },
    { path: 'none', size: 5 },
    { path: 'two', size: 6 },
  );
  t.match(Object.fromEntries(files.map(({ path, outcome }) => [path, outcome])), {
    ...{ 'a/one': 'removed', none: 'absent', two: 'other' },
  });
  t.notOk(existsSync(join(root, 'a/one')));
  t.ok(existsSync(join(root, 'two')));
  t.match((await remove({ path: 'a/one', size: 5 })).files, [{ outcome: 'absent' }]);
});

t.test('deletions: nothing outside the workspace is removed, however it is named', async (t) => {
  const { root, remove } = begin(t);
  const outside = join(root, '../outside');
  writeFileSync(outside, '12345');
  symlinkSync(join(root, '..'), join(root, 'up'));
  for (const path of ['../outside', 'up/outside', '/etc/hostname']) {
    const [file] = (await remove({ path, size: 5 })).files;
    t.not(file?.outcome, 'removed', path);
  }
  t.ok(existsSync(outside));
});

t.test('deletions: files of a workspace that is not reached are not reported as absent', async (t) => {
  const { root, remove } = begin(t, []);
  t.match((await remove({ path: 'two', size: 5 })).files, [{ outcome: 'failed', maySucceedLater: true }]);
  t.ok(existsSync(join(root, 'two')));
  const { root: gone, remove: removeThere } = begin(t);
  rmSync(gone, { recursive: true });
  t.match((await removeThere({ path: 'two', size: 5 })).files, [
    { outcome: 'failed', maySucceedLater: true },
  ]);
});
