/** A coordinator is killed after it has hidden records, and before it has removed them: another one removes them. */
import { join } from 'node:path';
import pg from 'pg';
import t from 'tap';
import { until } from '../harness/until.ts';
import { createJobType } from '../harness/work/job-types.ts';
import { deletionWorld, isGone } from './deletion-world.ts';

const JOB = { node_type: 'job', job_type_name: 'kept', job_type_version: '1.0.0' };
const definition = {
  input: { files: [{ name: 'FILE' }] },
  nodes: { only: { dependencies: [], input: {}, node_type: JOB } },
};
/** Tables whose rows are removed with records, and that nothing else writes meanwhile. */
const REMOVED_FROM =
  'client_spelling, dataset_file, batch_count, job_type_former_configuration, recipe_type_rev';

t.test('deletion: records that a killed coordinator has hidden are removed', async (t) => {
  const world = await deletionWorld(t);
  const { first, second, database, firstProgram } = world;
  const { client } = first;
  const make = async (path: string, body: object) => (await client.post<{ id: number }>(path, body)).id;
  const placed = (title: string, name: string) => ({
    title,
    configuration: { broker: { type: 'host', host_path: join(world.world.folder, name) } },
  });
  await make('/v6/workspaces/', placed('Kept', 'kept'));
  await createJobType(client, { name: 'kept', script: 'true' });
  await make('/v6/recipe-types/', { title: 'Kept', name: 'kept', definition });
  const rules = [{ filename_regex: '.*', data_types: [] }];
  const finder = { workspace: 'kept', files_to_ingest: rules, recipe: { name: 'kept' } };
  const strikeBody = {
    title: 'Watch',
    configuration: { ...finder, monitor: { type: 'dir-watcher', transfer_suffix: '_tmp' } },
  };
  const strike = await make('/v6/strikes/', strikeBody);
  await client.patch(`/v6/strikes/${strike}/`, { is_paused: true });
  const jobTypeId = await createJobType(client, { name: 'gone', script: 'true' });
  const places: Readonly<Record<string, readonly [path: string, id: number]>> = {
    workspace: ['/v6/workspaces/', await make('/v6/workspaces/', placed('Gone', 'gone'))],
    strike: ['/v6/strikes/', strike],
    scan: [
      '/v6/scans/',
      await make('/v6/scans/', { title: 'Look', configuration: { ...finder, scanner: { type: 'dir' } } }),
    ],
    dataset: [
      '/v6/datasets/',
      await make('/v6/datasets/', {
        definition: { parameters: { json: [{ name: 'N', type: 'integer' }] } },
        data: [{ files: {}, json: { N: 1 } }],
      }),
    ],
    job_type: ['/v6/job-types/', jobTypeId],
    recipe_type: [
      '/v6/recipe-types/',
      await make('/v6/recipe-types/', { title: 'Gone', name: 'gone', definition }),
    ],
  };
  const pathOf = ([path, id]: readonly [string, number]) => {
    if (path === '/v6/job-types/') return `${path}gone/1.0.0/`;
    return path === '/v6/recipe-types/' ? `${path}gone/` : `${path}${id}/`;
  };

  const holder = new pg.Client({ connectionString: database });
  await holder.connect();
  t.teardown(() => holder.end());
  await holder.query('begin');
  await holder.query(`lock table ${REMOVED_FROM} in share mode`);
  const answered: string[] = [];
  const calls = Object.values(places).map(async (place) => {
    const answer = await first.call('DELETE', pathOf(place));
    answered.push(`${pathOf(place)}: ${answer.status} ${JSON.stringify(answer.body)}`);
  });
  const ended = Promise.allSettled(calls);
  const count = async (text: string): Promise<number> =>
    (await holder.query(`select ${text} as n`)).rows[0].n;
  const kinds = Object.keys(places);
  const hidden = kinds.map((kind) => `(select count(*) from ${kind} where deleted is not null)`).join(' + ');
  await until('each record is hidden, and its removal waits', async () => {
    const waiting = await count(
      `(select count(distinct pid)::int from pg_locks where not granted and locktype = 'relation')`,
    );
    if (answered.length > 0) throw new Error(answered.join('; '));
    return waiting >= kinds.length && (await count(`(${hidden})::int`)) === kinds.length;
  });
  await firstProgram.end('SIGKILL');
  t.ok(
    (await ended).every(({ status }) => status === 'rejected'),
    'no call was answered',
  );
  t.equal(await count(`(${hidden})::int`), kinds.length, 'each record is hidden');
  await holder.query('rollback');

  await until('the records are removed', async () => (await count(`(${hidden})::int`)) === 0, 180_000);
  for (const [kind, place] of Object.entries(places)) {
    t.equal(
      await count(`(select count(*)::int from ${kind} where id = ${place[1]})`),
      0,
      `the ${kind} is gone`,
    );
    await isGone(t, { ...world, first: second }, pathOf(place));
  }
  t.equal(await count('(select count(*)::int from deletion_under_way)'), 0, 'nothing is left to be finished');
  const again = await second.call('POST', '/v6/strikes/', strikeBody);
  t.equal(again.status, 201);
  t.not(again.body.id, strike, 'its name is free again');
});
