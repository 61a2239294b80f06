import t from 'tap';
import { JOB_TYPE_NAME_ORDER, JOB_TYPE_ORDER } from '../../../src/api/job-types/routes.ts';
import {
  CONFIGURATION,
  jobTypeBody,
  makeManifest,
  oneNodeDefinition,
  processingWorld,
} from '../../support/worlds/processing-world.ts';

const PATH = '/v6/job-types/counter/1.0.0/';

t.test('job types: POST creates revision 1, and answers with the details and their location', async (t) => {
  const world = await processingWorld(t);

  const made = await world.post('/v6/job-types/', { ...jobTypeBody(), icon_code: 'f0aa', max_scheduled: 4 });

  t.equal(made.status, 201, made.text);
  t.equal(made.headers.get('location'), `http://localhost:8080${PATH}`);
  t.match(made.json, {
    name: 'counter',
    version: '1.0.0',
    title: 'Counter',
    revision_num: 1,
    max_tries: 3,
    max_scheduled: 4,
    icon_code: 'f0aa',
    is_active: true,
    is_paused: false,
    is_system: false,
    container_image: 'counter:1',
    recipe_types: [],
    manifest: { job: { interface: { inputs: { files: [{ required: true, multiple: false }] } } } },
  });
  t.strictSame(made.json.configuration.settings, { LEVEL: 'high' }, 'a secret does not come back');
  t.strictSame((await world.get(PATH)).json, made.json);
  t.strictSame(
    world.sent.map(({ to, message }) => [to.kind, message.type]),
    [['scheduler', 'typesChanged']],
  );
  const [row] = await world.store.rows<{ found: boolean }>(
    `select exists (select from job_type where job_type::text like '%hush%') as found`,
  );
  t.equal(row?.found, false, 'the secret is encrypted');
  const [error] = await world.store.rows(`select title, category from error where job_type_name = 'counter'`);
  t.strictSame(error, { title: 'Empty file', category: 'DATA' });
});

t.test('job types: POST of an existing name and version creates a revision', async (t) => {
  const world = await processingWorld(t);
  await world.post('/v6/job-types/', jobTypeBody());

  const again = await world.post('/v6/job-types/', jobTypeBody({ title: 'Counter II' }));

  t.equal(again.status, 201, again.text);
  t.match(again.json, { revision_num: 2, title: 'Counter II' });
  const revisions = await world.get(`${PATH}revisions/`);
  t.strictSame(
    revisions.json.results.map((one: { revision_num: number }) => one.revision_num),
    [2, 1],
  );
  t.equal((await world.get(`${PATH}revisions/1/`)).json.manifest.job.title, 'Counter');
});

t.test('job types: POST refuses each wrong field, and names it', async (t) => {
  const world = await processingWorld(t);
  const { manifest: _, ...withoutManifest } = jobTypeBody();
  const { container_image: __, ...withoutImage } = jobTypeBody();
  const cases: [string, Record<string, unknown>, string][] = [
    ['no manifest', withoutManifest, 'manifest'],
    ['no image', withoutImage, 'container_image'],
    ['an empty image', { ...jobTypeBody(), container_image: '' }, 'container_image'],
    ['a long image', { ...jobTypeBody(), container_image: 'x'.repeat(501) }, 'container_image'],
    ['a manifest that is a text', { ...jobTypeBody(), manifest: 'x' }, 'manifest'],
    ['a long icon', { ...jobTypeBody(), icon_code: 'x'.repeat(21) }, 'icon_code'],
    ['a negative limit', { ...jobTypeBody(), max_scheduled: -1 }, 'max_scheduled'],
    ['a limit beyond int4', { ...jobTypeBody(), max_scheduled: 2 ** 31 }, 'max_scheduled'],
    ['a limit that is a text', { ...jobTypeBody(), max_scheduled: '1' }, 'max_scheduled'],
    ['tries that are a list', { ...jobTypeBody(), max_tries: [1] }, 'max_tries'],
    ['a flag that is a text', { ...jobTypeBody(), is_published: 'true' }, 'is_published'],
    ['a configuration that is a list', { ...jobTypeBody(), configuration: [] }, 'configuration'],
    ['a reserved name', jobTypeBody({ name: 'running' }), 'manifest.job.name'],
    ['a bad version', jobTypeBody({ jobVersion: '1.0' }), 'manifest.job.jobVersion'],
    ['no time-out', jobTypeBody({ timeout: undefined }), 'manifest.job.timeout'],
    ['an unknown member', jobTypeBody({ colour: 'red' }), 'manifest.job.colour'],
    [
      'no workspace for an output',
      { ...jobTypeBody(), configuration: {} },
      'configuration.output_workspaces.outputs.COUNTS',
    ],
    [
      'an unknown workspace',
      { ...jobTypeBody(), configuration: { output_workspaces: { default: 'nowhere' } } },
      'configuration.output_workspaces.default',
    ],
    [
      'a priority of 0',
      { ...jobTypeBody(), configuration: { ...CONFIGURATION, priority: 0 } },
      'configuration.priority',
    ],
  ];
  for (const [title, body, path] of cases) {
    const refused = await world.post('/v6/job-types/', body);
    t.equal(refused.status, 400, title);
    t.ok(
      refused.json.errors.some((error: { path: string }) => error.path === path),
      `${title}: ${path} in ${refused.text}`,
    );
  }
  const { json } = await world.get('/v6/job-types/?is_system=false&keyword=counter');
  t.equal(json.count, 0, 'nothing was made');
});

t.test('job types: PATCH changes only the fields that are sent', async (t) => {
  const world = await processingWorld(t);
  await world.post('/v6/job-types/', { ...jobTypeBody(), icon_code: 'f0aa', max_scheduled: 4 });

  const paused = await world.patch(PATH, { is_paused: true });
  t.equal(paused.status, 204, paused.text);
  const first = (await world.get(PATH)).json;
  t.match(first, { is_paused: true, max_scheduled: 4, icon_code: 'f0aa', revision_num: 1 });
  t.type(first.paused, 'string');

  await world.patch(PATH, { is_paused: false, is_published: true, max_scheduled: null, icon_code: null });
  t.match((await world.get(PATH)).json, {
    is_paused: false,
    paused: null,
    is_published: true,
    max_scheduled: null,
    icon_code: null,
  });

  await world.patch(PATH, { is_published: false });
  t.equal((await world.get(PATH)).json.is_published, false);

  await world.patch(PATH, { container_image: 'counter:2' });
  t.match((await world.get(PATH)).json, { revision_num: 2, container_image: 'counter:2' });
  t.equal((await world.get(`${PATH}revisions/1/`)).json.container_image, 'counter:1');

  await world.patch(PATH, { configuration: { output_workspaces: { default: 'in' } } });
  const { configuration } = (await world.get(PATH)).json;
  t.strictSame(configuration, {
    mounts: {},
    output_workspaces: { default: 'in', outputs: {} },
    priority: 100,
    settings: {},
  });
});

t.test('job types: PATCH warns of consequences that the edit does not handle', async (t) => {
  const world = await processingWorld(t);
  await world.post('/v6/job-types/', jobTypeBody());

  const edited = await world.patch(PATH, { configuration: { output_workspaces: { default: 'in' } } });

  const warning = edited.headers.get('warning') ?? '';
  t.match(warning, /^299 millrace "MISSING_MOUNT: /);
  t.match(warning, /MISSING_SETTING: .*LEVEL/);
  t.notMatch(warning, /PASSWORD/, 'a secret that is kept is not missing');
});

t.test('job types: PATCH refuses a wrong edit, and changes nothing', async (t) => {
  const world = await processingWorld(t);
  await world.post('/v6/job-types/', jobTypeBody());
  const outputs = { files: [{ name: 'MORE', pattern: '*' }] };
  const cases: [string, Record<string, unknown>, string][] = [
    ['another name', { manifest: makeManifest({ name: 'other' }) }, 'manifest.job.name'],
    ['another version', { manifest: makeManifest({ jobVersion: '2.0.0' }) }, 'manifest.job.jobVersion'],
    ['a broken manifest', { manifest: makeManifest({ timeout: 0 }) }, 'manifest.job.timeout'],
    ['an unknown workspace', { configuration: { output_workspaces: { default: 'x' } } }, 'configuration'],
    ['no workspace for an output', { configuration: {} }, 'configuration'],
    ['a flag that is a number', { is_paused: 1 }, 'is_paused'],
    ['an empty image', { container_image: '' }, 'container_image'],
  ];
  for (const [title, body, path] of cases) {
    const refused = await world.patch(PATH, body);
    t.equal(refused.status, 400, title);
    t.ok(
      refused.json.errors.some((error: { path: string }) => error.path.startsWith(path)),
      refused.text,
    );
  }
  await world.patch(PATH, { configuration: { output_workspaces: { outputs: { COUNTS: 'out' } } } });
  const misfit = await world.patch(PATH, { manifest: makeManifest({ interface: { outputs } }) });
  t.equal(misfit.status, 400, 'the kept configuration must fit a new manifest');
  t.equal((await world.get(PATH)).json.revision_num, 1);
});

t.test('job types: only the pause of a system type may change', async (t) => {
  const world = await processingWorld(t);
  const path = '/v6/job-types/millrace-ingest/1.0.0/';
  const { json } = await world.get(path);
  t.match(json.manifest.job.interface.inputs.json, [{ name: 'ingest_id' }], 'the key of its jobs’ input');

  for (const body of [
    { icon_code: 'x' },
    { max_scheduled: 1 },
    { configuration: {} },
    { is_active: false },
  ]) {
    const refused = await world.patch(path, body);
    t.equal(refused.status, 400, JSON.stringify(body));
    t.match(refused.json.errors, [{ name: 'SYSTEM_JOB_TYPE', path: Object.keys(body)[0] }]);
  }
  t.equal((await world.patch(path, { is_paused: true })).status, 204);
  t.equal((await world.get(path)).json.is_paused, true);
});

t.test('job types: recipe types follow a new revision, unless the call says otherwise', async (t) => {
  const world = await processingWorld(t);
  await world.post('/v6/job-types/', jobTypeBody());
  const inner = await world.post('/v6/recipe-types/', { title: 'Inner', definition: oneNodeDefinition() });
  t.equal(inner.status, 201, inner.text);
  const nodes = {
    inside: {
      dependencies: [],
      input: { TEXT: { type: 'recipe', input: 'TEXT' } },
      node_type: { node_type: 'recipe', recipe_type_name: 'inner' },
    },
  };
  const definition = { ...oneNodeDefinition(), nodes };
  const outer = await world.post('/v6/recipe-types/', { title: 'Outer', definition });
  t.equal(outer.status, 201, outer.text);

  t.equal(
    (await world.patch(PATH, { manifest: makeManifest({ title: 'Other' }), auto_update: false })).status,
    204,
  );
  t.equal((await world.get('/v6/recipe-types/inner/')).json.revision_num, 1);

  t.equal((await world.patch(PATH, { manifest: makeManifest({ title: 'New' }) })).status, 204);
  const innerNow = (await world.get('/v6/recipe-types/inner/')).json;
  t.match(innerNow, {
    revision_num: 2,
    definition: { nodes: { count: { node_type: { job_type_revision: 3 } } } },
  });
  const outerNow = (await world.get('/v6/recipe-types/outer/')).json;
  t.match(outerNow, {
    revision_num: 2,
    definition: { nodes: { inside: { node_type: { recipe_type_revision: 2 } } } },
  });

  const more = { inputs: { files: [{ name: 'OTHER' }] }, outputs: {} };
  const edited = await world.patch(PATH, { manifest: makeManifest({ interface: more }) });
  t.equal(edited.status, 204, edited.text);
  t.match(edited.headers.get('warning'), /RECIPE_NOT_UPDATED: .*'inner'/);
  t.equal((await world.get('/v6/recipe-types/inner/')).json.revision_num, 2);
});

t.test('job types: a deprecation extends to recipe types above, and a reactivation does not', async (t) => {
  const world = await processingWorld(t);
  await world.post('/v6/job-types/', jobTypeBody());
  await world.post('/v6/recipe-types/', { title: 'Inner', definition: oneNodeDefinition() });

  const edited = await world.patch(PATH, { is_active: false });

  t.match(edited.headers.get('warning'), /DEPRECATED_RECIPES: .*inner/);
  const type = (await world.get(PATH)).json;
  t.equal(type.is_active, false);
  t.type(type.deprecated, 'string');
  const recipeType = (await world.get('/v6/recipe-types/inner/')).json;
  t.equal(recipeType.is_active, false);
  t.type(recipeType.deprecated, 'string');

  await world.patch(PATH, { is_active: true });
  t.match((await world.get(PATH)).json, { is_active: true, deprecated: null });
  t.equal((await world.get('/v6/recipe-types/inner/')).json.is_active, false);
});

t.test('job types: an unknown type is 404', async (t) => {
  const world = await processingWorld(t);
  await world.post('/v6/job-types/', jobTypeBody());
  for (const path of [
    ...['/v6/job-types/none/1.0.0/', '/v6/job-types/counter/9.9.9/', `${PATH}revisions/2/`],
    ...[`${PATH}revisions/x/`, `${PATH}revisions/99999999999999/`, '/v6/job-types/none/1.0.0/revisions/'],
  ]) {
    t.equal((await world.get(path)).status, 404, path);
  }
  t.equal((await world.patch('/v6/job-types/none/1.0.0/', {})).status, 404);
  const empty = await world.get('/v6/job-types/none/');
  t.match(empty.json, { count: 0, results: [] });
});

t.test('job types: lists are filtered, sorted and paged', async (t) => {
  const world = await processingWorld(t);
  for (const jobVersion of ['1.2.0', '1.10.0', '1.10.0-beta.2', '1.10.0-beta.10+5']) {
    const made = await world.post('/v6/job-types/', jobTypeBody({ jobVersion, title: `V ${jobVersion}` }));
    t.equal(made.status, 201, made.text);
  }
  await world.patch('/v6/job-types/counter/1.2.0/', { is_active: false });
  const versions = async (target: string): Promise<string[]> => {
    const { status, json, text } = await world.get(target);
    t.equal(status, 200, text);
    return json.results.map((one: { version: string }) => one.version);
  };
  const all = ['1.10.0', '1.10.0-beta.10+5', '1.10.0-beta.2', '1.2.0'];

  t.strictSame(await versions('/v6/job-types/counter/'), all);
  t.strictSame(await versions('/v6/job-types/counter/?is_active=false'), ['1.2.0']);
  t.strictSame(await versions('/v6/job-types/?keyword=COUNT&order=-version'), all);
  t.strictSame(await versions('/v6/job-types/?keyword=line&keyword=nothing&order=-version'), all, 'tags');
  t.strictSame(await versions('/v6/job-types/?keyword=lin%25'), [], 'wildcards are letters');
  t.strictSame(
    await versions('/v6/job-types/?keyword=count&is_active=t&order=version'),
    all.slice(0, 3).reverse(),
  );
  t.strictSame(
    await versions('/v6/job-types/?is_system=false&keyword=count&page_size=1&page=2&order=version'),
    ['1.10.0-beta.2'],
  );
  const [{ id }] = (await world.get('/v6/job-types/counter/')).json.results;
  t.strictSame(await versions(`/v6/job-types/?id=${id}&id=999999`), ['1.10.0']);
  const system = await world.get('/v6/job-types/?is_system=true');
  t.ok(system.json.count >= 2);
  t.ok(system.json.results.every((one: { is_system: boolean }) => one.is_system));
  const detail = await world.get('/v6/job-types/counter/1.10.0-beta.10%2B5/');
  t.equal(detail.status, 200, 'pre-release and build parts can be asked for');
});

t.test('job type names: a name shows its latest version, and any version finds it', async (t) => {
  const world = await processingWorld(t);
  await world.post('/v6/job-types/', jobTypeBody({ jobVersion: '1.9.0', title: 'Old', tags: ['ancient'] }));
  await world.post('/v6/job-types/', jobTypeBody({ jobVersion: '1.10.0', title: 'New' }));
  const [old] = (await world.get('/v6/job-types/counter/?is_active=true')).json.results.slice(1);

  const found = await world.get('/v6/job-type-names/?keyword=ancient');

  const name = {
    name: 'counter',
    title: 'New',
    description: 'Counts lines',
    icon_code: null,
    is_published: false,
    versions: ['1.10.0', '1.9.0'],
    latest_version: '1.10.0',
  };
  t.strictSame(found.json.results, [name]);
  t.strictSame((await world.get(`/v6/job-type-names/?id=${old.id}`)).json.results, [name]);
  t.equal((await world.get(`/v6/job-type-names/?id=${old.id}&is_active=false`)).json.count, 0);
  const names = (await world.get('/v6/job-type-names/')).json.results.map(
    (one: { name: string }) => one.name,
  );
  t.strictSame(names, [...names].sort());
});

t.test('job types: every documented order works, and others are refused', async (t) => {
  const world = await processingWorld(t);
  const lists = [
    ['/v6/job-types/', JOB_TYPE_ORDER],
    ['/v6/job-type-names/', JOB_TYPE_NAME_ORDER],
  ] as const;
  for (const [path, fields] of lists) {
    for (const field of [...fields, 'id']) {
      for (const order of [field, `-${field}`]) {
        t.equal((await world.get(`${path}?order=${order}`)).status, 200, `${path} ${order}`);
      }
    }
    for (const query of ['order=manifest', 'page=0', 'page_size=1001', 'is_active=maybe']) {
      t.equal((await world.get(`${path}?${query}`)).status, 400, query);
    }
    t.equal((await world.get(`${path}?id=x`)).status, 400, 'id=x');
  }
});

t.test('job types: validation answers 200 with the answer of the create', async (t) => {
  const world = await processingWorld(t);
  const path = '/v6/job-types/validation/';

  const good = await world.post(path, { manifest: makeManifest(), configuration: CONFIGURATION });
  t.match(good.json, { is_valid: true, errors: [], warnings: [] });

  const bad = await world.post(path, { manifest: makeManifest({ timeout: -1, title: 5 }) });
  t.equal(bad.status, 200);
  t.equal(bad.json.is_valid, false);
  t.strictSame(bad.json.errors.map((error: { path: string }) => error.path).sort(), [
    'manifest.job.timeout',
    'manifest.job.title',
  ]);

  const missing = await world.post(path, {});
  t.match(missing.json, { is_valid: false, errors: [{ path: 'manifest' }] });

  const unfit = await world.post(path, { manifest: makeManifest(), configuration: null });
  t.match(unfit.json, { is_valid: false, errors: [{ name: 'MISSING_WORKSPACE' }] });

  const doubtful = await world.post(path, {
    manifest: makeManifest(),
    configuration: { ...CONFIGURATION, settings: { LEVEL: 'x', OTHER: 'y', PASSWORD: 'z' } },
    name: 'ignored',
  });
  t.equal(doubtful.json.is_valid, true);
  t.match(doubtful.json.warnings, [{ name: 'UNKNOWN_SETTING' }]);
  const unknown = await world.post(path, { manifest: makeManifest(), colour: 'red' });
  t.match(unknown.json, { is_valid: false, errors: [{ path: 'colour' }, { name: 'MISSING_WORKSPACE' }] });
  t.equal((await world.post(path, 'text')).status, 400);
  t.equal((await world.get('/v6/job-types/?keyword=counter')).json.count, 0, 'nothing was made');
});
