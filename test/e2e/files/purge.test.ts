import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { startPair } from '../harness/pair.ts';
import { listed } from '../harness/quiet.ts';
import { stays, until } from '../harness/until.ts';
import { PurgeWork, purge, purgeDone } from '../harness/work/purge-work.ts';

interface Ingest {
  readonly status: string;
  readonly reason?: string;
}

t.test('purge: everything of a source is removed, and its content is not ingested again', async (t) => {
  const { world, client } = await startPair(t);
  const work = await PurgeWork.create(world, client);
  work.drop('gone.txt', 'to be purged');
  work.drop('kept.txt', 'to be kept');
  await work.completed(client, 2);
  const gone = await work.source(client, 'gone.txt');
  const kept = await work.source(client, 'kept.txt');
  const before = work.onDisk();
  t.equal(before.length, 6, 'two sources, four products');

  const location = await purge(client, gone.id);
  const shown = await purgeDone(() => client, location);
  t.match(shown.removed, {
    ...{ source_files: 1, product_files: 2, ingests: 1, recipes: 1, jobs: 3, job_executions: 3 },
    ...{ ancestry_links: 3, job_input_files: 2, recipe_input_files: 1, recipe_nodes: 2 },
  });
  t.match(shown, {
    reason: null,
    problems: [],
    workspaces: [
      { name: 'archive', files_removed: 1 },
      { name: 'far', files_removed: 1 },
    ],
  });
  const after = work.onDisk();
  t.same(
    before.filter((path) => !after.includes(path)).map((path) => path.replace(/^.*\//, '')),
    ['gone.txt.made', 'gone.txt.made.made'],
    'its products are gone, its own bytes stay, and so does the other file',
  );
  for (const path of ['/v6/files/', '/v6/recipes/', '/v6/ingests/', '/v6/jobs/']) {
    const records = await listed<object>(client, path);
    t.notMatch(JSON.stringify(records), /gone\.txt/, `${path} knows nothing of it`);
  }
  t.equal(await client.count('/v6/recipes/'), 1);
  t.equal(await client.count('/v6/files/'), 3);
  t.equal((await work.source(client, 'kept.txt')).id, kept.id);
  await t.rejects(purge(client, gone.id), { message: /was purged: see \/v6\/purges\// });

  work.drop('gone.txt', 'to be purged');
  const [again] = await until('the same is looked at', async () => {
    const ingests = await listed<Ingest>(client, '/v6/ingests/?file_name=gone.txt');
    return ingests.length > 0 && ingests.every(({ status }) => status === 'DUPLICATE') && ingests;
  });
  t.equal(again?.status, 'DUPLICATE');
  t.equal(await client.count('/v6/recipes/'), 1, 'it is not ingested again');
  work.drop('gone.txt', 'another content');
  await work.completed(client, 2);
  t.equal(await client.count('/v6/files/?file_name=gone.txt'), 1, 'other content at its path is');
});

t.test('purge: a file that still lies in its place stays purged, whoever lists it', async (t) => {
  const { world, client } = await startPair(t);
  const work = await PurgeWork.create(world, client);
  work.drop('here.stay', 'in place');
  await work.completed(client, 1);
  const source = await work.source(client, 'here.stay');
  await purgeDone(() => client, await purge(client, source.id));
  t.ok(existsSync(join(world.at.arrivals, 'here.stay')));
  const [strike] = await listed<{ id: number }>(client, '/v6/strikes/');
  // A new monitor tells all files again.
  await client.patch(`/v6/strikes/${strike?.id}/`, { is_paused: true });
  await client.patch(`/v6/strikes/${strike?.id}/`, { is_paused: false });
  work.drop('witness.txt', 'seen after');
  await work.completed(client, 1);
  const none = await stays(async () => (await client.count('/v6/ingests/?file_name=here.stay')) === 0, 1_000);
  t.ok(none, 'it leaves no ingest', {
    found: await listed<object>(client, '/v6/ingests/?file_name=here.stay'),
  });
});

t.test('purge: a source is removed with its bytes while its jobs run', async (t) => {
  const { world, client } = await startPair(t);
  const work = await PurgeWork.create(world, client, 30);
  work.drop('busy.txt', 'at work');
  await until('the second job runs', async () => {
    const count = await client.count('/v6/jobs/?status=RUNNING&job_type_name=second');
    return count === 1;
  });
  const source = await work.source(client, 'busy.txt');
  const location = await purge(client, source.id, { delete_source_bytes: true });
  t.equal(await purge(client, source.id), location, 'the same purge while it continues');
  const shown = await purgeDone(() => client, location);
  t.match(shown.removed, { source_files: 1, product_files: 1, recipes: 1, jobs: 3 });
  t.same(work.onDisk(), [], 'no byte is left');
  t.equal(await client.count('/v6/files/'), 0);
});
