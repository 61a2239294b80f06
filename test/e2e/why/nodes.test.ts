/** Why jobs do not run where they could: nodes that take none, tries that are used up, places that are refused. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { migratedDatabase } from '../../support/db.ts';
import { testBucket } from '../../support/s3/bucket.ts';
import { freePort } from '../../support/services/free-port.ts';
import { needs, serviceUrl } from '../../support/services/services.ts';
import { causedBy } from '../harness/causes.ts';
import { mount, mounting } from '../harness/mounts.ts';
import { startPair } from '../harness/pair.ts';
import { until } from '../harness/until.ts';
import { createJobType, jobIs, queueJob } from '../harness/work/job-types.ts';
import { clientOf, createWorld } from '../harness/world.ts';

const whyOf = (id: number) => `/v6/jobs/${id}/why/`;

t.test('why: it says that there is no node, or which nodes take no jobs', async (t) => {
  const world = await createWorld(t);
  const grpc = `127.0.0.1:${await freePort()}`;
  const coordinator = await world.start('coordinator', 'coordinator', {
    DATABASE_URL: await migratedDatabase(t),
    MILLRACE_GRPC: grpc,
  });
  const client = clientOf(coordinator);
  const sleeps = await createJobType(client, { name: 'sleeps', script: 'exec sleep 600' });
  const id = await queueJob(client, sleeps);
  await causedBy(client, whyOf(id), 'no-node');

  const agent = await world.start('agent', 'agent', { MILLRACE_COORDINATORS: grpc });
  await jobIs(client, id, ['RUNNING']);
  const { results } = await client.get<{ results: { id: number }[] }>('/v6/nodes/');
  const node = results[0]?.id ?? 0;
  const path = `/v6/nodes/${node}/`;
  const subjects = [{ kind: 'node', id: node, name: 'host-1' }];
  await client.patch(path, { is_paused: true, pause_reason: 'new memory' });
  const next = await queueJob(client, sleeps);
  const [paused] = await causedBy(client, whyOf(next), 'node-paused');
  t.match(paused, { reason: 'the node host-1 could run it, and is paused (new memory)', subjects });
  await client.patch(path, { is_paused: false, is_active: false });
  const [deprecated] = await causedBy(client, whyOf(next), 'node-deprecated');
  t.match(deprecated, { since: /^20/, subjects });
  await client.patch(path, { is_active: true });
  await jobIs(client, next, ['RUNNING']);

  await agent.end('SIGKILL');
  const [silent] = await causedBy(client, whyOf(next), 'node-silent');
  t.match(silent, { since: /^20/, subjects });
  const third = await queueJob(client, sleeps);
  const [offline] = await causedBy(client, whyOf(third), 'node-offline');
  t.match(offline, { reason: 'the node host-1 could run it, and is offline', since: /^20/, subjects });
});

t.test('why: it names tries, the pauses between them, and the end of the last one', async (t) => {
  const { client } = await startPair(t);
  const sketch = { name: 'no-program', image: 'process:default', script: 'no-such-tool', maxTries: 3 };
  const id = await queueJob(client, await createJobType(client, sketch));
  const [pause, again] = await causedBy(client, whyOf(id), 'retry-pause');
  t.match(pause.amounts, [{ name: 'seconds' }]);
  t.match(again, { name: 'tried-again', amounts: [{ name: 'tries', there: 3 }], reason: /no-such-tool/ });
  const [used] = await causedBy(client, whyOf(id), 'tries-used-up');
  t.match(used, {
    reason:
      /^Task Launch: the program of the command is not on this host: no-such-tool; all 3 tries are used$/,
    amounts: [{ name: 'tries', wanted: 3, there: 3 }],
    subjects: [{ kind: 'error', name: 'task-launch' }],
    help: 'Fix what the reason says, then queue it again.',
    action: { method: 'POST', path: '/v6/jobs/requeue/', body: { job_ids: [id] } },
  });
  const json = [{ name: 'TEXT', type: 'string' }];
  const typeId = await createJobType(client, { name: 'long', script: 'true', json });
  const body = { job_type_id: typeId, input: { files: {}, json: { TEXT: 'x'.repeat(140_000) } } };
  const long = await client.post<{ id: number }>('/v6/jobs/', body);
  const [invalid] = await causedBy(client, whyOf(long.id), 'failed');
  t.match(invalid.reason, /the variable TEXT has \d+ bytes.*category DATA is not tried again$/);
});

t.test('why: it names a node whose disk is nearly full', mounting(), async (t) => {
  const world = await createWorld(t);
  const place = join(world.folder, 'tight');
  mkdirSync(place);
  t.ok(mount('-t', 'tmpfs', '-o', 'size=200m', 'tmpfs', place));
  t.teardown(() => spawnSync('umount', ['-l', place]));
  const grpc = `127.0.0.1:${await freePort()}`;
  const coordinator = await world.start('coordinator', 'coordinator', {
    DATABASE_URL: await migratedDatabase(t),
    MILLRACE_GRPC: grpc,
  });
  await world.start('agent', 'agent', { MILLRACE_COORDINATORS: grpc, MILLRACE_DATA_DIR: place });
  const client = clientOf(coordinator);
  const id = await queueJob(client, await createJobType(client, { name: 'small', script: 'true' }));
  const [degraded] = await causedBy(client, whyOf(id), 'node-degraded');
  t.match(
    degraded.reason,
    /^the node host-1 could run it, and is degraded \(Low Disk Space: \d+ MiB are free/,
  );
  t.match(degraded.since, /^20/);

  await client.post('/v6/workspaces/', {
    title: 'Arrivals',
    configuration: { broker: { type: 'host', host_path: world.at.arrivals } },
  });
  const strike = await untakenStrike(client);
  await reasonIs(
    client,
    strike,
    /^no node has taken it yet: host-1 is degraded \(Low Disk Space: \d+ MiB are free/,
  );
  await client.patch('/v6/scheduler/', { is_paused: true });
  await reasonIs(client, strike, /^no node has taken it yet: the scheduler is paused$/);
  const { results } = await client.get<{ results: { id: number }[] }>('/v6/nodes/');
  await client.patch('/v6/scheduler/', { is_paused: false });
  await client.patch(`/v6/nodes/${results[0]?.id}/`, { is_paused: true, pause_reason: 'new memory' });
  await reasonIs(client, strike, /^no node has taken it yet: host-1 is paused \(new memory\)$/);
});

/** The path of a strike of the workspace `arrivals`, which starts nothing useful. */
async function untakenStrike(client: InterfaceClient): Promise<string> {
  const node_type = { node_type: 'job', job_type_name: 'small', job_type_version: '1.0.0' };
  const { name } = await client.post<{ name: string }>('/v6/recipe-types/', {
    title: 'Small',
    definition: {
      input: { files: [{ name: 'FILE', required: true }] },
      nodes: { one: { dependencies: [], input: {}, node_type } },
    },
  });
  const { id } = await client.post<{ id: number }>('/v6/strikes/', {
    title: 'Watch',
    configuration: {
      workspace: 'arrivals',
      monitor: { type: 'dir-watcher', transfer_suffix: '_tmp' },
      files_to_ingest: [{ filename_regex: '.*', data_types: [] }],
      recipe: { name },
    },
  });
  return `/v6/strikes/${id}/`;
}

async function reasonIs(client: InterfaceClient, path: string, form: RegExp): Promise<void> {
  await until(`the reason at ${path} is ${form}`, async () =>
    form.test((await client.get<{ reason: string | null }>(path)).reason ?? ''),
  );
}

t.test('why: it names a bucket that refuses the credentials', needs('s3'), async (t) => {
  const bucket = await testBucket(t);
  const { client } = await startPair(t);
  const credentials = { ...bucket.credentials, secret_access_key: 'this-is-not-the-secret-at-all' };
  const broker = { type: 'objstore', bucket_name: bucket.name, endpoint: bucket.endpoint, path_style: true };
  const configuration = { broker: { ...broker, credentials } };
  const made = await client.post<{ id: number }>('/v6/workspaces/', { title: 'Uploads', configuration });
  const outputs = [{ name: 'OUT', pattern: '*', mediaType: 'text/plain', required: true }];
  const sketch = { name: 'stores', script: 'touch $OUTPUT_DIR/a', outputs, workspace: 'uploads' };
  const id = await queueJob(client, await createJobType(client, sketch));
  const [refused] = await until('it is told what the store answers', async () => {
    const causes = await causedBy(client, whyOf(id), 'workspace-unreached');
    return /refuses access/.test(causes[0].reason) && causes;
  });
  t.match(refused.subjects, [
    { kind: 'workspace', id: made.id },
    { kind: 'node', name: 'host-1' },
  ]);
  t.notOk(refused.reason.includes(credentials.secret_access_key));
});

t.test('why: it names an image that cannot be pulled', needs('docker'), async (t) => {
  const { client } = await startPair(t, {
    agent: { MILLRACE_EXECUTORS: 'docker', MILLRACE_DOCKER_HOST: await serviceUrl('docker') },
  });
  const image = '127.0.0.1:1/team/tool:9';
  const sketch = { name: 'absent', script: 'true', image, maxTries: 1 };
  const id = await queueJob(client, await createJobType(client, sketch));
  await jobIs(client, id, ['FAILED'], 240_000);
  const { causes } = await client.get<{ causes: { reason: string; subjects: unknown }[] }>(whyOf(id));
  t.match(causes, [
    { reason: /could not be pulled from 127\.0\.0\.1:1/, subjects: [{ kind: 'error', name: 'pull' }] },
  ]);
});
