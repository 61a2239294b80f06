/** Objects of all kinds, found by a part of their name or title, or by their id. */
import t from 'tap';
import { searchRoutes } from '../../../src/api/search/routes.ts';
import { savedJob, savedRecipe } from '../../store/make.ts';
import { storeWorld } from '../../store/store-world.ts';
import { makeCaller } from '../../support/http.ts';

t.test('search: objects are found by a part of a name or title, and by id', async (t) => {
  const store = await storeWorld(t);
  const { get } = makeCaller(searchRoutes, { sql: store.db.sql });
  const { ids } = store;
  const job = await savedJob(store);
  const recipe = await savedRecipe(store);
  const search = async (text: string) => {
    const { json, status, text: answer } = await get(`/v6/search/?text=${encodeURIComponent(text)}`);
    t.equal(status, 200, answer);
    return json.results;
  };
  await store.rows(`update workspace set title = 'Ocean 100%_ <b>', name = 'ocean-in' where id = $1`, [
    ids.in,
  ]);
  await store.rows(`update recipe_type set title = 'Deep Ocean' where id = $1`, [ids.recipeType]);
  await store.rows(`update job_type set title = 'Ocean colour', name = 'colour' where id = $1`, [ids.type]);
  await store.rows(
    `insert into dataset (title, description, definition, created) values ('The ocean', '', '{}', now())`,
  );

  t.match(await search('oCEAN'), [
    { kind: 'recipe_type', id: ids.recipeType, title: 'Deep Ocean' },
    { kind: 'job_type', id: ids.type, title: 'Ocean colour', name: 'colour', version: String },
    { kind: 'workspace', id: ids.in, name: 'ocean-in', version: null },
    { kind: 'dataset', title: 'The ocean', name: null },
  ]);
  t.match(await search('100%_'), [{ kind: 'workspace' }], 'signs of patterns are themselves');
  t.strictSame(await search('1__%'), []);
  t.match(await search('colour'), [{ kind: 'job_type' }], 'by its name');
  await store.rows('update workspace set deleted = now() where id = $1', [ids.in]);
  t.strictSame(await search('100%_'), [], 'what is deleted is not found');

  const numbered = await search(String(job.id));
  t.ok(numbered.some((one: { kind: string; id: number }) => one.kind === 'job' && one.id === job.id));
  t.match(
    (await search(String(recipe.id))).find(({ kind }: { kind: string }) => kind === 'recipe'),
    { id: recipe.id, title: 'Deep Ocean' },
  );
  t.strictSame(await search('999999999999999'), []);
  t.equal((await get('/v6/search/')).status, 400);
  t.equal((await get('/v6/search/?text=')).status, 400);
});

t.test('search: five of each kind are listed, with names that begin with the text first', async (t) => {
  const store = await storeWorld(t);
  const { get } = makeCaller(searchRoutes, { sql: store.db.sql });
  await store.rows(
    `insert into dataset (title, description, definition, created)
     select case when i = 1 then 'sea 9' else 'a sea ' || i end, '', '{}', now() from generate_series(1, 9) i`,
  );
  const { json } = await get('/v6/search/?text=sea');
  t.strictSame(
    json.results.map(({ title }: { title: string }) => title),
    ['sea 9', 'a sea 2', 'a sea 3', 'a sea 4', 'a sea 5'],
  );
});
