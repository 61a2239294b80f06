import t from 'tap';
import { KernelError } from '../../../src/kernel/mod.ts';
import { type PlatformWorld, platformWorld } from '../../support/worlds/platform-world.ts';

interface Teardown {
  teardown(handler: () => Promise<void>): void;
}

const RULE = { filename_regex: '.*txt', data_types: ['text'], new_workspace: 'out', new_file_path: 'a/b' };

/** A world with a recipe type that takes one file, and a configuration that is accepted there. */
async function strikeWorld(t: Teardown) {
  const world = await platformWorld(t);
  await world.recipeType('takes-file', [{ name: 'F', media_types: [], required: true, multiple: false }]);
  const configuration = {
    workspace: 'in',
    monitor: { type: 'dir-watcher', transfer_suffix: '_part' },
    files_to_ingest: [RULE],
    recipe: { name: 'takes-file' },
  };
  return { world, configuration };
}

async function bucket(world: PlatformWorld): Promise<void> {
  const broker = { type: 'objstore', bucket_name: 'my-bucket' };
  await world.post('/v6/workspaces/', { title: 'bucket', configuration: { broker } });
}

t.test('strikes: POST creates the strike and its queued job, and wakes its actor', async (t) => {
  const { world, configuration } = await strikeWorld(t);

  const made = await world.post('/v6/strikes/', { title: 'My Strike', description: 'D', configuration });

  t.equal(made.status, 201, made.text);
  const { id, job } = made.json;
  t.equal(made.headers.get('location'), `http://localhost:8080/v6/strikes/${id}/`);
  t.match(made.json, { name: 'my-strike', title: 'My Strike', description: 'D', is_paused: false });
  t.strictSame(made.json.configuration, configuration);
  t.match(job, { status: 'QUEUED', job_type: { name: 'millrace-strike', is_system: true } });
  t.strictSame(world.sent, [{ to: { kind: 'strike', key: String(id) }, message: { type: 'wake' } }]);
  const event = await world.store.one(
    `select e.type, e.description from event e join job j on j.event_id = e.id where j.id = ${job.id}`,
  );
  t.strictSame(event, { type: 'STRIKE_CREATED', description: { strike_id: id } });

  const again = await world.post('/v6/strikes/', { title: 'My Strike', configuration });
  t.match(again.json, { name: /^my-strike-[0-9a-f]{19}$/, description: '' });
});

t.test('strikes: a name in the body is used, and validation knows its owner', async (t) => {
  const { world, configuration } = await strikeWorld(t);
  const body = { title: 'S', name: 'my-strike', configuration };
  t.match(await world.post('/v6/strikes/', body), { status: 201, json: { name: 'my-strike' } });
  t.match(await world.post('/v6/strikes/', body), { status: 409, json: { code: 'NAME_TAKEN' } });
  t.match(await world.post('/v6/strikes/', { ...body, name: '12' }), {
    status: 400,
    json: { errors: [{ name: 'BAD_FORMAT', path: 'name' }] },
  });
  const check = async (name: string) => (await world.post('/v6/strikes/validation/', { ...body, name })).json;
  t.match(await check('my-strike'), { is_valid: true });
  t.match(await check('12'), { is_valid: false, errors: [{ name: 'INVALID_NAME', path: 'name' }] });
  await world.store.rows(`update strike set name = '12'`);
  t.match(await check('12'), { is_valid: true }, 'an old name checks its edit');
});

t.test('strikes: each broken field is refused at its place', async (t) => {
  const { world, configuration: good } = await strikeWorld(t);
  await world.recipeType('takes-two', [
    { name: 'F', required: true },
    { name: 'G', required: true },
  ]);
  await world.store.rows(
    `insert into workspace (uuid, name, title, is_active, configuration, created, last_modified)
     values (gen_random_uuid(), 'shut', 'Shut', false, '{"broker":{"type":"host","host_path":"/s"}}', now(), now())`,
  );
  await bucket(world);
  const rule = (fields: object) => ({ ...good, files_to_ingest: [RULE, fields] });
  const cases: readonly (readonly [unknown, string])[] = [
    [undefined, 'configuration'],
    ['text', 'configuration'],
    [{ ...good, workspace: undefined }, 'configuration.workspace'],
    [{ ...good, workspace: 'nobody' }, 'configuration.workspace'],
    [{ ...good, workspace: 'shut' }, 'configuration.workspace'],
    [{ ...good, monitor: undefined }, 'configuration.monitor'],
    [{ ...good, monitor: {} }, 'configuration.monitor.type'],
    [{ ...good, monitor: { type: 'sqs' } }, 'configuration.monitor.type'],
    [
      { ...good, monitor: { type: 'dir-watcher', transfer_suffix: 'a/b' } },
      'configuration.monitor.transfer_suffix',
    ],
    [{ ...good, monitor: { type: 'dir-watcher', queue_name: 'q' } }, 'configuration.monitor.queue_name'],
    [{ ...good, monitor: { type: 'objstore', queue_name: 'q' } }, 'configuration.monitor'],
    [{ ...good, workspace: 'bucket' }, 'configuration.monitor'],
    [{ ...good, workspace: 'bucket', monitor: { type: 'objstore' } }, 'configuration.monitor.queue_name'],
    [{ ...good, files_to_ingest: undefined }, 'configuration.files_to_ingest'],
    [{ ...good, files_to_ingest: [] }, 'configuration.files_to_ingest'],
    [rule({}), 'configuration.files_to_ingest[1].filename_regex'],
    [rule({ filename_regex: '(' }), 'configuration.files_to_ingest[1].filename_regex'],
    [
      rule({ filename_regex: 'a', new_workspace: 'nobody' }),
      'configuration.files_to_ingest[1].new_workspace',
    ],
    [rule({ filename_regex: 'a', new_workspace: 'shut' }), 'configuration.files_to_ingest[1].new_workspace'],
    [rule({ filename_regex: 'a', new_file_path: '../up' }), 'configuration.files_to_ingest[1].new_file_path'],
    [rule({ filename_regex: 'a', data_types: 'text' }), 'configuration.files_to_ingest[1].data_types'],
    [{ ...good, recipe: undefined }, 'configuration.recipe'],
    [{ ...good, recipe: {} }, 'configuration.recipe.name'],
    [{ ...good, recipe: { name: 'nobody' } }, 'configuration.recipe.name'],
    [{ ...good, recipe: { name: 'recipe-a' } }, 'configuration.recipe.name'],
    [{ ...good, recipe: { name: 'takes-two' } }, 'configuration.recipe.name'],
    [{ ...good, recipe: { name: 'takes-file', revision_num: 2 } }, 'configuration.recipe.revision_num'],
    [{ ...good, recipe: { name: 'takes-file', revision_num: 1e12 } }, 'configuration.recipe.revision_num'],
    [{ ...good, scanner: {} }, 'configuration.scanner'],
  ];
  for (const [configuration, path] of cases) {
    const { status, json } = await world.post('/v6/strikes/', { title: 'x', configuration });
    t.equal(status, 400, `${path}: ${JSON.stringify(json)}`);
    t.ok(
      json.errors?.some((problem: { path: string }) => problem.path === path),
      `${path}: ${JSON.stringify(json.errors)}`,
    );
  }
  for (const title of [undefined, '', 'x'.repeat(51), 7]) {
    t.equal((await world.post('/v6/strikes/', { title, configuration: good })).status, 400, `title ${title}`);
  }
  t.equal((await world.get('/v6/strikes/')).json.count, 0, 'nothing was created');
});

t.test('strikes: validation lists all problems and names unreached workspaces', async (t) => {
  const { world, configuration } = await strikeWorld(t);
  const check = async (body: unknown) => (await world.post('/v6/strikes/validation/', body)).json;

  const lonely = await check({ title: 'x', name: 'untitled-strike', description: null, configuration });
  t.equal(lonely.is_valid, true);
  t.strictSame(
    lonely.warnings.map((warning: { name: string }) => warning.name),
    ['UNREACHABLE_WORKSPACE', 'UNREACHABLE_WORKSPACE'],
  );
  await world.store.rows('update node set is_online = true');
  await world.store.rows(
    `insert into node_workspace (node_id, workspace_id, is_reachable, checked)
     select ${world.store.ids.node}, id, true, now() from workspace`,
  );
  const effects = {
    deferred_files: 0,
    one_file: {
      recipe_type: { id: Number, name: 'takes-file', revision_num: 1 },
      ...{ recipes: 1, jobs: 0, processor_hours: null, jobs_without_figures: 0 },
    },
  };
  t.match(await check({ title: 'x', configuration }), { is_valid: true, errors: [], warnings: [], effects });
  const made = await world.post('/v6/strikes/', { title: 'Files', configuration });
  t.equal(made.status, 201, made.text);
  await world.store.rows(
    `insert into ingest (id, strike_id, file_name, workspace_id, file_path, file_size, media_type, status, created,
       last_modified, transfer_started, mtime_ms)
     select n, ${made.json.id}, 'f' || n, (select id from workspace where name = 'in'), 'f' || n, 1, 'a/b',
       case when n < 4 then 'DEFERRED' else 'DUPLICATE' end, now(), now(), now(), 1
     from generate_series(1, 5) as n`,
  );
  const edited = await check({ title: 'x', name: 'files', configuration });
  t.match(edited.effects, { ...effects, deferred_files: 3 });

  const wrong = await check({ configuration: { ...configuration, workspace: 'a', recipe: { name: 'b' } } });
  t.equal(wrong.is_valid, false);
  t.equal(wrong.effects, null);
  t.strictSame(wrong.errors.map((problem: { path: string }) => problem.path).sort(), [
    'configuration.recipe.name',
    'configuration.workspace',
    'title',
  ]);
  t.match(await check({ title: 'x' }), { is_valid: false, errors: [{ path: 'configuration' }] });
  t.equal((await world.get('/v6/strikes/')).json.count, 1, 'a validation creates nothing');
});

t.test('strikes: PATCH asks the actor for the changed fields', async (t) => {
  const { world, configuration } = await strikeWorld(t);
  const { json } = await world.post('/v6/strikes/', { title: 'S', configuration });
  const path = `/v6/strikes/${json.id}/`;
  const to = { kind: 'strike', key: String(json.id) };
  const asked = () => world.sent.slice(1);

  t.equal((await world.patch(path, { title: 'T', is_paused: true })).status, 204);
  t.strictSame(asked(), [{ to, message: { type: 'edit', title: 'T', isPaused: true } }]);
  t.match((await world.get(path)).json, { name: 's', title: 'T', is_paused: true, configuration });

  const other = { ...configuration, workspace: 'out', files_to_ingest: [{ filename_regex: 'b' }] };
  t.equal((await world.patch(path, { configuration: other })).status, 204);
  t.match(asked()[1]?.message, { workspaceId: world.store.ids.out, configuration: { workspace: 'out' } });
  t.match((await world.get(path)).json.configuration, { ...other, files_to_ingest: [{ data_types: [] }] });

  t.equal((await world.patch(path, { configuration: other })).status, 204);
  t.equal((await world.patch(path, {})).status, 204);
  t.equal(asked().length, 2, 'nothing changed: nobody was asked');

  t.equal((await world.patch('/v6/strikes/99/', { title: 'x' })).status, 404);
  t.match((await world.patch(path, { configuration: { ...other, workspace: 'nobody' } })).json, {
    code: 'INVALID_CONFIGURATION',
    errors: [{ name: 'INVALID_STRIKE_CONFIGURATION', path: 'configuration.workspace' }],
  });
  t.equal((await world.patch(path, { is_paused: 'yes' })).status, 400);
  world.failWith = new KernelError({ code: 'DEADLINE', message: 'no answer' });
  const late = await world.patch(path, { title: 'U' });
  t.match(late, { status: 503, json: { code: 'DEADLINE_EXCEEDED' } });
  t.ok(late.headers.get('retry-after'));
});

t.test(
  'strikes: the credentials of a queue are encrypted, masked, and kept when the mask comes back',
  async (t) => {
    const { world, configuration } = await strikeWorld(t);
    await bucket(world);
    const credentials = { access_key_id: 'KEYID', secret_access_key: 'hush-hush' };
    const monitor = { type: 'objstore', queue_name: 'q-in', queue_type: 'sqs', credentials };
    const sent = { ...configuration, workspace: 'bucket', monitor };

    const made = await world.post('/v6/strikes/', { title: 'S', configuration: sent });

    t.equal(made.status, 201, made.text);
    const masked = made.json.configuration;
    t.match(masked.monitor.credentials, { access_key_id: '************', secret_access_key: '************' });
    const stored = await world.store.one<{ text: string }>('select configuration::text as text from strike');
    t.notMatch(stored.text, /hush|KEYID/);
    const renamed = { ...masked, monitor: { ...masked.monitor, queue_name: 'other' } };
    t.equal((await world.patch(`/v6/strikes/${made.json.id}/`, { configuration: renamed })).status, 204);
    const { message } = world.sent.at(-1) ?? { message: undefined };
    t.match(message.configuration.monitor, { queue_name: 'other', credentials: { sealed: String } });
    t.notMatch(JSON.stringify(message), /hush|KEYID|\*\*\*/);

    const unknown = { ...sent, monitor: { ...masked.monitor } };
    t.match((await world.post('/v6/strikes/', { title: 'S', configuration: unknown })).json, {
      errors: [{ name: 'INVALID_MONITOR_CONFIGURATION' }, {}],
    });
  },
);

t.test('strikes: the list is filtered, ordered and paged, without configurations', async (t) => {
  const { world, configuration } = await strikeWorld(t);
  for (const title of ['b', 'A', 'c']) await world.post('/v6/strikes/', { title, configuration });
  const titles = async (query: string) => {
    const { json, status } = await world.get(`/v6/strikes/?${query}`);
    return status === 200 ? json.results.map((one: { title: string }) => one.title) : status;
  };

  t.strictSame(await titles(''), ['b', 'A', 'c'], 'by modification, then id');
  t.strictSame(await titles('order=title'), ['A', 'b', 'c'], 'whatever the case');
  t.strictSame(await titles('order=-title'), ['c', 'b', 'A']);
  t.strictSame(await titles('name=a&name=c'), ['A', 'c']);
  const [{ id }] = (await world.get('/v6/strikes/?name=c')).json.results;
  t.strictSame(await titles(`id=${id}`), ['c']);
  await world.store.rows(`update strike set description = 'Half 50%' where title = 'b'`);
  t.strictSame(await titles('keyword=C&keyword=half'), ['b', 'c'], 'a part, in any case');
  t.strictSame(await titles('keyword=5_%25'), [], 'signs of patterns are themselves');
  t.strictSame(await titles('page=2&page_size=2&order=id'), ['c']);
  t.strictSame(await titles('started=2026-02-01T00:00:00Z&ended=2026-03-01T00:00:00Z'), []);
  for (const key of [
    'name',
    'description',
    'is_paused',
    'created',
    'last_modified',
    'job__id',
    'job__status',
  ]) {
    t.equal((await titles(`order=-${key}`)).length, 3, key);
  }
  t.equal(await titles('order=configuration'), 400);
  t.equal(await titles('page_size=0'), 400);
  const [first] = (await world.get('/v6/strikes/')).json.results;
  t.notOk('configuration' in first);
  t.match(first.job, { id: Number, status: 'QUEUED', job_type: { name: 'millrace-strike' } });
  t.equal((await world.get('/v6/strikes/77/')).status, 404);
});

t.test('strikes: a second strike on a directory gets a warning', async (t) => {
  const { world, configuration } = await strikeWorld(t);
  const first = await world.post('/v6/strikes/', { title: 'First', configuration });
  t.notOk(first.headers.get('warning'));
  const others = async (body: object) =>
    (
      await world.post('/v6/strikes/validation/', { title: 'x', configuration, ...body })
    ).json.warnings.filter((one: { name: string }) => one.name === 'watched_already');

  const description = `the strike 'first' watches the same directory: each takes every file by its own rules`;
  t.strictSame(await others({}), [{ name: 'watched_already', path: 'configuration.workspace', description }]);
  t.strictSame(await others({ name: 'first' }), [], 'itself');
  const broker = { type: 'host', host_path: '/in/' };
  await world.post('/v6/workspaces/', { title: 'alias', configuration: { broker } });
  t.match(await others({ configuration: { ...configuration, workspace: 'alias' } }), [
    { description: /^the strike 'first' watches the same directory as the workspace 'in':/ },
  ]);
  const second = await world.post('/v6/strikes/', { title: 'Second', configuration });
  t.equal(second.status, 201);
  t.match(
    second.headers.get('warning'),
    /^299 millrace "watched_already: the strike 'first' watches the same/,
  );

  const third = await world.post('/v6/strikes/', {
    title: 'Third',
    configuration: { ...configuration, workspace: 'out' },
  });
  t.equal(third.status, 201, third.text);
  const patched = (body: object) => world.patch(`/v6/strikes/${third.json.id}/`, body);
  const renamed = await patched({
    title: 'Third one',
    configuration: { ...configuration, workspace: 'out' },
  });
  t.strictSame([renamed.status, renamed.headers.get('warning')], [204, undefined], 'the workspace stays');
  const moved = await patched({ configuration });
  t.equal(moved.status, 204, moved.text);
  t.match(
    moved.headers.get('warning'),
    /^299 millrace "watched_already: the strike 'first' watches the same directory/,
    'a PATCH to a directory that is watched',
  );
});
