/** Labels of workspaces, strikes, scans, job types and recipe types: created, edited, shown, and found by. */
import t, { type Test } from 'tap';
import type { Answer } from '../../support/http.ts';
import { platformWorld } from '../../support/worlds/platform-world.ts';
import { jobTypeBody, oneNodeDefinition, processingWorld } from '../../support/worlds/processing-world.ts';

interface Kind {
  readonly collection: string;
  readonly body: object;
  readonly pathOf: (record: { id: number; name: string; version: string }) => string;
}

interface Calls {
  get(target: string): Promise<Answer>;
  post(target: string, body: unknown): Promise<Answer>;
  patch(target: string, body: unknown): Promise<Answer>;
}

const RULES = [{ filename_regex: '.*' }];
const byId = ({ id }: { id: number }) => `${id}/`;

const PLATFORM: readonly Kind[] = [
  {
    collection: '/v6/workspaces/',
    body: { title: 'W', configuration: { broker: { type: 'host', host_path: '/srv/files' } } },
    pathOf: byId,
  },
  {
    collection: '/v6/strikes/',
    body: {
      title: 'S',
      configuration: {
        ...{ workspace: 'in', files_to_ingest: RULES, recipe: { name: 'takes-file' } },
        monitor: { type: 'dir-watcher', transfer_suffix: '_part' },
      },
    },
    pathOf: byId,
  },
  {
    collection: '/v6/scans/',
    body: {
      title: 'S',
      configuration: { workspace: 'in', files_to_ingest: RULES, scanner: { type: 'dir' } },
    },
    pathOf: byId,
  },
];

async function holds(t: Test, calls: Calls, { collection, body, pathOf }: Kind): Promise<void> {
  const labels = { team: 'maps', 'example.org/stage': 'prod: 1' };
  const made = await calls.post(collection, { ...body, labels });
  t.equal(made.status, 201, made.text);
  t.strictSame(made.json.labels, labels);
  const path = `${collection}${pathOf(made.json)}`;
  const shown = async () => (await calls.get(path)).json.labels;
  t.strictSame(await shown(), labels);
  const before = (await calls.get(path)).json;

  const ids = async (query: string) => {
    const { status, json, text } = await calls.get(`${collection}?${query}`);
    t.equal(status, 200, text);
    return json.results.map((one: { id: number }) => one.id);
  };
  const found = [made.json.id];
  const rows: readonly (readonly [string, readonly number[]])[] = [
    ['label=team:maps', found],
    ['label=team', found],
    ['label=team:roads', []],
    ['label=team:roads&label=team:maps', found],
    ['label=team:maps&label=other', []],
    ['label=team:maps&label=example.org/stage:prod:%201', found],
    ['label=Team', []],
    ['label=team:', []],
  ];
  for (const [query, expected] of rows) t.strictSame(await ids(query), expected, `${collection}?${query}`);
  t.match(await calls.get(`${collection}?label=:maps`), {
    status: 400,
    json: { errors: [{ path: 'label', description: /^must be 'key:value' or 'key'; its key is no label/ }] },
  });
  t.match(await calls.get(`${collection}?label=team=maps`), {
    status: 400,
    json: { errors: [{ path: 'label', description: /; did you mean 'team:maps'\?$/ }] },
  });

  await calls.patch(path, collection.includes('job-types') ? { is_paused: true } : { title: 'Other' });
  t.strictSame(await shown(), labels, 'stay where they are not given');
  const edited = await calls.patch(path, { labels: { team: '' } });
  t.equal(edited.status, 204, edited.text);
  t.strictSame(await shown(), { team: '' }, 'an edit replaces all');
  t.strictSame(await ids('label=team:'), found);
  t.strictSame((await calls.get(`${collection}?label=team`)).json.results[0].labels, { team: '' });
  t.strictSame((await calls.patch(path, { labels: {} })).status, 204);
  t.strictSame(await shown(), {});
  if ('revision_num' in before) t.equal((await calls.get(path)).json.revision_num, before.revision_num);

  const labelsOf = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`${at}`.padStart(63, 'k'), 'x'.repeat(200)]),
    );
  const most = labelsOf(64);
  t.equal((await calls.patch(path, { labels: most })).status, 204, 'as many and as long as they may be');
  t.strictSame(await shown(), most);
  t.strictSame((await calls.patch(path, { labels: {} })).status, 204);
  const many = labelsOf(65);
  const wrong: readonly (readonly [unknown, string])[] = [
    [[], 'labels'],
    [{ 'a:b': 'x' }, 'labels.a:b'],
    [{ '-a': 'x' }, 'labels.-a'],
    [{ '': 'x' }, 'labels.'],
    [{ [`a${'b'.repeat(63)}`]: 'x' }, `labels.a${'b'.repeat(63)}`],
    [{ a: 'x'.repeat(201) }, 'labels.a'],
    [{ a: 'x\n' }, 'labels.a'],
    [{ a: 5 }, 'labels.a'],
    [{ a: null }, 'labels.a'],
    [many, 'labels'],
  ];
  for (const [labels, where] of wrong) {
    for (const refused of [
      await calls.patch(path, { labels }),
      await calls.post(collection, { ...body, labels }),
    ]) {
      t.match(refused, { status: 400, json: { errors: [{ path: where }] } }, where);
    }
    const checked = await calls.post(`${collection}validation/`, { ...body, labels });
    t.match(checked.json, { is_valid: false, errors: [{ path: where }] }, where);
  }
  t.match((await calls.post(`${collection}validation/`, { ...body, labels })).json, { errors: [] });
}

for (const kind of PLATFORM) {
  t.test(`labels: ${kind.collection} stores, filters and checks them`, async (t) => {
    const world = await platformWorld(t);
    await world.recipeType('takes-file', [{ name: 'F', media_types: [], required: true, multiple: false }]);
    await holds(t, world, kind);
  });
}

t.test('labels: /v6/job-types/ and /v6/recipe-types/ store, filter and check them', async (t) => {
  const world = await processingWorld(t);
  await holds(t, world, {
    collection: '/v6/job-types/',
    body: jobTypeBody(),
    pathOf: ({ name, version }) => `${name}/${version}/`,
  });
  await holds(t, world, {
    collection: '/v6/recipe-types/',
    body: { title: 'R', definition: oneNodeDefinition() },
    pathOf: ({ name }) => `${name}/`,
  });
  const names = async (query: string) => (await world.get(`/v6/job-type-names/?${query}`)).json.count;
  t.equal(await names('label=nobody'), 0);
  t.ok((await names('')) > 0);
});

t.test('labels: a change of labels is a change of the object', async (t) => {
  const world = await platformWorld(t);
  const { store } = world;
  const version = async () =>
    (
      await store.rows<{ version: number }>(`select object_version as version from workspace where id = $1`, [
        store.ids.in,
      ])
    )[0]?.version;
  const path = `/v6/workspaces/${store.ids.in}/`;
  const before = Number(await version());
  await world.patch(path, { labels: { a: 'b' } });
  t.equal(Number(await version()), before + 1);
  await world.patch(path, { labels: { a: 'b' } });
  t.equal(Number(await version()), before + 1);
});
