import t from 'tap';
import { datasetRoutes } from '../../../src/api/datasets/routes.ts';
import { makeSource } from '../../store/make.ts';
import { storeWorld } from '../../store/store-world.ts';
import { makeCaller } from '../../support/http.ts';

const store = await storeWorld(t);
const caller = makeCaller(datasetRoutes, { sql: store.db.sql });
const { get } = caller;
const post = (target: string, body: unknown) => caller.call('POST', target, body);

async function newFile(fileName: string, mediaType = 'text/plain'): Promise<number> {
  const file = await makeSource(store, { fileName, filePath: `d/${fileName}`, mediaType });
  await store.apply({ type: 'createSourceFiles', files: [file] });
  return file.id;
}

const [a, b, csv, gone] = [
  await newFile('a.txt'),
  await newFile('b.txt'),
  await newFile('c.csv', 'text/csv'),
  await newFile('gone.txt'),
];
await store.rows('update file set is_deleted = true where id = $1', [gone]);

const definition = {
  global_parameters: { files: [], json: [{ name: 'LEVEL', type: 'integer' }] },
  global_data: { files: {}, json: { LEVEL: 3, OTHER: 1 } },
  parameters: {
    files: [{ name: 'IN', multiple: true }],
    json: [{ name: 'NOTE', type: 'string', required: false }],
  },
};
const member = (...ids: unknown[]) => ({ files: { IN: ids }, json: { NOTE: 'x', EXTRA: 1 } });
const template = { files: { IN: 'FILE_VALUE' }, json: { NOTE: 'all' } };
/** One byte more, with its quotes and name, than the JSON values of a member may have. */
const big = 'x'.repeat(1_048_565 + 1);
const countOf = async () => (await get('/v6/datasets/')).json.count;

t.test('datasets: POST creates a dataset with its members, and shows it', async (t) => {
  const made = await post('/v6/datasets/', {
    title: 'Twos',
    description: 'pairs of files',
    definition: { version: '7', ...definition },
    data: [member(a, b), member(b)],
  });
  t.equal(made.status, 201, made.text);
  const { id } = made.json;
  t.equal(made.headers.get('location'), `http://localhost:8080/v6/datasets/${id}/`);
  t.match(made.json, { title: 'Twos', description: 'pairs of files' });
  t.strictSame(
    made.json.definition.global_data,
    { files: {}, json: { LEVEL: 3 } },
    'what nothing takes is dropped',
  );
  t.notOk('version' in made.json.definition);
  t.match(made.json.members, [
    { data: { files: { IN: [a, b] }, json: { NOTE: 'x' } }, file_ids: [a, b] },
    { data: { files: { IN: [b] } }, file_ids: [b] },
  ]);
  t.notOk('EXTRA' in made.json.members[0].data.json);
  t.match(made.json.files, [
    { parameter_name: 'IN', scale_file: { id: a, file_name: 'a.txt', countries: [] } },
    { parameter_name: 'IN', scale_file: { id: b, file_name: 'b.txt' } },
  ]);
  t.equal(made.json.files.length, 2, 'a file is there once');
  t.strictSame((await get(`/v6/datasets/${id}/`)).json, made.json);

  const members = await get(`/v6/datasets/${id}/members/?page_size=1`);
  t.match(members.json, { count: 2, results: [made.json.members[0]] });
  const named = members.json.results[0].first_files.map((one: { file_name: string }) => one.file_name);
  t.strictSame(named, ['a.txt', 'b.txt']);
  const shown = await get(`/v6/datasets/members/${made.json.members[1].id}/`);
  t.match(shown.json, {
    ...made.json.members[1],
    dataset: { id },
    files: [
      { parameter_name: 'IN', scale_file: { id: b, url: `http://localhost:8080/v6/files/${b}/content/` } },
    ],
  });
  t.equal(shown.json.files.length, 1);
});

t.test('datasets: members, title and description are optional', async (t) => {
  const made = await post('/v6/datasets/', { definition: {} });
  t.equal(made.status, 201, made.text);
  t.match(made.json, {
    ...{ title: '', description: '', members: [], files: [] },
    definition: { parameters: { files: [], json: [] }, global_data: { files: {}, json: {} } },
  });
});

t.test('datasets: a template adds one member for each stored file that matches', async (t) => {
  const create = (filters: object) =>
    post('/v6/datasets/', { definition, data_template: template, ...filters });
  const filesOf = (answer: { json: { members: { file_ids: number[] }[] } }) =>
    answer.json.members.flatMap((one) => one.file_ids);
  t.strictSame(filesOf(await create({})), [a, b, csv], 'deleted files are left out');
  t.strictSame(filesOf(await create({ media_type: 'text/csv' })), [csv]);
  t.strictSame(filesOf(await create({ file_name: ['a.txt', 'b.txt'], order: '-file_name' })), [b, a]);
  t.strictSame(filesOf(await create({ file_name_search: 'B.T' })), [b]);
  t.strictSame(filesOf(await create({ file_type: ['SOURCE'], created_started: '2026-01-01T00:00:00Z' })), [
    a,
    b,
    csv,
  ]);
  const largest = { files: { IN: 'FILE_VALUE' }, json: { NOTE: big.slice(1) } };
  t.strictSame(filesOf(await create({ data_template: largest })), [a, b, csv], 'as large as members may be');
  const mixed = await create({ file_name: 'a.txt', data_template: { files: { IN: ['FILE_VALUE', csv] } } });
  t.strictSame(filesOf(mixed), [a, csv]);
  const preferred = await create({ data: member(b) });
  t.strictSame(filesOf(preferred), [b], 'data goes before the template, and may be a single document');
});

t.test('datasets: a dry run, and a template without matches, store nothing', async (t) => {
  const before = await countOf();
  const dry = await post('/v6/datasets/', {
    definition,
    data_template: template,
    file_name: 'a.txt',
    dry_run: true,
  });
  t.equal(dry.status, 200, dry.text);
  t.strictSame(dry.json, [{ files: { IN: [a] }, json: { NOTE: 'all' } }]);
  for (const source of [
    { data: [] },
    { data_template: template, file_name: 'nothing' },
    { data_template: template, file_type: 'PRODUCT' },
  ]) {
    const none = await post('/v6/datasets/', { definition, ...source });
    t.equal(none.status, 200, none.text);
    t.type(none.json['No Results'], 'string');
  }
  t.equal(await countOf(), before);
});

t.test('datasets: members can be added later, even with shared files', async (t) => {
  const { json } = await post('/v6/datasets/', { definition, data: member(a) });
  const added = await post(`/v6/datasets/${json.id}/`, { data: [member(a, b), member(b)] });
  t.equal(added.status, 201, added.text);
  t.match(added.json, [{ file_ids: [a, b] }, { file_ids: [b] }]);
  const shown = (await get(`/v6/datasets/${json.id}/`)).json;
  t.equal(shown.members.length, 3);
  t.strictSame(
    shown.files.map((link: { scale_file: { id: number } }) => link.scale_file.id),
    [a, b],
  );
  t.strictSame((await post(`/v6/datasets/${json.id}/`, { data: member(csv), dry_run: true })).json, [
    { files: { IN: [csv] }, json: { NOTE: 'x' } },
  ]);
  t.ok((await post(`/v6/datasets/${json.id}/`, { data: [] })).json['No Results']);
  const nothing = await post(`/v6/datasets/${json.id}/`, {});
  t.equal(nothing.status, 400);
  t.match(nothing.json.errors, [{ name: 'MISSING_FIELD', path: 'data' }]);
  const half = await post(`/v6/datasets/${json.id}/`, { data: [member(b), member(999_999)] });
  t.equal(half.status, 400);
  t.equal((await get(`/v6/datasets/${json.id}/members/`)).json.count, 3, 'a refusal adds nothing');
});

t.test('datasets: a refusal names the place, and nothing is stored', async (t) => {
  const before = await countOf();
  const json = (...names: string[]) => ({ json: names.map((name) => ({ name, type: 'string' })) });
  const bodyWith = (over: object) => ({ definition: { ...definition, ...over } });
  const refusals: [body: Record<string, unknown>, name: string, path: string][] = [
    [{}, 'MISSING_FIELD', 'definition'],
    [{ definition: [] }, 'WRONG_TYPE', 'definition'],
    [{ definition, title: 'x'.repeat(51) }, 'TOO_LONG', 'title'],
    [{ definition, title: 1 }, 'WRONG_TYPE', 'title'],
    [{ definition, description: {} }, 'WRONG_TYPE', 'description'],
    [bodyWith({ other: 1 }), 'INVALID_DATASET_DEFINITION', 'definition.other'],
    [bodyWith({ version: '5' }), 'INVALID_VERSION', 'definition.version'],
    [bodyWith({ parameters: 1 }), 'INVALID_DATASET_DEFINITION', 'definition.parameters'],
    [
      bodyWith({ parameters: { files: [{ name: '1' }] } }),
      'INVALID_DATASET_DEFINITION',
      'definition.parameters.files[0].name',
    ],
    [bodyWith({ parameters: json('A', 'A') }), 'DUPLICATE_PARAMETER', 'definition.parameters.json[1].name'],
    [bodyWith({ parameters: json('LEVEL') }), 'NAME_COLLISION_ERROR', 'definition.parameters.LEVEL'],
    [bodyWith({ global_data: null }), 'MISSING_GLOBAL_DATA', 'definition.global_data'],
    [bodyWith({ global_data: {} }), 'INVALID_GLOBAL_DATA', 'definition.global_data.json.LEVEL'],
    [
      bodyWith({ global_data: { json: { LEVEL: '3' } } }),
      'INVALID_GLOBAL_DATA',
      'definition.global_data.json.LEVEL',
    ],
    [
      {
        definition: {
          global_parameters: { files: [{ name: 'G' }] },
          global_data: { files: { G: [999_999] } },
        },
      },
      'UNKNOWN_FILE',
      'definition.global_data.files.G[0]',
    ],
    [{ definition, data: 7 }, 'INVALID_DATA', 'data'],
    [{ definition, data: [member(a), {}] }, 'PARAM_REQUIRED', 'data[1].files.IN'],
    [{ definition, data: [member('a')] }, 'INVALID_DATA', 'data[0].files.IN[0]'],
    [{ definition, data: [member(999_999)] }, 'UNKNOWN_FILE', 'data[0].files.IN[0]'],
    [{ definition, data: [member(a), member(b, gone)] }, 'DELETED_FILE', 'data[1].files.IN[1]'],
    [{ definition, data_template: {} }, 'INVALID_TEMPLATE', 'data_template'],
    [{ definition, data_template: 'x' }, 'INVALID_TEMPLATE', 'data_template'],
    [{ definition, data_template: { files: { IN: [a] } } }, 'INVALID_TEMPLATE', 'data_template.files'],
    [{ definition, data_template: { files: { IN: 'OTHER' } } }, 'INVALID_TEMPLATE', 'data_template.files.IN'],
    [{ definition, data_template: template, file_type: 'OTHER' }, 'NOT_ALLOWED', 'file_type'],
    [{ definition, data_template: template, order: 'size' }, 'NOT_ALLOWED', 'order'],
    [{ definition, data_template: template, data_started: 'soon' }, 'NOT_A_TIME', 'data_started'],
    [
      { definition, data_template: template, created_started: '2027-01-01T00:00:00Z' },
      'REVERSED_RANGE',
      'created_started',
    ],
    [{ definition, data: [{ files: { IN: [a] }, json: { NOTE: big } }] }, 'INVALID_DATA', 'data[0].json'],
    [
      // Ignored by the parameters, and by the members that would be made: their number times their size is refused.
      { definition, data_template: { ...template, json: { EXTRA: 'x'.repeat(5_300_000) } } },
      'TOO_MANY_MEMBERS',
      'data_template',
    ],
    [{ definition, dry_run: 'yes' }, 'WRONG_TYPE', 'dry_run'],
  ];
  for (const [body, name, path] of refusals) {
    const answer = await post('/v6/datasets/', body);
    t.equal(answer.status, 400, `${path}: ${answer.text}`);
    t.ok(
      answer.json.errors.some(
        (one: { name: string; path: string }) => one.name === name && one.path === path,
      ),
      `${name} at ${path}: ${answer.text}`,
    );
  }
  t.equal((await post('/v6/datasets/', { definition, job_id: 'x' })).status, 400);
  t.equal(await countOf(), before);
  for (const target of [
    '/v6/datasets/999999/',
    '/v6/datasets/members/999999/',
    '/v6/datasets/999999/members/',
  ]) {
    t.equal((await get(target)).status, 404, target);
  }
  t.equal((await post('/v6/datasets/999999/', { data: member(a) })).status, 404);
});

t.test('datasets: validation gives the answer of the create', async (t) => {
  const check = async (body: object) => (await post('/v6/datasets/validation/', body)).json;
  t.strictSame(await check({ definition }), { is_valid: true, errors: [], warnings: [] });
  t.match(await check({}), { is_valid: false, errors: [{ name: 'MISSING_FIELD', path: 'definition' }] });
  t.match(await check({ definition, data: [member(999_999)] }), {
    is_valid: false,
    errors: [{ name: 'UNKNOWN_FILE', path: 'data[0].files.IN[0]' }],
  });
  t.match(await check({ definition, data_template: {} }), { errors: [{ name: 'INVALID_TEMPLATE' }] });
  const wrong = await check({ title: 5, definition: { global_parameters: definition.global_parameters } });
  t.strictSame(
    wrong.errors.map((one: { name: string }) => one.name),
    ['WRONG_TYPE', 'MISSING_GLOBAL_DATA'],
  );
});

t.test('datasets: the list is sorted by the number of files, which follows changes', async (t) => {
  const make = async (title: string, ...data: object[]): Promise<number> =>
    (await post('/v6/datasets/', { title, definition, ...(data.length > 0 && { data }) })).json.id;
  const [none, two, one] = [
    await make('Sorted'),
    await make('Sorted', member(a, b)),
    await make('Sorted', member(a)),
  ];
  const listed = async (order: string) => {
    const { json } = await get(`/v6/datasets/?keyword=sorted&order=${order}`);
    return json.results.map((row: { id: number; files: number }) => [row.id, row.files]);
  };
  t.strictSame(await listed('files'), [
    [none, 0],
    [one, 1],
    [two, 2],
  ]);
  await post(`/v6/datasets/${one}/`, { data: [member(a), member(b), member(b, csv)] });
  t.strictSame(
    await listed('-files'),
    [
      [one, 3],
      [two, 2],
      [none, 0],
    ],
    'a file counts once',
  );
  await store.rows('delete from dataset_file where file_id = any($1)', [[a, csv]]);
  t.strictSame(
    await listed('-files'),
    [
      [one, 1],
      [two, 1],
      [none, 0],
    ],
    'ties go by id, the same way',
  );
  const both = [
    post(`/v6/datasets/${none}/`, { data: member(a, b) }),
    post(`/v6/datasets/${none}/`, { data: member(b, csv) }),
  ];
  for (const { status } of await Promise.all(both)) t.equal(status, 201);
  t.strictSame((await listed('-files'))[0], [none, 3], 'two at once');
});

t.test('datasets: the list is filtered, ordered, and counts files', async (t) => {
  const { json } = await post('/v6/datasets/', { title: 'Needle 50%', definition, data: member(a, b) });
  const list = async (query: string) => (await get(`/v6/datasets/?${query}`)).json;
  t.match(await list('keyword=needle'), {
    count: 1,
    results: [{ id: json.id, files: 2, title: 'Needle 50%' }],
  });
  t.match(await list('keyword=0%25'), { count: 1 });
  t.match(await list('keyword=nothing&keyword=PAIRS'), { count: 1, results: [{ title: 'Twos' }] });
  t.match(await list(`dataset_id=${json.id}`), { count: 1, results: [{ id: json.id }] });
  t.match(await list(`id=${json.id}`), { count: 1, results: [{ id: json.id }] });
  t.match(await list('dataset_id=999999'), { count: 0, results: [] });
  t.match(await list('started=2100-01-01T00:00:00Z&ended=2100-01-02T00:00:00Z'), { count: 0 });
  const ids = (await list('order=-id')).results.map((one: { id: number }) => one.id);
  t.strictSame(
    ids,
    [...ids].sort((x: number, y: number) => y - x),
  );
  t.equal((await list('order=-title')).results.length, ids.length);
  for (const query of ['order=size', 'dataset_id=x', 'started=soon', 'page=0']) {
    t.equal((await get(`/v6/datasets/?${query}`)).status, 400, query);
  }
});
