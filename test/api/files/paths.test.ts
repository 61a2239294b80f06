/** Files by their paths: what is recorded is served to every account. */
import t from 'tap';
import { openPath } from '../../../src/api/files/paths.ts';
import { HERE, platformWorld } from '../../support/worlds/platform-world.ts';

t.test('paths: a recorded file is served to every account, and others to staff only', async (t) => {
  const world = await platformWorld(t);
  await world.file({ fileName: 'a.txt', filePath: 'in/a.txt', size: 6 });
  await world.store.rows(
    `insert into node_workspace (node_id, workspace_id, is_reachable, checked)
       values ($1, $2, true, now())`,
    [world.store.ids.node, world.store.ids.in],
  );
  await world.store.rows('update node set is_online = true where id = $1', [world.store.ids.node]);
  world.onAsk = ({ message }) => {
    const sink = world.contents.take(message.file.requestId);
    sink?.begin({ totalSize: 6 });
    void sink?.write(Buffer.from('abcdef')).then(() => sink.end());
  };
  const { status, text, headers } = await world.get('/v6/workspaces/in/files/in/a.txt');
  t.match([status, text, headers.get('etag')], [200, 'abcdef', `"${'a'.repeat(64)}"`]);

  const { store, contents } = world;
  const system = {
    ask: async () => ({}) as never,
    ownerOf: () => HERE,
    coordinators: () => [HERE],
  };
  const parts = { sql: store.db.sql, system, self: HERE.id, contents };
  const asked = {
    signal: new AbortController().signal,
    range: undefined,
    ifRange: undefined,
    isStaff: false,
  };
  await t.rejects(openPath(parts, 'in', 'other.txt', asked), { code: 'FILE_NOT_FOUND' }, 'http: none');
  await store.rows(
    `update workspace set configuration = configuration || '{"http": "read"}' where name = 'in'`,
  );
  await t.rejects(openPath(parts, 'in', 'other.txt', asked), { code: 'FORBIDDEN' });
  await t.rejects(openPath(parts, 'in', '.hidden', { ...asked, isStaff: true }), {
    code: 'PATH_NOT_ALLOWED',
  });
  await t.rejects(openPath(parts, 'nowhere', 'a', asked), { code: 'NOT_FOUND' });
  await store.rows(`update workspace set is_active = false where name = 'in'`);
  await t.rejects(openPath(parts, 'in', 'in/a.txt', asked), { code: 'STATE_CONFLICT' });
});
