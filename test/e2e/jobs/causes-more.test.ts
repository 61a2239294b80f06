/** More causes, each made on purpose: of tasks, of their inputs and outputs, and of places that are missing. */
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { InterfaceClient, Page } from '../../support/clients/interface-client.ts';
import { testBucket } from '../../support/s3/bucket.ts';
import { needs } from '../../support/services/services.ts';
import { startPair } from '../harness/pair.ts';
import { until } from '../harness/until.ts';
import { createJobType, queueJob } from '../harness/work/job-types.ts';
import { endedJob, reasonAt } from '../harness/work/reasons.ts';

async function workspace(
  client: InterfaceClient,
  title: string,
  broker: object,
): Promise<{ readonly id: number; readonly name: string }> {
  return client.post('/v6/workspaces/', { title, configuration: { broker } });
}

/** Ids of the files of the directory, once a scan has registered them. */
async function registered(
  client: InterfaceClient,
  name: string,
  count: number,
): Promise<ReadonlyMap<string, number>> {
  const scan = await client.post<{ id: number }>('/v6/scans/', {
    title: `Shelf ${name}`,
    configuration: {
      workspace: name,
      scanner: { type: 'dir' },
      files_to_ingest: [{ filename_regex: '.*', data_types: [] }],
    },
  });
  await client.post(`/v6/scans/${scan.id}/process/`, { ingest: true });
  const files = await until('the files are registered', async () => {
    const page = await client.get<Page<{ id: number; file_name: string }>>('/v6/files/');
    return page.results.length === count && page.results;
  });
  return new Map(files.map((file) => [file.file_name, file.id]));
}

t.test('causes: a task that cannot start, is killed or leaves broken outputs is explained', async (t) => {
  const { client } = await startPair(t);
  const json = (text: string): string => `printf "%s" "${text}" >$OUTPUT_DIR/seed.outputs.json`;
  const cases = [
    {
      // With the image's name the script is the command itself, as one word.
      ...{ name: 'no-program', image: 'process:default', script: 'no-such-tool' },
      error: 'task-launch',
      reason: /^the program of the command is not on this host: no-such-tool$/,
    },
    {
      ...{ name: 'killed', script: 'echo "half done" >&2; kill -9 $$' },
      error: 'docker-terminated',
      reason: /^exit code 137: killed by SIGKILL; standard error ends with:\nhalf done$/,
    },
    {
      ...{ name: 'no-json', script: json('{') },
      error: 'invalid-results-manifest',
      reason: /^seed\.outputs\.json .*line 1/,
    },
    {
      ...{ name: 'wrong-json', script: json('{\\"WORDS\\": \\"many\\"}') },
      error: 'invalid-results-manifest',
      reason: /^the JSON output WORDS is not of type integer$/,
    },
    {
      ...{ name: 'lacks-json', script: json('{}') },
      error: 'missing-required-output',
      reason: /^the JSON output WORDS is missing$/,
    },
  ];
  const queued = await Promise.all(
    cases.map(async ({ error, reason, ...sketch }) => {
      const outputsJson = sketch.name.endsWith('json') ? [{ name: 'WORDS', type: 'integer' }] : [];
      const typeId = await createJobType(client, { ...sketch, maxTries: 1, outputsJson });
      return { name: sketch.name, error, reason, id: await queueJob(client, typeId) };
    }),
  );
  for (const { name, error, reason, id } of queued) {
    const job = await endedJob(client, id);
    t.match(job, { status: 'FAILED', error: { name: error }, reason }, `${name}: ${job.reason}`);
  }
});

t.test('causes: a changed input, and an input in an inactive workspace, are named', async (t) => {
  const { client, world } = await startPair(t);
  const shelf = await workspace(client, 'Shelf', { type: 'host', host_path: world.at.archive });
  for (const name of ['grown.txt', 'shrunk.txt']) writeFileSync(join(world.at.archive, name), '12345');
  const ids = await registered(client, shelf.name, 2);
  const typeId = await createJobType(client, {
    ...{ name: 'reads', script: 'cat $IN', inputs: [{ name: 'IN' }], maxTries: 1 },
  });
  const queue = async (name: string): Promise<number> => {
    const body = { job_type_id: typeId, input: { files: { IN: [ids.get(name)] }, json: {} } };
    return (await client.post<{ id: number }>('/v6/jobs/', body)).id;
  };
  appendFileSync(join(world.at.archive, 'grown.txt'), '6');
  writeFileSync(join(world.at.archive, 'shrunk.txt'), '1');
  for (const [name, more] of [['grown.txt', ''] as const, ['shrunk.txt', ': 1'] as const]) {
    const { error, reason } = await endedJob(client, await queue(name));
    t.equal(error?.name, 'missing-file');
    const file = `the file '${name}' (${ids.get(name)}) of the workspace 'shelf'`;
    t.equal(reason, `${file} has another size than the 5 bytes recorded${more}`);
  }

  await client.patch('/v6/job-types/reads/1.0.0/', { is_paused: true });
  const waiting = await queue('grown.txt');
  await client.patch(`/v6/workspaces/${shelf.id}/`, { is_active: false });
  await client.patch('/v6/job-types/reads/1.0.0/', { is_paused: false });
  t.equal(await reasonAt(client, `/v6/jobs/${waiting}/`, /workspace/), 'the workspace shelf is not active');
});

t.test('causes: a store that does not answer, and a directory that is gone, are named', async (t) => {
  const { client, world } = await startPair(t);
  const closed = 'http://127.0.0.1:1';
  const broker = { type: 'objstore', bucket_name: 'uploads', endpoint: closed };
  const credentials = { access_key_id: 'key', secret_access_key: 'not-told-anywhere' };
  const uploads = await workspace(client, 'Uploads', { ...broker, credentials });
  t.match(
    await reasonAt(client, `/v6/workspaces/${uploads.id}/`, /uploads/),
    /^no node reaches it: host-1 does not reach uploads: .* at http:\/\/127\.0\.0\.1:1 cannot be used: ECONNREFUSED/,
  );
  const archive = await workspace(client, 'Archive', { type: 'host', host_path: world.at.archive });
  const isReached = async () =>
    (await client.get<{ reason: string | null }>(`/v6/workspaces/${archive.id}/`)).reason === null;
  await until('the archive is reached', isReached);
  rmSync(world.at.archive, { recursive: true });
  t.match(await reasonAt(client, `/v6/workspaces/${archive.id}/`, /ENOENT/), /host-1 does not reach archive/);
});

t.test('causes: a missing bucket is reported with its workspace', needs('s3'), async (t) => {
  const bucket = await testBucket(t);
  const { client } = await startPair(t);
  const { endpoint, credentials } = bucket;
  const broker = { type: 'objstore', bucket_name: 'not-there', endpoint, path_style: true, credentials };
  const { id } = await workspace(client, 'Not there', broker);
  t.equal(
    await reasonAt(client, `/v6/workspaces/${id}/`, /bucket/),
    `no node reaches it: host-1 does not reach not-there: the bucket 'not-there' does not exist at ${endpoint}`,
  );
});
