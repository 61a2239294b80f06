import t from 'tap';
import { purgeRoutes } from '../../../src/api/purges/routes.ts';
import { makeSource } from '../../store/make.ts';
import { makeCaller } from '../../support/http.ts';
import { makeFamily, purgeWorld } from '../../support/worlds/purge-world.ts';

async function begin(test: Parameters<typeof purgeWorld>[0]) {
  const world = await purgeWorld(test);
  const caller = makeCaller(purgeRoutes, world.parts);
  const post = (body: unknown) => caller.call('POST', '/v6/files/purge-source/', body);
  return { world, post, get: caller.get };
}

t.test('purges: POST begins a purge and names it, and a repeat returns the same one', async (t) => {
  const { world, post, get } = await begin(t);
  const { sourceId, productIds } = await makeFamily(world, 'gone');
  const kept = await makeFamily(world, 'kept');
  const begun = await post({ file_id: sourceId });
  t.equal(begun.status, 204, begun.text);
  t.equal(begun.text, '');
  const location = begun.headers.get('location') ?? '';
  t.match(location, /\/v6\/purges\/\d+\/$/);
  const again = await post({ file_id: sourceId, delete_source_bytes: true });
  t.equal(again.headers.get('location'), location);
  const path = location.replace(/^https?:\/\/[^/]+/, '');
  const shown = (await get(path)).json;
  t.match(shown, {
    status: 'RUNNING',
    phase: 'find',
    reason: null,
    file_id: sourceId,
    file_path: 'gone/source',
    file_size: 5,
    workspace: { id: world.store.ids.in, name: 'in' },
    delete_source_bytes: false,
    removed: {},
    workspaces: [],
    problems: [],
    completed: null,
  });
  t.equal(shown.file_name, `f${sourceId}.txt`);
  const [file] = await world.store.rows<{ is_deleted: boolean }>(
    'select is_deleted from file where id = $1',
    [sourceId],
  );
  t.ok(file?.is_deleted, 'nobody uses the file from now on');

  await world.advance(shown.id);
  const done = (await get(path)).json;
  t.match(done, { status: 'COMPLETED', phase: 'done', completed: String, removed: { source_files: 1 } });
  const out = { id: world.store.ids.out, name: 'out', files_removed: 2, files_absent: 0, files_kept: 0 };
  t.strictSame(done.workspaces, [{ ...out, files_failed: 0, bytes_removed: 12 }]);
  for (const id of [sourceId, ...productIds]) {
    const { results } = (await get(`/v6/purges/?file_id=${id}`)).json;
    t.match(results, [{ id: shown.id, file_id: sourceId }], 'also its products say which purge it was');
  }
  t.equal((await get(`/v6/purges/?file_id=${kept.productIds[0]}`)).json.count, 0);
  const late = await post({ file_id: sourceId });
  t.equal(late.status, 400);
  t.match(late.json.errors, [{ path: 'file_id', description: /was purged: see \/v6\/purges\// }]);
});

t.test('purges: a dry run counts the jobs that the purge then removes, with those of ingests', async (t) => {
  const { world, post, get } = await begin(t);
  const { sourceId, jobIds } = await makeFamily(world, 'gone');
  await makeFamily(world, 'kept');
  const caller = makeCaller(purgeRoutes, world.parts);
  const shown = await caller.call('POST', '/v6/files/purge-source/?dry_run=true', { file_id: sourceId });
  t.match(shown.json, { jobs: { count: jobIds.length, live: 0 }, files: { count: 3 }, recipes: 1 });
  const begun = await post({ file_id: sourceId });
  const path = new URL(begun.headers.get('location') ?? '', 'http://here').pathname;
  await world.advance(Number(path.split('/').at(-2)));
  t.match((await get(path)).json.removed, { jobs: jobIds.length, product_files: 2, recipes: 1 });
});

t.test('purges: two requests at once begin one purge', async (t) => {
  const { world, post } = await begin(t);
  const { sourceId } = await makeFamily(world, 'gone');
  const answers = await Promise.all([1, 2, 3].map(() => post({ file_id: sourceId })));
  t.equal(new Set(answers.map(({ headers }) => headers.get('location'))).size, 1);
});

t.test('purges: a file that is not a source is refused, and nothing changes', async (t) => {
  const { world, post } = await begin(t);
  const { productIds } = await makeFamily(world, 'kept');
  const cases: readonly (readonly [body: unknown, path: string])[] = [
    [{}, 'file_id'],
    [{ file_id: null }, 'file_id'],
    [{ file_id: 0 }, 'file_id'],
    [{ file_id: -1 }, 'file_id'],
    [{ file_id: 1.5 }, 'file_id'],
    [{ file_id: '1' }, 'file_id'],
    [{ file_id: 9_007_199_254_740_991 }, 'file_id'],
    [{ file_id: productIds[0] }, 'file_id'],
    [{ file_id: 1, delete_source_bytes: 'yes' }, 'delete_source_bytes'],
  ];
  for (const [body, path] of cases) {
    const { status, json } = await post(body);
    t.equal(status, 400, JSON.stringify(body));
    t.ok(
      json.errors.some((one: { path: string }) => one.path === path),
      `${JSON.stringify(body)} names ${path}`,
    );
  }
  const both = await post({ file_id: 'x', delete_source_bytes: 1 });
  t.strictSame(both.json.errors.map((one: { path: string }) => one.path).sort(), [
    'delete_source_bytes',
    'file_id',
  ]);
  t.strictSame(await world.store.rows('select id from purge'), []);
  t.strictSame(await world.store.rows('select id from file where is_deleted'), []);
});

t.test('purges: the list is filtered, ordered and paged', async (t) => {
  const { world, post, get } = await begin(t);
  const sources = [
    await makeSource(world.store),
    await makeSource(world.store),
    await makeSource(world.store),
  ];
  await world.store.apply({ type: 'createSourceFiles', files: sources });
  for (const { id } of sources) await post({ file_id: id });
  const purges = (await get('/v6/purges/?order=id')).json.results as { id: number; file_id: number }[];
  await world.advance(purges[1]?.id ?? 0);
  const ids = async (query: string) => {
    const { status, json } = await get(`/v6/purges/?${query}`);
    return status === 200 ? json.results.map((one: { file_id: number }) => one.file_id) : status;
  };
  const [a, b, c] = sources.map(({ id }) => id);
  t.strictSame(await ids('order=file_id'), [a, b, c]);
  t.strictSame(await ids('order=-file_id'), [c, b, a]);
  t.strictSame(await ids('is_completed=true'), [b]);
  t.strictSame(await ids('is_completed=false&order=file_id'), [a, c]);
  t.strictSame(await ids(`file_id=${a}&file_id=${c}&order=file_id`), [a, c]);
  t.strictSame(await ids('page_size=1&page=2&order=file_id'), [b]);
  t.strictSame(await ids('started=2000-01-01T00:00:00Z&ended=2000-01-02T00:00:00Z'), []);
  for (const key of [
    'file_name',
    'file_path',
    'file_size',
    'phase',
    'created',
    'completed',
    'last_modified',
  ]) {
    t.equal((await ids(`order=${key}`)).length, 3, key);
  }
  for (const query of ['order=removed', 'is_completed=maybe', 'file_id=x', 'page=0', 'page_size=1001']) {
    t.equal(await ids(query), 400, query);
  }
  t.equal((await get('/v6/purges/999999/')).status, 404);
});
