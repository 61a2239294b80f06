import t from 'tap';
import { platformWorld } from '../../support/worlds/platform-world.ts';

const HOST = { broker: { type: 'host', host_path: '/srv/files' } };
const OBJSTORE = {
  broker: {
    type: 'objstore',
    bucket_name: 'my-bucket',
    credentials: { access_key_id: 'KEYID', secret_access_key: 'hush-hush' },
  },
};
const MASKED = { access_key_id: '************', secret_access_key: '************' };

t.test('workspaces: POST answers with the details and their Location, and notifies the agents', async (t) => {
  const world = await platformWorld(t);
  await world.store.rows(`update node set is_online = hostname = 'two'`);

  const body = {
    title: 'My Files!',
    description: 'All',
    base_url: 'http://files.test/x',
    configuration: HOST,
  };
  const made = await world.post('/v6/workspaces/', body);

  t.equal(made.status, 201, made.text);
  const { id, created, last_modified } = made.json;
  t.equal(made.headers.get('location'), `http://localhost:8080/v6/workspaces/${id}/`);
  t.strictSame(made.json, {
    ...{ id, name: 'my-files', title: 'My Files!', description: 'All', base_url: 'http://files.test/x' },
    ...{ is_active: true, created, deprecated: null, last_modified, labels: {}, configuration: HOST },
    object_version: 1,
    reason: 'no agent has looked for it yet',
  });
  t.notOk(made.headers.get('warning'));
  t.strictSame((await world.get(`/v6/workspaces/${id}/`)).json, made.json);
  t.strictSame(world.sent, [
    { to: { kind: 'node', key: String(world.store.ids.node2) }, message: { type: 'workspacesChanged' } },
  ]);
});

t.test('workspaces: defaults are set, and a used name or a title without a name is refused', async (t) => {
  const world = await platformWorld(t);

  const first = await world.post('/v6/workspaces/', { title: 'in', configuration: HOST });
  const second = await world.post('/v6/workspaces/', {
    title: '日本',
    configuration: HOST,
    is_active: false,
  });

  t.match(first.json, { description: '', base_url: null, is_active: true, name: /^in-[0-9a-f]{19}$/ });
  t.match(second.json, { name: 'workspace', is_active: false, deprecated: second.json.created });
});

t.test('workspaces: a name in the body is used; a wrong one is refused, and a used one is 409', async (t) => {
  const world = await platformWorld(t);
  const body = { title: 'in', configuration: HOST };
  const { status, json } = await world.post('/v6/workspaces/', { ...body, name: 'chosen-2' });
  t.equal(status, 201);
  t.match(json, { name: 'chosen-2', title: 'in' });

  const again = await world.post('/v6/workspaces/', { ...body, name: 'chosen-2' });
  t.match(again, {
    status: 409,
    json: { code: 'NAME_TAKEN', errors: [{ name: 'NAME_TAKEN', path: 'name' }] },
  });
  const twice = await Promise.all(
    ['raced', 'raced'].map((name) => world.post('/v6/workspaces/', { ...body, name })),
  );
  t.strictSame(twice.map((answer) => answer.status).sort(), [201, 409]);
  for (const name of ['', '12', 'Upper', 'a b', 'a_b', 'validation', 'x'.repeat(51), 5]) {
    const refused = await world.post('/v6/workspaces/', { ...body, name });
    t.match(refused, { status: 400, json: { errors: [{ path: 'name' }] } }, String(name));
  }
  t.equal((await world.post('/v6/workspaces/', { ...body, name: null })).status, 201, 'null is no name');

  const check = async (name: string) =>
    (await world.post('/v6/workspaces/validation/', { ...body, name })).json;
  t.match(await check('in'), { is_valid: true }, 'the name of an existing one checks its edit');
  t.match(await check('new-one'), { is_valid: true });
  t.match(await check('New one'), { is_valid: false, errors: [{ name: 'INVALID_NAME', path: 'name' }] });
});

t.test('workspaces: each broken field is refused at its place', async (t) => {
  const world = await platformWorld(t);
  const good = { title: 'x', configuration: HOST };
  const broker = (fields: object) => ({ ...good, configuration: { broker: fields } });
  const cases: readonly (readonly [object, string])[] = [
    [{ configuration: HOST }, 'title'],
    [{ title: 'x' }, 'configuration'],
    [{ ...good, title: '' }, 'title'],
    [{ ...good, title: 'x'.repeat(51) }, 'title'],
    [{ ...good, title: 5 }, 'title'],
    [{ ...good, title: null }, 'title'],
    [{ ...good, description: 'x'.repeat(501) }, 'description'],
    [{ ...good, base_url: 'javascript:alert(1)' }, 'base_url'],
    [{ ...good, base_url: 7 }, 'base_url'],
    [{ ...good, is_active: 'yes' }, 'is_active'],
    [{ ...good, configuration: [] }, 'configuration'],
    [{ ...good, configuration: {} }, 'configuration.broker'],
    [{ ...good, configuration: { ...HOST, extra: 1 } }, 'configuration.extra'],
    [broker({}), 'configuration.broker.type'],
    [broker({ type: 'ftp' }), 'configuration.broker.type'],
    [broker({ type: 'host' }), 'configuration.broker.host_path'],
    [broker({ type: 'host', host_path: 'relative' }), 'configuration.broker.host_path'],
    [broker({ type: 'host', host_path: '/a/../b' }), 'configuration.broker.host_path'],
    [broker({ type: 'host', host_path: '/' }), 'configuration.broker.host_path'],
    [broker({ type: 'nfs', nfs_path: '/no-host' }), 'configuration.broker.nfs_path'],
    [broker({ type: 'objstore' }), 'configuration.broker.bucket_name'],
    [
      broker({ type: 'objstore', bucket_name: 'abc', credentials: { access_key_id: 'a' } }),
      'configuration.broker.credentials.secret_access_key',
    ],
    [
      broker({ type: 'objstore', bucket_name: 'abc', credentials: MASKED }),
      'configuration.broker.credentials.access_key_id',
    ],
  ];
  for (const [body, path] of cases) {
    const { status, json } = await world.post('/v6/workspaces/', body);
    t.equal(status, 400, path);
    t.ok(
      json.errors.some((problem: { path: string }) => problem.path === path),
      `${path}: ${JSON.stringify(json)}`,
    );
  }
  t.equal((await world.get('/v6/workspaces/')).json.count, 2, 'nothing was created');
});

t.test('workspaces: PATCH changes the fields that it names, and null clears the base URL', async (t) => {
  const world = await platformWorld(t);
  const path = `/v6/workspaces/${world.store.ids.in}/`;

  const edit = await world.patch(path, { title: 'New', description: 'D', base_url: 'https://a.test' });
  t.equal(edit.status, 204, edit.text);
  t.match((await world.get(path)).json, {
    name: 'in',
    title: 'New',
    description: 'D',
    base_url: 'https://a.test',
  });
  await world.patch(path, { base_url: null, description: '' });
  t.match((await world.get(path)).json, { title: 'New', description: '', base_url: null });
  await world.patch(path, { is_active: false });
  const inactive = (await world.get(path)).json;
  t.match(inactive, { is_active: false, deprecated: String });
  await world.patch(path, { is_active: true, configuration: HOST });
  t.match((await world.get(path)).json, { is_active: true, deprecated: null, configuration: HOST });

  t.equal((await world.patch('/v6/workspaces/999/', { title: 'x' })).status, 404);
  t.equal((await world.patch(path, { title: '' })).status, 400);
  t.match((await world.patch(path, { configuration: { broker: { type: 'host' } } })).json, {
    code: 'INVALID_CONFIGURATION',
    errors: [{ name: 'INVALID_BROKER', path: 'configuration.broker.host_path' }],
  });
});

t.test(
  'workspaces: credentials are encrypted in the row, masked in answers, kept when the mask comes back',
  async (t) => {
    const world = await platformWorld(t);
    const made = await world.post('/v6/workspaces/', { title: 'bucket', configuration: OBJSTORE });
    const { id } = made.json;
    const row = `select configuration::text as text from workspace where id = ${id}`;
    t.equal(made.status, 201, made.text);
    t.strictSame(made.json.configuration.broker.credentials, MASKED);
    const before = await world.store.one<{ text: string }>(row);
    t.notMatch(before.text, /hush|KEYID/);

    await world.patch(`/v6/workspaces/${id}/`, { configuration: made.json.configuration });
    t.strictSame(await world.store.one(row), before, 'the same document changes nothing');

    const broker = { ...made.json.configuration.broker, bucket_name: 'other-bucket' };
    t.equal((await world.patch(`/v6/workspaces/${id}/`, { configuration: { broker } })).status, 204);
    const details = await world.get(`/v6/workspaces/${id}/`);
    t.match(details.json.configuration.broker, { bucket_name: 'other-bucket', credentials: MASKED });
    t.notMatch((await world.store.one<{ text: string }>(row)).text, /\*\*\*/, 'no mask was stored');
  },
);

t.test('workspaces: validation lists problems and creates nothing', async (t) => {
  const world = await platformWorld(t);
  await world.store.rows(`update node set is_online = hostname = 'one'`);
  world.onAsk = () => ({ isReachable: true, isUnmarked: false, reason: '' });
  const check = async (body: unknown) => (await world.post('/v6/workspaces/validation/', body)).json;

  t.strictSame(await check({ title: 'x', configuration: HOST, name: 'in', base_url: null }), {
    is_valid: true,
    errors: [],
    warnings: [],
  });
  t.match(await check({ title: 'x', configuration: OBJSTORE, name: 'in' }), {
    is_valid: true,
    warnings: [{ name: 'broker_type' }],
  });
  t.match(await check({ title: 'x', configuration: HOST, name: 'mistyped' }), {
    is_valid: true,
    warnings: [{ name: 'unknown_workspace', path: 'name', description: /'mistyped'/ }],
  });
  t.match(await check({ title: '', configuration: { broker: { type: 'nfs' } } }), {
    is_valid: false,
    errors: [{ path: 'title' }, { name: 'INVALID_BROKER', path: 'configuration.broker.nfs_path' }],
  });
  t.match(await check({}), { is_valid: false, errors: [{ path: 'title' }, { path: 'configuration' }] });
  for (const name of ['a\u0000b', 'a\ud800b']) {
    const found = await check({ title: 'x', configuration: HOST, name });
    t.match(found, { is_valid: false, errors: [{ path: 'name' }] }, 'a name that nothing can have');
  }
  t.equal((await world.post('/v6/workspaces/validation/', [])).status, 400);
});

t.test('workspaces: the list is filtered, ordered and paged', async (t) => {
  const world = await platformWorld(t);
  await world.store.rows(`update workspace set last_modified = '2026-01-10T00:00:00Z' where name = 'in'`);
  await world.store.rows(`update workspace set last_modified = '2026-01-20T00:00:00Z' where name = 'out'`);
  const names = async (query: string) => {
    const { json, status } = await world.get(`/v6/workspaces/?${query}`);
    return status === 200 ? json.results.map((one: { name: string }) => one.name) : status;
  };

  t.strictSame(await names(''), ['in', 'out'], 'by name');
  t.strictSame(await names('order=-name'), ['out', 'in']);
  t.strictSame(await names('name=out&name=nobody'), ['out']);
  const [{ id }] = (await world.get('/v6/workspaces/?name=out')).json.results;
  t.strictSame(await names(`id=${id}`), ['out']);
  await world.store.rows(`update workspace set title = 'Full 100%', is_active = false where name = 'in'`);
  t.strictSame(await names('keyword=OU&keyword=full'), ['in', 'out'], 'a part, in any case');
  t.strictSame([await names('is_active=true'), await names('is_active=false')], [['out'], ['in']]);
  t.strictSame(await names('started=2026-01-15T00:00:00Z'), ['out']);
  t.strictSame(await names('ended=2026-01-10T00:00:00Z'), ['in'], 'both ends are inclusive');
  t.strictSame(await names('page_size=1&page=2'), ['out']);
  t.strictSame(await names('page=9'), []);
  const keys = ['id', 'name', 'title', 'description', 'base_url', 'is_active', 'created', 'deprecated'];
  for (const key of [...keys, 'last_modified']) {
    t.strictSame((await names(`order=${key}`)).length, 2, key);
  }
  t.equal(await names('order=configuration'), 400);
  t.notOk('configuration' in (await world.get('/v6/workspaces/')).json.results[0]);
  t.equal((await world.get('/v6/workspaces/77/')).status, 404);
});

t.test('workspaces: a directory equal to, above or below another workspace’s gets a warning', async (t) => {
  const world = await platformWorld(t);
  const at = (host_path: string) => ({ title: 'x', configuration: { broker: { type: 'host', host_path } } });
  // That no agent is there to look is another matter.
  const warnings = async (body: object) =>
    (await world.post('/v6/workspaces/validation/', body)).json.warnings
      .filter(({ name }: { name: string }) => name !== 'UNREACHABLE_WORKSPACE')
      .map(
        (one: { name: string; path: string; description: string }) =>
          `${one.path} ${one.name}: ${one.description}`,
      );
  const said = (how: string, follows: string) =>
    `configuration.broker.host_path overlapping_workspace: its directory is ${how} that of the workspace 'in': ` +
    follows;

  t.strictSame(await warnings(at('/in')), [said('the same as', 'a node reaches at most one of the two')]);
  t.strictSame(await warnings(at('/in/below/')), [said('below', 'each sees files of the other')]);
  await world.post('/v6/workspaces/', { ...at('/data/deep'), title: 'deep' });
  t.match(await warnings(at('/data')), [/is above that of the workspace 'deep'/]);
  t.strictSame(await warnings(at('/inbox')), [], 'another directory whose name begins alike');
  t.strictSame(await warnings({ ...at('/in'), name: 'in' }), [], 'its own');
  const bucket = (endpoint: string) => ({
    title: 'bucket',
    configuration: { broker: { type: 'objstore', bucket_name: 'my-bucket', endpoint } },
  });
  await world.post('/v6/workspaces/', bucket('http://store.test'));
  t.match(await warnings(bucket('http://store.test/')), [
    /its bucket is the same as that of the workspace 'bucket': each sees files of the other/,
  ]);
  t.strictSame(await warnings(bucket('http://other.test')), []);

  const made = await world.post('/v6/workspaces/', { ...at('/in/below'), title: 'below' });
  t.equal(made.status, 201);
  t.match(
    made.headers.get('warning'),
    /^299 millrace "overlapping_workspace: its directory is below that of/,
  );
});

t.test('workspaces: a PATCH that moves the root warns how many files will not be found', async (t) => {
  const world = await platformWorld(t);
  const at = (host_path: string) => ({ configuration: { broker: { type: 'host', host_path } } });
  const path = `/v6/workspaces/${world.store.ids.in}/`;

  const empty = await world.patch(path, at('/elsewhere'));
  t.equal(empty.status, 204);
  t.notOk(empty.headers.get('warning'), 'a workspace without files');
  await world.file({ filePath: 'a.txt' });
  await world.file({ filePath: 'b.txt' });
  const checked = await world.post('/v6/workspaces/validation/', { title: 'x', name: 'in', ...at('/moved') });
  t.match(checked.json.warnings, [
    {
      name: 'files_left_behind',
      path: 'configuration.broker.host_path',
      description: '2 files stored at /elsewhere will not be found at /moved, unless they are moved there',
    },
  ]);
  const moved = await world.patch(path, at('/moved'));
  t.equal(moved.status, 204);
  t.match(
    moved.headers.get('warning'),
    /^299 millrace "files_left_behind: 2 files stored at \/elsewhere will not/,
  );
  t.notOk((await world.patch(path, at('/moved/'))).headers.get('warning'), 'the same place');
  t.notOk((await world.patch(path, { title: 'T' })).headers.get('warning'));
});

t.test('workspaces: unreached workspaces are listed with the finding of each node', async (t) => {
  const world = await platformWorld(t);
  const { ids, rows } = world.store;
  await rows(`update node set is_online = true where id = $1`, [ids.node]);
  await rows('delete from node_workspace');
  await rows(
    `insert into node_workspace (node_id, workspace_id, is_reachable, reason, checked)
     values ($1, $2, true, null, now()), ($1, $3, false, 'ENOENT', now())`,
    [ids.node, ids.in, ids.out],
  );
  const names = async () =>
    (await world.get('/v6/workspaces/unreached/')).json.results.map((one: { name: string }) => one.name);
  const { results } = (await world.get('/v6/workspaces/unreached/?order=-name')).json;
  t.match(
    results.find((one: { id: number }) => one.id === ids.out),
    { name: 'out', title: String, reason: 'no node reaches it: one does not reach out: ENOENT' },
  );
  t.notOk((await names()).includes('in'));
  await rows('update workspace set is_active = false where id = $1', [ids.out]);
  t.notOk((await names()).includes('out'), 'one that is not active is not missed');
});
