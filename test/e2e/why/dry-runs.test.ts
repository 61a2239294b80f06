/** Calls with `dry_run` tell what they would do, and change nothing; under `/api/` they are refused. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { startPair } from '../harness/pair.ts';
import { until } from '../harness/until.ts';
import { createJobType, jobIs } from '../harness/work/job-types.ts';

async function calling(client: InterfaceClient, path: string, body: object) {
  const answer = await fetch(new URL(path, client.base), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
}

const job = (name: string, input: object, dependencies: readonly string[] = []) => ({
  dependencies: dependencies.map((one) => ({ name: one })),
  input,
  node_type: { node_type: 'job', job_type_name: name, job_type_version: '1.0.0' },
});

/** Two files taken in by a strike, each with a recipe of a product and a job that fails. */
async function worked(client: InterfaceClient, arrivals: string) {
  const { name } = await client.post<{ name: string }>('/v6/workspaces/', {
    title: 'Arrivals',
    configuration: { broker: { type: 'host', host_path: arrivals } },
  });
  const inputs = [{ name: 'FILE' }];
  const outputs = [{ name: 'OUT', pattern: '*.out', mediaType: 'text/plain', required: true }];
  const script = 'cp "$FILE" $OUTPUT_DIR/a.out';
  await createJobType(client, { name: 'copies', script, inputs, outputs, workspace: name });
  await createJobType(client, { name: 'fails', script: 'exit 3', inputs, maxTries: 1 });
  const file = { FILE: { type: 'recipe', input: 'FILE' } };
  const { name: recipe } = await client.post<{ name: string }>('/v6/recipe-types/', {
    title: 'Both',
    definition: {
      input: { files: [{ name: 'FILE', required: true }] },
      nodes: { copies: job('copies', file), fails: job('fails', file, ['copies']) },
    },
  });
  await client.post('/v6/strikes/', {
    title: 'Watch',
    configuration: {
      workspace: name,
      monitor: { type: 'dir-watcher', transfer_suffix: '_tmp', stable_ms: 100 },
      files_to_ingest: [{ filename_regex: '.*\\.txt$', data_types: [] }],
      recipe: { name: recipe },
    },
  });
  for (const one of ['a.txt', 'b.txt']) writeFileSync(join(arrivals, one), 'content');
  return until('both recipes have failed', async () => {
    const { results } = await client.get<{ results: { id: number; jobs_failed: number }[] }>(
      '/v6/recipes/?order=id',
    );
    return (
      results.length === 2 && results.every((one) => one.jobs_failed === 1) && results.map((one) => one.id)
    );
  });
}

/** What is there, as lists count it. */
async function counts(client: InterfaceClient): Promise<readonly number[]> {
  const lists = ['purges', 'files', 'jobs', 'recipes', 'jobs/?status=FAILED&', 'jobs/?status=CANCELED&'];
  return Promise.all(lists.map((list) => client.count(`/v6/${list.includes('?') ? list : `${list}/`}`)));
}

t.test('dry runs: purge, reprocess, cancel and requeue say what they would do', async (t) => {
  const { client, world } = await startPair(t);
  const [recipeId = 0] = await worked(client, world.at.arrivals);
  const before = await counts(client);
  const { results } = await client.get<{ results: { id: number; file_name: string; file_size: number }[] }>(
    '/v6/files/?file_type=SOURCE&order=id',
  );
  const source = results.find(({ file_name }) => file_name === 'a.txt');

  const purge = await calling(client, '/v6/files/purge-source/?dry_run=true', { file_id: source?.id });
  t.match(purge, {
    status: 200,
    body: {
      ...{
        files: { count: 2, bytes: 14, sources: 1 },
        jobs: { count: 3, live: 0 },
        recipes: 1,
        is_cut: false,
      },
      workspaces: [{ name: 'arrivals', files: 2, bytes: 14 }],
      ...{ other_sources: { count: 0, ids: [] }, dataset_ids: [], batch_ids: [] },
    },
  });
  const none = await calling(client, '/v6/files/purge-source/?dry_run=true', { file_id: 999_999 });
  t.match([none.status, none.body.detail], [400, /there is no file 999999/]);

  const failed = { job_type_names: ['fails'], status: 'FAILED' };
  for (const action of ['cancel', 'requeue']) {
    const { status, body } = await calling(client, `/v6/jobs/${action}/?dry_run=true`, failed);
    t.match(
      [status, body],
      [200, { job_count: 2, is_cut: false, statuses: [{ status: 'FAILED', job_count: 2 }] }],
    );
    t.match(body.job_types, [{ name: 'fails', version: '1.0.0', job_count: 2 }]);
    t.equal(body.job_ids.length, 2);
  }
  const done = await calling(client, '/v6/jobs/cancel/?dry_run=true', { status: 'COMPLETED' });
  t.match(
    done.body,
    { job_count: 0, job_ids: [], statuses: [], job_types: [] },
    'what is done is not canceled',
  );
  t.equal(
    (await calling(client, '/v6/jobs/cancel/?dry_run=true', {})).status,
    400,
    'it is checked like the call',
  );

  const again = `/v6/recipes/${recipeId}/reprocess/?dry_run=true`;
  const some = await calling(client, again, { forced_nodes: { all: false, nodes: ['fails'] } });
  t.match(some, {
    status: 200,
    body: { nodes: { made: ['fails'], kept: ['copies'] }, new_jobs: 1, new_recipes: 1, superseded_jobs: 1 },
  });
  t.equal(some.body.canceled_job_count, some.body.canceled_job_ids.length);
  const nothing = await calling(client, again, { forced_nodes: { all: false } });
  t.match([nothing.status, nothing.body.errors[0].name], [400, 'NOTHING_TO_REPROCESS']);

  for (const path of [
    '/files/purge-source/',
    '/jobs/cancel/',
    '/jobs/requeue/',
    `/recipes/${recipeId}/reprocess/`,
  ]) {
    const refused = await calling(client, `/api/v6${path}?dry_run=true`, { ...failed, file_id: source?.id });
    t.match([refused.status, refused.body.errors[0].path], [400, 'dry_run'], path);
  }
  t.strictSame(await counts(client), before, 'nothing has changed');
  t.ok(existsSync(join(world.at.arrivals, 'a.txt')));

  // What was told is what the call does.
  await calling(client, '/v6/jobs/requeue/?dry_run=false', failed);
  for (const id of (await calling(client, '/v6/jobs/cancel/?dry_run=true', failed)).body.job_ids)
    await jobIs(client, id, ['FAILED']);
  const whole = await calling(client, `/v6/recipes/${recipeId}/reprocess/`, {
    forced_nodes: { all: false, nodes: ['fails'] },
  });
  t.equal(whole.status, 202);
  const next = await until('the next recipe is there', async () => {
    const { superseded_by_recipe: by } = await client.get<{ superseded_by_recipe: { id: number } | null }>(
      `/v6/recipes/${recipeId}/`,
    );
    return by?.id;
  });
  t.equal(await client.count(`/v6/jobs/?recipe_id=${next}&`), 2, 'one is new, one is kept');
});
