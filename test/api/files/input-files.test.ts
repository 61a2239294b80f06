import t from 'tap';
import { inputFileRoutes } from '../../../src/api/files/input-files.ts';
import { makeInput, makeSource, savedJob, savedRecipe } from '../../store/make.ts';
import { type StoreWorld, storeWorld } from '../../store/store-world.ts';
import { type Caller, makeCaller } from '../../support/http.ts';

interface World extends Caller {
  readonly store: StoreWorld;
  /** Targets of the job's and the recipe's list. */
  readonly targets: readonly (readonly [owner: string, target: string])[];
  readonly fileIds: readonly number[];
}

const at = (second: number) => Date.UTC(2026, 0, 1, 0, 0, second);
const iso = (second: number) => encodeURIComponent(new Date(at(second)).toISOString());

/** A job and a recipe that took the same three files: `a.txt` and `b.txt` for IN, `b.txt` and `c.txt` for MORE. */
async function inputsWorld(t: { teardown(handler: () => Promise<void>): void }): Promise<World> {
  const store = await storeWorld(t);
  const caller = makeCaller(inputFileRoutes, { sql: store.db.sql });
  const fileIds: number[] = [];
  for (const [index, fileName] of ['a.txt', 'b.txt', 'c.txt', 'other.txt'].entries()) {
    const file = await makeSource(store, { fileName });
    await store.apply({ type: 'createSourceFiles', files: [file] });
    await store.rows(
      `update file set last_modified = to_timestamp($2 / 1000.0), data_started = to_timestamp($3 / 1000.0),
         data_ended = to_timestamp($4 / 1000.0), source_started = to_timestamp($5 / 1000.0),
         source_ended = to_timestamp($6 / 1000.0) where id = $1`,
      [file.id, ...[10, 20, 22, 30, 32].map((second) => at(second + index * 5))],
    );
    fileIds.push(file.id);
  }
  const [a = 0, b = 0, c = 0] = fileIds;
  const input = makeInput({ IN: [a, b], MORE: [b, c] });
  const job = await savedJob(store, { input });
  const recipe = await savedRecipe(store, { input });
  return {
    ...caller,
    store,
    fileIds,
    targets: [
      ['job', `/v6/jobs/${job.id}/input_files/`],
      ['recipe', `/v6/recipes/${recipe.id}/input_files/`],
    ],
  };
}

t.test('input files: each is listed once, as a stored file, by last_modified, in pages', async (t) => {
  const world = await inputsWorld(t);
  for (const [owner, target] of world.targets) {
    const { status, json } = await world.get(target);
    t.equal(status, 200, owner);
    t.match(json, { count: 3, next: null, previous: null });
    t.strictSame(
      json.results.map((one: { id: number }) => one.id),
      world.fileIds.slice(0, 3),
    );
    t.match(json.results[0], {
      file_name: 'a.txt',
      file_type: 'SOURCE',
      workspace: { name: 'in' },
      url: `http://localhost:8080/v6/files/${world.fileIds[0]}/content/`,
    });
    const second = await world.get(`${target}?page_size=1&page=2`);
    t.match(second.json, { count: 3, results: [{ file_name: 'b.txt' }] });
    t.match(second.json.next, /page=3/);
  }
});

/** The same query of a recipe's list. */
function queryOf(owner: string, query: string): string {
  return owner === 'job' ? query : query.replaceAll('job_input=', 'recipe_input=');
}

t.test('input files: every filter selects', async (t) => {
  const world = await inputsWorld(t);
  const CASES = [
    ['job_input=IN', 'ab'],
    ['job_input=MORE', 'bc'],
    ['job_input=MORE&job_input=IN', 'abc'],
    ['job_input=NONE', ''],
    ['file_name=a.txt&file_name=c.txt', 'ac'],
    ['file_name=a', ''],
    [`started=${iso(15)}`, 'bc'],
    [`ended=${iso(15)}`, 'ab'],
    [`started=${iso(11)}&ended=${iso(19)}&time_field=last_modified`, 'b'],
    [`started=${iso(25)}&time_field=data`, 'bc'],
    [`ended=${iso(26)}&time_field=data`, 'a'],
    [`ended=${iso(27)}&time_field=data`, 'ab'],
    [`started=${iso(35)}&ended=${iso(37)}&time_field=source`, 'b'],
    [`started=${iso(35)}&job_input=IN&file_name=b.txt&time_field=source`, 'b'],
  ] as const;
  for (const [owner, target] of world.targets) {
    for (const [query, wanted] of CASES) {
      const { json, text } = await world.get(`${target}?${queryOf(owner, query)}`);
      const found = json.results?.map((one: { file_name: string }) => one.file_name[0]).join('');
      t.equal(found, wanted, `${owner} ${query} ${json.results === undefined ? text : ''}`);
    }
  }
});

t.test('input files: an unknown job or recipe is 404, and a wrong query 400', async (t) => {
  const world = await inputsWorld(t);
  for (const list of ['jobs', 'recipes']) {
    t.equal((await world.get(`/v6/${list}/999999/input_files/`)).status, 404, list);
    t.equal((await world.get(`/v6/${list}/abc/input_files/`)).status, 404, list);
  }
  for (const [owner, target] of world.targets) {
    for (const [query, path] of [
      ['time_field=created', 'time_field'],
      ['started=never', 'started'],
      ['ended=x', 'ended'],
      ['started=PT1H&ended=PT2H', 'started'],
      ['page=0', 'page'],
      ['page_size=0', 'page_size'],
    ] as const) {
      const { status, json } = await world.get(`${target}?${query}`);
      t.equal(status, 400, `${owner} ${query}`);
      t.equal(json.errors[0].path, path, query);
    }
  }
});
