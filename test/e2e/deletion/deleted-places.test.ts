/** Workspaces, strikes and scans that are deleted: kept by what needs them, hidden, and brought back at work. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { until } from '../harness/until.ts';
import { createJobType } from '../harness/work/job-types.ts';
import { type DeletionWorld, deletionWorld, isGone, livesOf, reasonsOf } from './deletion-world.ts';

const RECIPE_TYPE = {
  title: 'Quick',
  definition: {
    input: { files: [{ name: 'FILE' }] },
    nodes: {
      only: {
        dependencies: [],
        input: { FILE: { type: 'recipe', input: 'FILE' } },
        node_type: { node_type: 'job', job_type_name: 'quick', job_type_version: '1.0.0' },
      },
    },
  },
};
const expectJob = (id: number) => `the job ${id} has not ended`;

async function scans(t: Test, world: DeletionWorld, scanBody: object): Promise<void> {
  const { first, second } = world;
  const unused = (await first.call('POST', '/v6/scans/', scanBody)).body;
  t.match(await second.call('DELETE', `/v6/scans/${unused.id}/?dry_run=true`), {
    body: { outcome: 'removed' },
  });
  t.equal((await second.call('DELETE', `/v6/scans/${unused.id}/`)).status, 204);
  await isGone(t, world, `/v6/scans/${unused.id}/`);
  t.equal((await first.call('GET', `/v6/jobs/${unused.job.id}/`)).status, 404, 'with its jobs');

  const { body } = await second.call('POST', '/v6/scans/', scanBody);
  t.not(body.id, unused.id);
  const scan = `/v6/scans/${body.id}/`;
  const runs = async () => {
    await first.call('POST', `${scan}process/`, { ingest: false });
    await until('the dry run is done, and has counted', async () => {
      const { body } = await second.call('GET', scan);
      return body.dry_run_job.status === 'COMPLETED' && body.counts?.matched === 2;
    });
  };
  await runs();
  t.equal((await first.call('DELETE', scan)).status, 204);
  await isGone(t, world, scan);
  t.match(await second.call('POST', '/v6/scans/', scanBody), {
    status: 201,
    body: { id: body.id, counts: null },
  });
  await runs();
  t.equal((await second.call('GET', scan)).body.counts.matched, 2);
}

async function unmarked(t: Test, world: DeletionWorld): Promise<void> {
  const { first, second } = world;
  const nowhere = join(world.world.at.arrivals, 'not-there');
  const body = { title: 'Nowhere', configuration: { broker: { type: 'host', host_path: nowhere } } };
  const { id } = (await first.call('POST', '/v6/workspaces/', body)).body;
  t.match(await first.call('DELETE', `/v6/workspaces/${id}/?dry_run=true`), {
    body: { outcome: 'removed' },
  });
  t.equal((await first.call('DELETE', `/v6/workspaces/${id}/`)).status, 204);
  await isGone(t, world, `/v6/workspaces/${id}/`);
  mkdirSync(nowhere);
  t.not((await second.call('POST', '/v6/workspaces/', body)).body.id, id);
}

t.test('deletion: workspaces, strikes and scans are deleted and restored', async (t) => {
  const world = await deletionWorld(t);
  const { first, second } = world;
  const { client } = first;
  const folder = world.world.at.arrivals;
  const place = { title: 'Arrivals', configuration: { broker: { type: 'host', host_path: folder } } };
  const made = (await first.call('POST', '/v6/workspaces/', place)).body;
  const workspace = `/v6/workspaces/${made.id}/`;
  await createJobType(client, { name: 'quick', script: 'true', inputs: [{ name: 'FILE' }] });
  await client.post('/v6/recipe-types/', RECIPE_TYPE);
  const rules = [{ filename_regex: '.*\\.txt$', data_types: [] }];
  const strikeBody = {
    title: 'Watch',
    configuration: {
      workspace: made.name,
      monitor: { type: 'dir-watcher', transfer_suffix: '_tmp', stable_ms: 100 },
      files_to_ingest: rules,
      recipe: { name: 'quick' },
    },
  };
  const scanBody = {
    title: 'Look',
    configuration: { workspace: made.name, scanner: { type: 'dir' }, files_to_ingest: rules },
  };
  const ingested = (count: number) =>
    until(`${count} ingested`, async () => {
      return (await first.call('GET', '/v6/ingests/?status=INGESTED')).body.count === count;
    });
  const arrive = (name: string) => {
    writeFileSync(join(folder, `${name}_tmp`), name);
    renameSync(join(folder, `${name}_tmp`), join(folder, name));
  };
  let strike = '';
  let strikeId = 0;

  await t.test('a workspace is needed by its files, and by a strike that is not paused', async (t) => {
    const { body } = await second.call('POST', '/v6/strikes/', strikeBody);
    strikeId = body.id;
    strike = `/v6/strikes/${strikeId}/`;
    arrive('a.txt');
    await ingested(1);
    await until('its recipe has ended', async () => {
      return (await first.call('GET', '/v6/recipes/?is_completed=true')).body.count === 1;
    });
    const reasons = await reasonsOf(t, first, workspace);
    t.ok(
      reasons.some((one) => one.startsWith(`the strike 'watch' is not paused`)),
      reasons.join(),
    );
    t.ok(
      reasons.some((one) => /^the file \d+ \('a.txt'\) is not deleted$/.test(one)),
      reasons.join(),
    );
    t.ok((await reasonsOf(t, first, '/v6/recipe-types/quick/')).length > 0, 'the strike starts its recipes');
    t.strictSame(await reasonsOf(t, first, strike), ['the strike is not paused', expectJob(body.job.id)]);
  });

  await t.test('a strike is hidden, and works again when it is brought back', async (t) => {
    await client.patch(strike, { is_paused: true });
    t.match(await second.call('DELETE', `${strike}?dry_run=true`), { body: { outcome: 'hidden' } });
    t.equal((await second.call('DELETE', strike)).status, 204);
    await isGone(t, world, strike);
    t.match((await first.call('GET', '/v6/ingests/')).body.results[0].strike, {
      id: strikeId,
      name: 'watch',
    });
    t.equal((await first.call('GET', '/v6/strikes/')).body.count, 0);
    const again = await first.call('POST', '/v6/strikes/', strikeBody);
    t.match(again, { status: 201, body: { id: strikeId, name: 'watch', is_paused: false } });
    arrive('b.txt');
    await ingested(2);
    t.strictSame(await livesOf(first, 'strike', strikeId, 3), ['created', 'removed', 'created']);
    await client.patch(strike, { is_paused: true });
  });

  await t.test('an unused scan is removed; a scan that ran is hidden, and runs again once restored', (t) =>
    scans(t, world, scanBody),
  );

  await t.test(
    'a workspace without files is hidden, and its strike stays paused until it is back',
    async (t) => {
      for (const { id } of (await first.call('GET', '/v6/files/')).body.results)
        await client.post('/v6/files/purge-source/', { file_id: id, delete_source_bytes: true });
      await until(
        'the files are purged',
        async () => (await first.call('GET', '/v6/files/')).body.count === 0,
      );
      await until('the purges are done', async () => {
        return (await first.call('GET', '/v6/purges/?is_completed=false')).body.count === 0;
      });
      t.equal((await second.call('DELETE', workspace)).status, 204);
      await isGone(t, world, workspace);
      t.equal((await first.call('GET', `/v6/workspaces/?name=${made.name}`)).body.count, 0);
      t.equal((await first.call('GET', `/v6/workspaces/${made.name}/files/a.txt`)).status, 404);
      t.equal((await second.call('PATCH', strike, { is_paused: false })).status, 409);
      t.equal((await second.call('POST', '/v6/scans/', { ...scanBody, title: 'New' })).status, 400);
      const again = await first.call('POST', '/v6/workspaces/', place);
      t.match(again, { status: 201, body: { id: made.id, name: made.name, is_active: true } });
      t.equal((await second.call('PATCH', strike, { is_paused: false })).status, 204);
      arrive('c.txt');
      await until('the strike takes files again', async () => {
        return (await first.call('GET', '/v6/files/?file_type=SOURCE')).body.count === 1;
      });
    },
  );

  await t.test('a workspace without a marker is removed, and its name is free', (t) => unmarked(t, world));
});
