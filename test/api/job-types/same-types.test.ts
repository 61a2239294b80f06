/** Job and recipe types that are sent once more as they are: nothing changes. */
import t from 'tap';
import {
  CONFIGURATION,
  jobTypeBody,
  makeManifest,
  oneNodeDefinition,
  processingWorld,
} from '../../support/worlds/processing-world.ts';

const PATH = '/v6/job-types/counter/1.0.0/';

t.test('job types: an unchanged manifest that is sent again makes no revision', async (t) => {
  const world = await processingWorld(t);
  const body = { ...jobTypeBody(), icon_code: 'f0aa', max_scheduled: 4 };
  await world.post('/v6/job-types/', body);
  await world.store.rows(`update job_type set last_modified = '2020-01-02' where name = 'counter'`);
  const before = (await world.get(PATH)).json;

  const again = await world.post('/v6/job-types/', body);

  t.equal(again.status, 201, again.text);
  t.equal(again.headers.get('location'), `http://localhost:8080${PATH}`);
  t.strictSame(again.json, before, 'the record as it was, its last_modified among it');
  const { job, seedVersion } = makeManifest() as { job: object; seedVersion: string };
  const reordered = { job: Object.fromEntries(Object.entries(job).reverse()), seedVersion };
  const { manifest, container_image, configuration, ...others } = body as Record<string, unknown>;
  const edits: Record<string, unknown>[] = [
    { manifest },
    { manifest: reordered },
    { manifest: before.manifest, configuration: before.configuration },
    { container_image },
    { configuration },
    others,
    { is_active: true, is_paused: false, is_published: false, max_tries: 3 },
    {},
  ];
  for (const edit of edits) {
    const edited = await world.patch(PATH, edit);
    t.equal(edited.status, 204, edited.text);
    t.strictSame((await world.get(PATH)).json, before, `nothing has changed: ${Object.keys(edit)}`);
  }
  t.equal((await world.get(`${PATH}revisions/`)).json.count, 1);

  const secret = { ...CONFIGURATION, settings: { ...CONFIGURATION.settings, PASSWORD: 'other' } };
  const encrypted = `select md5(secrets) as digest from job_type where name = 'counter'`;
  const [kept] = await world.store.rows(encrypted);
  t.equal((await world.patch(PATH, { configuration: secret })).status, 204);
  t.notSame(await world.store.rows(encrypted), [kept], 'another secret is kept');
  t.equal((await world.post('/v6/job-types/', { ...body, max_tries: 5 })).json.max_tries, 5);
  t.equal((await world.get(PATH)).json.revision_num, 1, 'only manifest and image make revisions');
});

t.test('recipe types: an unchanged PATCH changes nothing; the same POST makes another type', async (t) => {
  const world = await processingWorld(t);
  await world.post('/v6/job-types/', jobTypeBody());
  const body = { title: 'Mine', description: 'D', definition: oneNodeDefinition() };
  await world.post('/v6/recipe-types/', body);
  const path = '/v6/recipe-types/mine/';
  const { count: counting } = oneNodeDefinition().nodes as { count: object };
  const node = {
    ...counting,
    input: { TEXT: { type: 'recipe', input: 'TEXT' } },
    node_type: { node_type: 'recipe', recipe_type_name: 'mine' },
  };
  const around = { ...oneNodeDefinition(), nodes: { only: node } };
  const above = await world.post('/v6/recipe-types/', { title: 'Above', definition: around });
  t.equal(above.status, 201, above.text);
  await world.store.rows(`update recipe_type set last_modified = '2020-01-02'`);
  const before = (await world.get(path)).json;

  const same = [body, { definition: before.definition }, { title: 'Mine' }, { is_active: true }, {}];
  for (const edit of same) {
    const edited = await world.patch(path, edit);
    t.equal(edited.status, 204, edited.text);
    t.strictSame((await world.get(path)).json, before, `nothing has changed: ${Object.keys(edit)}`);
  }
  t.equal((await world.get(`${path}revisions/`)).json.count, 1);
  t.equal((await world.get('/v6/recipe-types/above/')).json.revision_num, 1, 'and nothing above');

  const another = await world.post('/v6/recipe-types/', body);
  t.equal(another.status, 201, another.text);
  t.not(another.json.name, 'mine');
  t.equal(another.json.revision_num, 1);
  t.equal((await world.get(path)).json.revision_num, 1);

  await world.patch('/v6/job-types/counter/1.0.0/', { container_image: 'counter:2', auto_update: false });
  t.equal((await world.patch(path, { definition: oneNodeDefinition() })).status, 204);
  const { revision_num, definition } = (await world.get(path)).json;
  t.equal(revision_num, 2, 'a revision that is left out is the newest: that is a change');
  t.equal(definition.nodes.count.node_type.job_type_revision, 2);
});
