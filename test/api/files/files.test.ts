import t from 'tap';
import { attachment } from '../../../src/api/files/content-reply.ts';
import { withUrl } from '../../../src/api/files/file-record.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { KernelError } from '../../../src/kernel/mod.ts';
import { makeProduct, makeStart, savedJob } from '../../store/make.ts';
import { HERE, type PlatformWorld, platformWorld } from '../../support/worlds/platform-world.ts';

/** A source, a product of it, and a product of that product. */
async function family(world: PlatformWorld) {
  const { store } = world;
  const source = await world.file({ fileName: 'été 1%.txt', filePath: 'in put/été 1%.txt' });
  const job = await savedJob(store);
  const start = await makeStart(store, job.id);
  await store.apply({ type: 'placeJobs', starts: [start] });
  const origin = { jobId: job.id, executionId: start.executionId };
  const child = await makeProduct(store, {
    ...origin,
    inputFileIds: [source],
    fileName: 'child.csv',
    mediaType: 'text/csv',
  });
  await store.apply({ type: 'createProducts', products: [child] });
  const grand = await makeProduct(store, {
    ...origin,
    ...{ inputFileIds: [child.id], fileName: 'Grand.txt', jobOutput: 'OTHER', metadata: { a: 1 } },
  });
  await store.apply({ type: 'createProducts', products: [grand] });
  return { source, child: child.id, grand: grand.id, job: job.id, execution: start.executionId };
}

t.test('files: details have all fields, the metadata, and the ancestors of the file', async (t) => {
  const world = await platformWorld(t);
  const { source, child, grand, job, execution } = await family(world);

  const { status, json, text } = await world.get(`/v6/files/${grand}/`);

  t.equal(status, 200, text);
  t.match(json, {
    ...{ id: grand, file_type: 'PRODUCT', file_name: 'Grand.txt', media_type: 'text/plain', file_size: 6 },
    ...{ workspace: { id: world.store.ids.out, name: 'out' }, is_deleted: false, deleted: null },
    ...{ job: { id: job }, job_exe: { id: execution }, job_output: 'OTHER', recipe: null, batch: null },
    ...{ job_type: { id: world.store.ids.type, name: 'type-a' }, recipe_type: null, recipe_node: null },
    ...{ url: `http://localhost:8080/v6/files/${grand}/content/`, countries: [], is_superseded: false },
    ...{ sha256: 'b'.repeat(64), is_published: true, source_started: '2026-01-02T03:04:05.677Z' },
  });
  t.strictSame(
    json.ancestors.parents.map((one: { id: number }) => one.id),
    [child],
  );
  t.match(json.ancestors.sources, [
    { id: source, file_type: 'SOURCE', file_path: 'in put/été 1%.txt', job: null, workspace: { name: 'in' } },
  ]);
  t.strictSame((await world.get(`/v6/files/${source}/`)).json.ancestors, { parents: [], sources: [] });
  t.equal((await world.get('/v6/files/9999/')).status, 404);
  t.equal((await world.get('/v6/files/x/')).status, 404);
});

t.test(
  'files: the address of the content is below the base URL of the workspace, if it has one',
  async (t) => {
    const world = await platformWorld(t);
    const { source } = await family(world);
    await world.store.rows(`update workspace set base_url = 'https://files.test/a/' where name = 'in'`);

    const { json } = await world.get(`/v6/files/${source}/`);

    t.equal(json.url, 'https://files.test/a/in%20put/%C3%A9t%C3%A9%201%25.txt');
    t.equal(withUrl({ id: 7, file_path: 'a', url: '' }, 'http://b').url, 'http://b/v6/files/7/content/');
  },
);

t.test('files: every filter selects, and several select files that pass all of them', async (t) => {
  const world = await platformWorld(t);
  const { source, child, grand, job } = await family(world);
  await world.store.rows(
    `update file set countries = '{DEU,FRA}', source_sensor_class = 'class', source_sensor = 'sensor',
       source_collection = 'coll', source_task = 'task', recipe_id = 5, recipe_node = 'node', recipe_type_id = 6,
       batch_id = 8, data_started = '2026-01-05T00:00:00Z', data_ended = '2026-01-06T00:00:00Z',
       source_started = '2026-01-07T00:00:00Z', source_ended = '2026-01-08T00:00:00Z',
       created = '2026-01-09T00:00:00Z', last_modified = '2026-01-10T00:00:00Z' where id = $1`,
    [child],
  );
  const found = async (query: string) => {
    const { json, status } = await world.get(`/v6/files/?order=id&${query}`);
    return status === 200 ? json.results.map((one: { id: number }) => one.id) : status;
  };
  const childOnly = [
    ...['data_started=2026-01-05T00:00:00Z', 'data_ended=2026-01-06T00:00:00Z'],
    ...['source_started=2026-01-07T00:00:00Z', 'source_ended=2026-01-08T00:00:00Z'],
    ...['created_started=2026-01-09T00:00:00Z', 'modified_started=2026-01-10T00:00:00Z'],
    ...['source_sensor_class=class', 'source_sensor=no&source_sensor=sensor', 'source_collection=coll'],
    ...[
      'source_task=task',
      'recipe_id=5',
      'recipe_node=node',
      'recipe_type_id=6',
      'batch_id=8',
      'countries=FRA',
    ],
    ...['countries=FRA&countries=DEU', 'file_name=child.csv', 'media_type=text/csv', 'file_name_search=HILD'],
    ...[`job_output=OUT`, 'job_type_name=type-a&countries=DEU'],
  ];
  for (const query of childOnly) t.strictSame(await found(query), [child], query);
  t.strictSame(await found('created_ended=2026-01-08T00:00:00Z'), [source, grand]);
  t.strictSame(await found('modified_ended=2026-01-08T00:00:00Z'), [source, grand]);
  t.strictSame(await found(`job_id=${job}`), [child, grand]);
  t.strictSame(await found(`job_type_id=${world.store.ids.type}`), [child, grand]);
  t.strictSame(await found('file_type=SOURCE'), [source]);
  t.strictSame(await found('file_type=SOURCE&file_type=PRODUCT'), [source, child, grand]);
  t.strictSame(await found('file_name_search=%25'), [source], 'a percent sign is a letter like any other');
  for (const nothing of [
    'countries=USA',
    'file_name=child',
    'job_type_name=type',
    'batch_id=9',
    'recipe_id=1',
  ]) {
    t.strictSame(await found(nothing), [], nothing);
  }
  for (const wrong of [
    'file_type=OTHER',
    'job_id=x',
    'data_started=yesterday',
    'order=meta_data',
    'page=0',
  ]) {
    t.equal((await world.get(`/v6/files/?${wrong}`)).status, 400, wrong);
  }
});

t.test('files: the list is sorted by every key, and pages follow one another', async (t) => {
  const world = await platformWorld(t);
  const { source, child, grand } = await family(world);
  const keys = [
    ...['id', 'file_name', 'file_type', 'media_type', 'file_size', 'file_path', 'uuid', 'is_deleted'],
    ...['is_superseded', 'created', 'deleted', 'last_modified', 'superseded', 'data_started', 'data_ended'],
    ...['source_started', 'source_ended', 'source_sensor_class', 'source_sensor', 'source_collection'],
    ...[
      'source_task',
      'job_output',
      'recipe_node',
      'workspace__id',
      'workspace__name',
      'job__id',
      'job_exe__id',
    ],
    ...['job_type__id', 'job_type__name', 'job_type__title', 'job_type__version', 'recipe__id'],
    ...['recipe_type__id', 'recipe_type__name', 'recipe_type__title', 'batch__id'],
  ];
  for (const key of keys) {
    t.equal((await world.get(`/v6/files/?order=-${key}`)).json?.results?.length, 3, key);
  }
  const names = async (query: string) =>
    (await world.get(`/v6/files/?${query}`)).json.results.map((one: { id: number }) => one.id);
  t.strictSame(await names('order=-file_name'), [source, grand, child], 'whatever the case');
  t.strictSame(await names('page_size=2'), [source, child], 'by modification, then id');
  t.strictSame(await names('page_size=2&page=2'), [grand]);
  const { json } = await world.get('/v6/files/?page_size=2');
  t.match(json, { count: 3, previous: null, next: 'http://localhost:8080/v6/files/?page_size=2&page=2' });
  t.notOk('meta_data' in json.results[0]);
});

/** Nodes of the world that an agent speaks for and that reach the workspace `in`. */
async function reached(world: PlatformWorld, ...nodeIds: number[]) {
  await world.store.rows('update node set is_online = true where id = any($1::bigint[])', [nodeIds]);
  await world.store.rows(
    `insert into node_workspace (node_id, workspace_id, is_reachable, checked)
     select unnest($1::bigint[]), ${world.store.ids.in}, true, now()`,
    [nodeIds],
  );
}

t.test('files: content is streamed from an agent, as an attachment with the file’s name', async (t) => {
  const world = await platformWorld(t);
  const id = await world.file({
    fileName: 'a "b".html',
    filePath: 'd/a "b".html',
    mediaType: 'text/html',
    size: 6,
  });
  await reached(world, world.store.ids.node);
  world.onAsk = async ({ message }) => {
    const sink = world.contents.take(message.file.requestId);
    sink?.begin({ totalSize: 6 });
    void (async () => {
      await sink?.write(Buffer.from('abc'));
      await sink?.write(Buffer.from('def'));
      sink?.end();
    })();
  };

  const { status, headers, text } = await world.get(`/v6/files/${id}/content/`);
  world.owner = { ...HERE, id: 'there', httpAddress: 'other.test:80' };
  const streamed = await world.get(`/v6/files/${id}/content/?stream=true`);

  t.match(streamed, { status: 200, text: 'abcdef' }, 'through this coordinator, whichever has the agent');
  t.equal(status, 200, text);
  t.equal(text, 'abcdef');
  t.equal(headers.get('content-type'), 'text/html');
  t.equal(
    headers.get('content-disposition'),
    `attachment; filename="a _b_.html"; filename*=UTF-8''a%20%22b%22.html`,
  );
  t.equal(headers.get('content-security-policy'), 'sandbox');
  t.match(world.sent, [
    {
      to: { kind: 'node', key: String(world.store.ids.node) },
      message: {
        type: 'sendFile',
        file: { type: 'sendFile', path: 'd/a "b".html', offset: 0, length: 0, workspace: { name: 'in' } },
      },
    },
  ]);
});

t.test('files: a range of content is bounded and stated, and If-Range compares the hash', async (t) => {
  const world = await platformWorld(t);
  const id = await world.file({ size: 6 });
  await world.store.rows('update file set sha256 = $1 where id = $2', ['ab12', id]);
  await reached(world, world.store.ids.node);
  let has = 6;
  world.onAsk = ({ message: { file } }) => {
    const sink = world.contents.take(file.requestId);
    const rest = Buffer.from('abcdefgh').subarray(file.offset, has);
    const bytes = file.length === 0 ? rest : rest.subarray(0, file.length);
    sink?.begin({ totalSize: bytes.length });
    void sink?.write(bytes).then(
      () => sink.end(),
      () => undefined,
    );
  };
  const get = (headers: Record<string, string>) => world.get(`/v6/files/${id}/content/`, headers);

  const part = await get({ range: 'bytes=2-3' });
  t.match(part, { status: 206, text: 'cd' });
  t.equal(part.headers.get('content-range'), 'bytes 2-3/6');
  t.equal(part.headers.get('etag'), '"ab12"');
  t.match(await get({ range: 'bytes=-1' }), { status: 206, text: 'f' });
  t.match(await get({ range: 'bytes=4-99' }), { status: 206, text: 'ef' });
  t.match(await get({ range: 'bytes=2-3', 'if-range': '"ab12"' }), { status: 206, text: 'cd' });
  t.match(await get({ range: 'bytes=2-3', 'if-range': '"other"' }), { status: 200, text: 'abcdef' });
  t.match(await get({ range: 'bytes=0-1,3-4' }), { status: 200, text: 'abcdef' });
  const whole = await get({});
  t.equal(whole.headers.get('accept-ranges'), 'bytes');
  const beyond = await get({ range: 'bytes=6-' });
  t.match(beyond, { status: 416, text: '' });
  t.equal(beyond.headers.get('content-range'), 'bytes */6');
  has = 3;
  t.match(await get({ range: 'bytes=2-5' }), { status: 404, json: { code: 'FILE_NOT_FOUND' } });
});

t.test('files: the next agent is tried when one cannot send', async (t) => {
  const world = await platformWorld(t);
  const { node, node2 } = world.store.ids;
  const id = await world.file({ size: 0 });
  await reached(world, node, node2);
  world.onAsk = ({ to, message }) => {
    const sink = world.contents.take(message.file.requestId);
    if (to.key === String(node)) sink?.fail(new AppError('WORKSPACE_UNAVAILABLE', 'not mounted'));
    else {
      sink?.begin({ totalSize: 0 });
      sink?.end();
    }
  };

  t.match(await world.get(`/v6/files/${id}/content/`), { status: 200, text: '' });
  t.strictSame(
    world.sent.map(({ to }) => to.key),
    [String(node), String(node2)],
  );

  await world.store.rows('update node set is_online = false where id = $1', [node2]);
  t.match(await world.get(`/v6/files/${id}/content/`), {
    status: 503,
    json: { code: 'WORKSPACE_UNAVAILABLE' },
  });
  world.failWith = new KernelError({ code: 'AGENT_UNAVAILABLE', message: 'no agent' });
  t.match(await world.get(`/v6/files/${id}/content/`), { status: 503, json: { code: 'AGENT_UNAVAILABLE' } });
});

t.test('files: unavailable content is refused with the reason', async (t) => {
  const world = await platformWorld(t);
  const id = await world.file();
  const path = `/v6/files/${id}/content/`;

  t.equal((await world.get('/v6/files/9999/content/')).status, 404);
  t.match(await world.get(path), { status: 503, json: { code: 'AGENT_UNAVAILABLE' } }, 'nobody reaches it');
  await reached(world, world.store.ids.node);
  world.owner = { ...HERE, id: 'there', httpAddress: 'other.test:80' };
  const elsewhere = await world.get(path);
  t.equal(elsewhere.status, 307);
  t.equal(elsewhere.headers.get('location'), `http://other.test:80${path}`);
  world.owner = { ...HERE, id: 'there', httpAddress: '0.0.0.0:80' };
  t.match(await world.get(path), {
    status: 503,
    json: { code: 'AGENT_UNAVAILABLE', detail: /0\.0\.0\.0:80/ },
  });
  await world.store.rows('update workspace set is_active = false where id = $1', [world.store.ids.in]);
  t.match(await world.get(path), { status: 409, json: { code: 'STATE_CONFLICT' } });
  await world.store.rows('update file set is_deleted = true where id = $1', [id]);
  t.match(await world.get(path), { status: 404, json: { code: 'FILE_NOT_FOUND' } });
  t.equal(world.sent.length, 0);
});

t.test('files: names in headers cannot break out of them', (t) => {
  t.equal(
    attachment('a\r\nb: "c"\\%'),
    `attachment; filename="a__b: _c___"; filename*=UTF-8''a%0D%0Ab%3A%20%22c%22%5C%25`,
  );
  t.equal(attachment(`é'(*)`), `attachment; filename="_'(*)"; filename*=UTF-8''%C3%A9%27%28%2A%29`);
  t.match(attachment('\ud800'), /UTF-8''%EF%BF%BD/);
  t.end();
});
