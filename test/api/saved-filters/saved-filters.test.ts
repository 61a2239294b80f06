/** `/v6/saved-filters/`, on a real database, behind the real auth filter. */
import t from 'tap';
import { savedFilterRoutes } from '../../../src/api/saved-filters/routes.ts';
import { storeWorld } from '../../store/store-world.ts';
import { makeCaller } from '../../support/http.ts';
import { accessWorldOf } from '../../support/worlds/access-world.ts';

const PATH = '/v6/saved-filters/';
const FILTER = { list: 'jobs', title: 'Failed today', search: 'status=FAILED&changed=P1D' };

t.test('saved filters: each account has its own', async (t) => {
  const world = await accessWorldOf(t, {}, savedFilterRoutes, ({ logins }) => ({ sql: logins.sql }));
  await world.account('jane');
  await world.account('admin', { isStaff: true });
  const [jane, admin] = [await world.session('jane'), await world.session('admin')];
  const titles = async (headers: Record<string, string>, query = '') =>
    (await world.get(`${PATH}?${query}`, headers)).json.results.map((one: { title: string }) => one.title);

  t.equal((await world.get(PATH)).status, 401);
  const { status, json } = await world.post(PATH, FILTER, jane);
  t.equal(status, 200);
  t.match(json, { id: Number, ...FILTER, created: String });
  await world.post(PATH, { ...FILTER, list: 'files', title: 'All' }, jane);
  t.strictSame(await titles(jane), ['All', 'Failed today']);
  t.strictSame(await titles(jane, 'list=jobs&list=recipes'), ['Failed today']);
  t.strictSame(await titles(admin), [], 'staff have no others');

  const again = await world.post(PATH, { ...FILTER, search: 'status=FAILED' }, jane);
  t.match(again.json, { id: json.id, search: 'status=FAILED' }, 'a title is replaced');
  t.equal((await world.call('DELETE', `${PATH}${json.id}/`, undefined, admin)).status, 404);
  t.equal((await world.call('DELETE', `${PATH}${json.id}/`, undefined, jane)).status, 204);
  t.equal((await world.call('DELETE', `${PATH}${json.id}/`, undefined, jane)).status, 404);
  t.strictSame(await titles(jane), ['All']);
});

t.test('saved filters: wrong filters are refused, and an account has at most 200', async (t) => {
  const store = await storeWorld(t);
  const { call, get } = makeCaller(savedFilterRoutes, { sql: store.db.sql });
  for (const body of [
    {},
    { ...FILTER, title: ' ' },
    { ...FILTER, list: 'Jobs!' },
    { ...FILTER, search: 'x'.repeat(4_001) },
    { ...FILTER, color: 'red' },
  ]) {
    t.equal((await call('POST', PATH, body)).status, 400, JSON.stringify(body).slice(0, 60));
  }
  await store.rows(`insert into saved_filter (account_id, list, title, search, created)
    select 0, 'jobs', 'n' || n, '', now() from generate_series(1, 199) as n`);
  t.equal((await call('POST', PATH, FILTER)).status, 200);
  t.equal((await call('POST', PATH, { ...FILTER, title: 'one more' })).status, 409);
  t.equal((await call('POST', PATH, FILTER)).status, 200, 'what is there may still be replaced');
  t.equal((await get(PATH)).json.count, 200);
});

t.test('saved filters: an account has at most 200 even after concurrent requests', async (t) => {
  const store = await storeWorld(t);
  const { call, get } = makeCaller(savedFilterRoutes, { sql: store.db.sql });
  await store.rows(`insert into saved_filter (account_id, list, title, search, created)
    select 0, 'jobs', 'n' || n, '', now() from generate_series(1, 195) as n`);
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, at) => call('POST', PATH, { ...FILTER, title: `at once ${at}` })),
  );
  const counts = Map.groupBy(answers, ({ status }) => status);
  t.strictSame([counts.get(200)?.length, counts.get(409)?.length], [5, 35]);
  t.equal((await get(PATH)).json.count, 200);
});
