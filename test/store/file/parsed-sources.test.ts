import t from 'tap';
import type { ParsedSource } from '../../../src/domain/file/parsed-source.ts';
import { makeParsed, makeSource, savedJob, savedRecipe } from '../make.ts';
import { NOW, type StoreWorld, storeWorld } from '../store-world.ts';

const world = await storeWorld(t);
const fileRow = (id: number) => world.one<Record<string, unknown>>('select * from file where id = $1', [id]);

async function source(): Promise<number> {
  const file = await makeSource(world);
  await world.apply({ type: 'createSourceFiles', files: [file] });
  return file.id;
}

const parse = (...sources: ParsedSource[]) => world.apply({ type: 'parseSources', sources });

t.test('parseSources: the file gets the reported metadata, and its tags are extended', async (t) => {
  const id = await source();
  await parse(makeParsed(id));
  t.match(await fileRow(id), {
    ...{ is_parsed: true, parsed: NOW + 9, last_modified: NOW + 9 },
    ...{ data_started: NOW - 500, data_ended: NOW - 400, source_started: NOW - 500, source_ended: NOW - 400 },
    ...{ source_sensor: 'A1', source_task: null, meta_data: { a: 1 } },
    ...{ geometry: 'POINT (1 2)', center_point: 'POINT (1 2)', countries: ['FRA'] },
  });
  t.strictSame((await fileRow(id)).data_type_tags, ['t "1"', 'b\\2', 'new']);
});

t.test('parseSources: a repeat changes nothing, and a later report changes what it names', async (t) => {
  const id = await source();
  await parse(makeParsed(id));
  const once = await fileRow(id);
  await parse(makeParsed(id));
  t.strictSame(await fileRow(id), once);
  await parse(
    makeParsed(id, { dataStartedMs: null, dataEndedMs: null, sensor: null, footprint: null, tags: [] }),
  );
  t.match(await fileRow(id), {
    ...{
      data_started: null,
      source_ended: null,
      source_sensor: 'A1',
      geometry: 'POINT (1 2)',
      countries: ['FRA'],
    },
  });
});

t.test('parseSources: two reports of one file in one group add up', async (t) => {
  const id = await source();
  await world.applyAll(
    [{ type: 'parseSources', sources: [makeParsed(id, { tags: ['x'], sensor: 'first' })] }],
    [{ type: 'parseSources', sources: [makeParsed(id, { tags: ['y'], sensor: null, metadata: { b: 2 } })] }],
  );
  t.match(await fileRow(id), { source_sensor: 'first', meta_data: { b: 2 } });
  t.match((await fileRow(id)).data_type_tags, ['t "1"', 'b\\2', 'x', 'y']);
});

t.test('parseSources: products and deleted files are left alone', async (t) => {
  const id = await source();
  await world.rows(`update file set file_type = 'PRODUCT' where id = $1`, [id]);
  await parse(makeParsed(id), makeParsed(999_999));
  t.match(await fileRow(id), { is_parsed: false, data_started: null });
});

t.test('parseSources: the ingests of the file get its data times, and count in their hour', async (t) => {
  const id = await source();
  const strikeId = await savedStrike(world);
  const ingest = await world.one<{ id: number }>(
    `insert into ingest (strike_id, file_name, status, workspace_id, file_path, file_size, media_type,
       ingest_ended, source_file_id, created, last_modified)
     values ($1, 'a', 'INGESTED', $2, 'a', 7, 'text/plain', now(), $3, now() - interval '9 years',
       now() - interval '9 years') returning id`,
    [strikeId, world.ids.in, id],
  );
  await parse(makeParsed(id));
  t.match(await world.one('select * from ingest where id = $1', [ingest.id]), {
    ...{ data_started: NOW - 500, data_ended: NOW - 400, last_modified: NOW + 9 },
  });
  const byHour = async () =>
    (
      await world.rows<{ hour: number; files: number; size: number }>(
        `select hour, sum(n) as files, sum(total) as size from hour_total_delta
         where kind = 'ingests' and measure = 'by_data_time' and subject_id = $1
         group by 1 having sum(n) <> 0 order by 1`,
        [strikeId],
      )
    ).map((row) => ({ ...row }));
  const hourOf = (ms: number) => ms - (ms % 3_600_000);
  t.strictSame(await byHour(), [{ hour: hourOf(NOW - 500), files: 1, size: 7 }]);
  const later = NOW + 7_200_000;
  await parse(makeParsed(id, { dataStartedMs: later, dataEndedMs: later }));
  t.strictSame(await byHour(), [{ hour: hourOf(later), files: 1, size: 7 }]);
  await parse(makeParsed(id, { dataStartedMs: null, dataEndedMs: null }));
  t.strictSame(await byHour(), []);
  const other = await world.rows(
    `select measure from hour_total_delta where kind = 'ingests' and subject_id = $1
     group by measure, hour having sum(n) <> 0`,
    [strikeId],
  );
  t.strictSame(other, [], 'no other counter moved');
});

t.test('parseSources: the reporting job and its recipes get the source of their data', async (t) => {
  const [id, other] = [await source(), await source()];
  await parse(makeParsed(other, { dataStartedMs: NOW - 900, dataEndedMs: NOW - 450, sensor: 'B2' }));
  const recipe = await savedRecipe(world, { input: null });
  const outer = await savedRecipe(world);
  const job = await savedJob(world, { recipeId: recipe.id, recipeIds: [recipe.id, outer.id] });
  await world.rows(`insert into job_input_file (job_id, input, file_id) values ($1, 'IN', $2)`, [job.id, id]);
  await world.rows(
    `insert into recipe_input_file (recipe_id, input, file_id) values ($1, 'IN', $2), ($1, 'MORE', $3)`,
    [recipe.id, id, other],
  );
  const times = (table: string, rowId: number) =>
    world.one(`select source_started, source_ended, source_sensor from ${table} where id = $1`, [rowId]);
  const before = await times('recipe', outer.id);
  await parse(makeParsed(id, { jobId: job.id, recipeIds: [recipe.id, outer.id] }));
  t.strictSame(
    { ...(await times('job', job.id)) },
    {
      ...{ source_started: NOW - 500, source_ended: NOW - 400, source_sensor: 'A1' },
    },
  );
  t.strictSame(
    { ...(await times('recipe', recipe.id)) },
    {
      ...{ source_started: NOW - 900, source_ended: NOW - 400, source_sensor: 'B2' },
    },
  );
  t.strictSame(await times('recipe', outer.id), before, 'its input is another');
});

async function savedStrike({ newId, ids, rows }: StoreWorld): Promise<number> {
  const strikeId = await newId('strike');
  const job = await savedJob(world);
  await rows(
    `insert into strike (id, shard, name, title, configuration, workspace_id, job_id, created, last_modified)
     values ($1, 1, 's', 'S', '{}', $2, $3, now(), now())`,
    [strikeId, ids.in, job.id],
  );
  return strikeId;
}
