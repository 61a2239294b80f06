/** During and after a full run with records of all kinds, each answer to a GET has the form that OpenAPI declares. */
import t from 'tap';
import type { InterfaceClient, Page } from '../../support/clients/interface-client.ts';
import { until } from '../harness/until.ts';
import { DemoWork } from '../harness/work/demo-work.ts';
import { createJobType, jobIs, queueJob } from '../harness/work/job-types.ts';
import { inDirectory } from '../uploads/places.ts';
import { begun } from '../uploads/tus-client.ts';
import { type WalkOptions, walkAnswers } from './answer-walk.ts';

const FILES = 4;

const LISTS = {
  '/v6/datasets/members/{id}/': '/v6/datasets/1/members/',
  '/v6/batches/comparison/{id}/': '/v6/batches/',
  '/v6/job-executions/{id}/logs/{stream}/': '/v6/jobs/1/executions/',
};

const OMITTED = {
  '/v6/accounts/profile/': 'nobody logs in here',
  '/v6/login/openid/': 'it needs a provider',
  '/v6/login/openid/callback/': 'it needs a provider',
  '/v6/tokens/{id}/': 'nobody logs in here, so nobody has a token',
};

/** A failed job, a running one, a dataset with a batch, a scan, a purge, an update of recipe types, an account. */
async function moreOfEverything(client: InterfaceClient): Promise<{ readonly runningId: number }> {
  const failing = await createJobType(client, { name: 'fails', script: 'echo no >&2; exit 3', maxTries: 1 });
  const endless = await createJobType(client, { name: 'endless', script: 'echo on; exec sleep 600' });
  const [failedId, runningId] = [await queueJob(client, failing), await queueJob(client, endless)];
  await jobIs(client, failedId, ['FAILED']);
  await jobIs(client, runningId, ['RUNNING']);
  const { results: types } = await client.get<Page<{ id: number; name: string }>>(
    '/v6/recipe-types/?keyword=demo',
  );
  const { results: sources } = await client.get<Page<{ id: number }>>('/v6/files/?file_type=SOURCE&order=id');
  const { input } = (
    await client.get<{ definition: { input: object } }>(`/v6/recipe-types/${types[0]?.name}/`)
  ).definition as { input: { files: { name: string }[] } };
  const name = input.files[0]?.name ?? '';
  const dataset = await client.post<{ id: number }>('/v6/datasets/', {
    title: 'All',
    definition: { parameters: { files: [{ name }], json: [] } },
    data: [{ files: { [name]: [sources[1]?.id] }, json: {} }],
  });
  const { id: batchId } = await client.post<{ id: number }>('/v6/batches/', {
    title: 'Again',
    recipe_type_id: types[0]?.id,
    definition: { dataset: dataset.id },
  });
  await until('the batch has its recipes', async () => {
    return (await client.get<{ is_creation_done: boolean }>(`/v6/batches/${batchId}/`)).is_creation_done;
  });
  const scan = await client.post<{ id: number }>('/v6/scans/', {
    title: 'Look',
    configuration: {
      workspace: 'demo-arrivals',
      scanner: { type: 'dir' },
      files_to_ingest: [{ filename_regex: '.*', data_types: [] }],
    },
  });
  await client.post(`/v6/scans/${scan.id}/process/`, { ingest: false });
  await client.patch('/v6/job-types/demo-keep/1.0.0/', { container_image: 'process:default-2' });
  await client.post('/v6/files/purge-source/', { file_id: sources[0]?.id });
  await until('the purge is done', async () => (await client.count('/v6/purges/?is_completed=true')) === 1);
  await client.post('/v6/accounts/', { username: 'somebody', password: 'a-password-of-a-test' });
  return { runningId };
}

t.test('answers: each GET of a full run has its declared form', async (t) => {
  const { client, world, name: place } = await inDirectory(t);
  const work = await DemoWork.create(world, client, FILES);
  await work.deliver(FILES);
  const values: Record<string, Record<string, unknown>> = {
    '/v6/job-executions/{id}/logs/{stream}/': { stream: 'combined' },
    '/v6/workspaces/{name}/files/{path}': { name: 'demo-products' },
    '/v6/files/why/': { workspace: 'demo-arrivals', path: 'none.txt' },
    '/v6/timeline/recipe-types/': { started: 'P1D' },
    '/v6/timeline/job-types/': { started: 'P1D' },
    '/v6/metrics/{name}/plot-data/': { started: 'P1D', column: 'total_count' },
    '/v6/changes/': { after: '0' },
    '/v6/search/': { text: 'demo' },
    '/v6/recipe-types/{name}/revisions/{revision_num}/difference/': { from: 1 },
  };
  const options: WalkOptions = { base: client.base, lists: LISTS, values, omitted: OMITTED };
  const early = await walkAnswers({
    ...options,
    omitted: { ...OMITTED, '/v6/recipes/{id}/difference/': 'there may be no two recipes of a type' },
  });
  t.strictSame(early.problems, [], 'while files come in');
  await work.finished(client);
  const { runningId } = await moreOfEverything(client);

  const [one, other] = (await client.get<Page<{ id: number }>>('/v6/recipes/?is_superseded=false&order=-id'))
    .results;
  values['/v6/recipes/{id}/difference/'] = { id: one?.id, from: other?.id };
  const product = (
    await client.get<Page<{ file_path: string; workspace: { name: string } }>>('/v6/files/?file_type=PRODUCT')
  ).results[0];
  values['/v6/workspaces/{name}/files/{path}'] = { name: product?.workspace.name, path: product?.file_path };
  const upload = await begun(new URL(`/v6/workspaces/${place}/uploads/`, client.base), 'a.bin', 10);
  values['/v6/workspaces/{name}/uploads/{upload}/'] = { name: place, upload: upload.split('/').at(-2) };

  const { problems, empty, answers } = await walkAnswers(options);
  t.strictSame(problems, []);
  t.strictSame(empty, []);
  t.ok(answers > 150, `${answers} answers`);
  await client.post('/v6/jobs/cancel/', { job_ids: [runningId] });
});
