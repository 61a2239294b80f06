import t from 'tap';
import { ERROR_ORDER, errorRoutes } from '../../../src/api/errors/routes.ts';
import { BUILTIN_ERRORS } from '../../../src/domain/job/builtin-errors.ts';
import { ensureBuiltins } from '../../../src/store/catalog/builtins.ts';
import { NOW, type StoreWorld, storeWorld } from '../../store/store-world.ts';
import { type Caller, makeCaller } from '../../support/http.ts';

async function errorWorld(t: {
  teardown(handler: () => Promise<void>): void;
}): Promise<{ store: StoreWorld; caller: Caller; names(query: string): Promise<string[]> }> {
  const store = await storeWorld(t);
  await ensureBuiltins(store.db.sql, NOW);
  const caller = makeCaller(errorRoutes, { sql: store.db.sql });
  return {
    store,
    caller,
    async names(query) {
      const { status, json, text } = await caller.get(`/v6/errors/?${query}`);
      if (status !== 200) throw new Error(text);
      return json.results.map((one: { name: string }) => one.name);
    },
  };
}

t.test('errors: built-in errors and those of job types are listed and filtered', async (t) => {
  const { caller, names } = await errorWorld(t);

  const all = await caller.get('/v6/errors/');
  t.equal(all.json.count, BUILTIN_ERRORS.length + 1);
  t.strictSame((await names('is_builtin=true')).length, BUILTIN_ERRORS.length);
  t.strictSame(await names('is_builtin=false'), ['bad-data']);
  t.strictSame(await names('job_type_name=type-a'), ['bad-data']);
  t.strictSame(await names('job_type_name=type-b'), []);
  t.strictSame(await names('name=node-lost'), ['node-lost']);
  t.strictSame(await names('name=node'), [], 'a name is exact');
  t.strictSame((await names('category=DATA&order=name')).sort(), [
    'bad-data',
    'invalid-input',
    'product-path-taken',
  ]);
  t.strictSame(await names('category=ALGORITHM&name=timeout&is_builtin=t'), ['timeout']);
  const titleOf = async (name: string) =>
    (await caller.get(`/v6/errors/?name=${name}`)).json.results[0].title;
  t.equal(await titleOf('timeout'), 'Timeout');
  t.equal(await titleOf('system-timeout'), 'Timeout (System)');
  t.strictSame(await names('started=2025-01-01T00:00:00Z&ended=2025-01-02T00:00:00Z'), []);
});

t.test('errors: a record has every field, in the list and in details', async (t) => {
  const { store, caller } = await errorWorld(t);
  const { id } = await store.one<{ id: number }>(`select id from error where name = 'bad-data'`);

  const listed = (await caller.get('/v6/errors/?name=bad-data')).json.results[0];
  const single = await caller.get(`/v6/errors/${id}/`);

  t.equal(single.status, 200);
  t.strictSame(single.json, listed);
  t.match(single.json, {
    id,
    name: 'bad-data',
    title: 'Bad data',
    description: '',
    job_type_name: 'type-a',
    category: 'DATA',
    is_builtin: false,
    should_be_retried: false,
    created: /Z$/,
    last_modified: /Z$/,
  });
  t.equal((await caller.get('/v6/errors/?name=timeout')).json.results[0].job_type_name, null);
});

t.test('errors: the list is sorted by every field, both ways, page by page', async (t) => {
  const { caller, names } = await errorWorld(t);
  for (const field of ERROR_ORDER) {
    const forth = await names(`order=${field}&page_size=1000`);
    t.strictSame(await names(`order=-${field}&page_size=1000`), forth.toReversed(), field);
  }
  t.strictSame((await names('order=name&page_size=2&page=2')).length, 2);
  t.equal(
    (await caller.get('/v6/errors/?page_size=2')).json.next,
    'http://localhost:8080/v6/errors/?page_size=2&page=2',
  );
});

t.test('errors: wrong parameters are refused', async (t) => {
  const { caller } = await errorWorld(t);
  const queries = [
    'category=data',
    'category=OTHER',
    'is_builtin=maybe',
    'order=code',
    'page=0',
    'page_size=1001',
  ];
  for (const query of [...queries, 'started=yesterday', 'started=P1D&ended=P2D']) {
    const { status, json } = await caller.get(`/v6/errors/?${query}`);
    t.equal(status, 400, query);
    t.equal(json.code, 'INVALID_PARAMETER', query);
  }
  for (const path of ['999999', '0', 'x', '99999999999999999999']) {
    t.equal((await caller.get(`/v6/errors/${path}/`)).status, 404, path);
  }
  t.equal((await caller.call('POST', '/v6/errors/', {})).status, 405);
  t.equal((await caller.call('PATCH', '/v6/errors/1/', {})).status, 405);
});
