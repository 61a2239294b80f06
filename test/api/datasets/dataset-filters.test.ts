import t from 'tap';
import { datasetRoutes } from '../../../src/api/datasets/routes.ts';
import { makeSource } from '../../store/make.ts';
import { storeWorld } from '../../store/store-world.ts';
import { makeCaller } from '../../support/http.ts';

const store = await storeWorld(t);
const caller = makeCaller(datasetRoutes, { sql: store.db.sql });

const ids: number[] = [];
for (const fileName of ['other.txt', 'marked.txt', 'another.txt']) {
  const file = await makeSource(store, { fileName, filePath: `d/${fileName}`, mediaType: 'text/plain' });
  await store.apply({ type: 'createSourceFiles', files: [file] });
  ids.push(file.id);
}
const marked = ids[1] as number;
const [type] = await store.rows(
  `insert into job_type (name, version, title, container_image, created, last_modified)
   values ('marker', '1.0.0', 'Marker', 'process:default', now(), now()) returning id`,
);
const typeId = (type as { id: number }).id;
await store.rows(`update file set created = '2020-01-01Z', last_modified = '2020-01-01Z'`);
await store.rows(
  `update file set created = '2010-01-01Z', last_modified = '2010-01-01Z', data_started = '2010-01-01Z',
     data_ended = '2010-01-02Z', source_started = '2010-01-01Z', source_ended = '2010-01-02Z',
     source_sensor_class = 'class', source_sensor = 'sensor', source_collection = 'collection',
     source_task = 'task', job_output = 'OUT', recipe_node = 'node', job_type_id = $2, recipe_id = 71,
     recipe_type_id = 72, batch_id = 73
   where id = $1`,
  [marked, typeId],
);

const BEFORE = '2005-01-01T00:00:00Z';
const AFTER = '2015-01-01T00:00:00Z';
const FILTERS: readonly Readonly<Record<string, string | number>>[] = [
  { data_started: BEFORE, data_ended: AFTER },
  { created_started: BEFORE, created_ended: AFTER },
  { source_started: BEFORE, source_ended: AFTER },
  { modified_started: BEFORE, modified_ended: AFTER },
  { source_sensor_class: 'class' },
  { source_sensor: 'sensor' },
  { source_collection: 'collection' },
  { source_task: 'task' },
  { job_output: 'OUT' },
  { job_type_id: typeId },
  { job_type_name: 'marker' },
  { recipe_node: 'node' },
  { recipe_id: 71 },
  { recipe_type_id: 72 },
  { batch_id: 73 },
];
const definition = { parameters: { files: [{ name: 'IN' }] } };
const body = { definition, data_template: { files: { IN: 'FILE_VALUE' } } };

for (const filter of FILTERS) {
  const names = Object.keys(filter).join(' and ');

  t.test(`datasets: a template takes the files that ${names} chooses`, async (t) => {
    const checked = await caller.call('POST', '/v6/datasets/validation/', { ...body, ...filter });
    t.match(checked.json, { is_valid: true }, checked.text);

    const made = await caller.call('POST', '/v6/datasets/', { ...body, ...filter });
    t.equal(made.status, 201, made.text);
    t.strictSame(
      made.json.members.map((member: { readonly file_ids: readonly number[] }) => member.file_ids),
      [[marked]],
    );

    const added = await caller.call('POST', `/v6/datasets/${made.json.id}/`, {
      data_template: body.data_template,
      ...filter,
    });
    t.ok(added.status < 300, added.text);
    const members = await caller.get(`/v6/datasets/${made.json.id}/members/`);
    t.strictSame(
      members.json.results.map((member: { readonly file_ids: readonly number[] }) => member.file_ids),
      [[marked], [marked]],
    );
  });
}
