/** What a job tells of its input and of its product, from the file that it writes to the lists that find it. */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { startPair } from '../harness/pair.ts';
import { listed } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { createJobType } from '../harness/work/job-types.ts';

/** Without quotes of its own: it stands in a shell script between single ones. */
const about = (geometry: object, properties: object): string =>
  JSON.stringify({ type: 'Feature', geometry, properties }).replaceAll('"', '\\"');

const PARIS = { type: 'Point', coordinates: [2.35, 48.86] };
const BOX = {
  type: 'Polygon',
  coordinates: [
    [
      [6, 50],
      [7, 50],
      [7, 51],
      [6, 51],
    ],
  ],
};
const SOURCE = {
  ...{ dataStarted: '2025-05-01T10:00:00Z', dataEnded: '2025-05-01T11:00:00Z', dataTypes: ['optical'] },
  ...{ sourceSensor: 'S-1', cloud: 0.3 },
};
const SCRIPT = [
  `echo "${about(PARIS, SOURCE)}" > $OUTPUT_DIR/INPUT.metadata.json`,
  'cp $INPUT $OUTPUT_DIR/part.txt',
  `echo "${about(BOX, { sourceCollection: 'C-1', kind: 'part' })}" > $OUTPUT_DIR/part.txt.metadata.json`,
].join('; ');

interface Details {
  readonly id: number;
  readonly file_type: string;
  readonly file_path: string;
}

t.test('side-cars: a source and its products are found by the metadata that a job reported', async (t) => {
  const { world, client } = await startPair(t);
  const { name: workspace } = await client.post<{ name: string }>('/v6/workspaces/', {
    title: 'Arrivals',
    configuration: { broker: { type: 'host', host_path: world.at.arrivals } },
  });
  await createJobType(client, {
    ...{ name: 'parse', script: SCRIPT, workspace, inputs: [{ name: 'INPUT' }] },
    outputs: [{ name: 'OUT', pattern: 'part.txt', required: true }],
  });
  const job = { node_type: 'job', job_type_name: 'parse', job_type_version: '1.0.0' };
  const input = { INPUT: { type: 'recipe', input: 'FILE' } };
  const recipeType = await client.post<{ name: string }>('/v6/recipe-types/', {
    title: 'Parse',
    definition: {
      input: { files: [{ name: 'FILE' }] },
      nodes: { parse: { dependencies: [], input, node_type: job } },
    },
  });
  await client.post('/v6/strikes/', {
    title: 'Watch',
    configuration: {
      ...{ workspace, monitor: { type: 'dir-watcher', transfer_suffix: '_tmp' } },
      ...{
        files_to_ingest: [{ filename_regex: '.*', data_types: ['raw'] }],
        recipe: { name: recipeType.name },
      },
    },
  });
  writeFileSync(join(world.at.arrivals, 'a.txt_tmp'), 'a');
  renameSync(join(world.at.arrivals, 'a.txt_tmp'), join(world.at.arrivals, 'a.txt'));
  await until(
    'the recipe is complete',
    async () => (await client.count('/v6/recipes/?is_completed=true')) === 1,
  );

  const times = {
    ...{ data_started: '2025-05-01T10:00:00.000Z', data_ended: '2025-05-01T11:00:00.000Z' },
    ...{ source_started: '2025-05-01T10:00:00.000Z', source_ended: '2025-05-01T11:00:00.000Z' },
  };
  const [source] = await listed<Details>(client, '/v6/files/?countries=FRA');
  t.match(await client.get(`/v6/files/${source?.id}/`), {
    ...{ file_name: 'a.txt', file_type: 'SOURCE', is_parsed: true, parsed: /Z$/, ...times },
    ...{ geometry: 'POINT (2.35 48.86)', center_point: 'POINT (2.35 48.86)', countries: ['FRA'] },
    ...{ data_type_tags: ['raw', 'optical'], source_sensor: 'S-1', meta_data: { cloud: 0.3 } },
  });
  const [product] = await listed<Details>(client, '/v6/files/?countries=DEU&source_collection=C-1');
  t.match(await client.get(`/v6/files/${product?.id}/`), {
    ...{ file_name: 'part.txt', file_type: 'PRODUCT', center_point: 'POINT (6.5 50.5)' },
    ...{ source_started: times.source_started, source_ended: times.source_ended, data_started: null },
    ...{ geometry: 'POLYGON ((6 50, 7 50, 7 51, 6 51, 6 50))', source_sensor: 'S-1' },
    meta_data: { kind: 'part', job_name: 'parse', job_version: '1.0.0' },
  });
  const during = 'source_started=2025-05-01T00:00:00Z&source_ended=2025-05-02T00:00:00Z&source_sensor=S-1';
  for (const [list, count] of [
    ['files', 2],
    ['jobs', 1],
    ['recipes', 1],
  ] as const)
    t.equal(await client.count(`/v6/${list}/?${during}`), count, `${list} of the time and sensor`);
  t.equal(
    await client.count('/v6/files/?data_started=2025-05-01T10:00:00Z&data_ended=2025-05-01T12:00:00Z'),
    1,
  );
  const [ingest] = await listed<Record<string, unknown>>(client, '/v6/ingests/');
  t.match(ingest, {
    data_started: times.data_started,
    data_ended: times.data_ended,
    source_file: { is_parsed: true },
  });
  const [status] = await listed<{ files: number; values: { time: string; files: number }[] }>(
    client,
    '/v6/ingests/status/?started=2025-05-01T00:00:00Z&ended=2025-05-02T00:00:00Z',
  );
  t.equal(status?.files, 1);
  t.strictSame(
    status?.values.filter(({ files }) => files > 0).map(({ time }) => time),
    ['2025-05-01T10:00:00.000Z'],
  );
});
