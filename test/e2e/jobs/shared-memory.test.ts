/** `sharedMem` of a manifest, from the request to the task: what `/dev/shm` holds with every executor. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { BUSYBOX_IMAGE, engineAt, ensureBusyboxImage } from '../../support/agent/busybox-image.ts';
import { needsPrograms, testRegistry } from '../../support/registry.ts';
import { needs, serviceUrl } from '../../support/services/services.ts';
import { type Pair, startPair } from '../harness/pair.ts';
import { listed } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { createJobType, jobIs, queueJob } from '../harness/work/job-types.ts';

const isRoot = process.getuid?.() === 0 ? {} : { skip: 'not run: mounts of a task need root' };
/** The size of /dev/shm in MiB, and what the task is told of it. */
const SCRIPT = `set -- $(df -m /dev/shm | tail -n 1); echo "$2 \${ALLOCATED_SHAREDMEM:-none}"`;
const MIB = 1_048_576;

async function jobPrints(pair: Pair, jobId: number): Promise<string> {
  await jobIs(pair.client, jobId, ['COMPLETED']);
  const [execution] = await listed<{ id: number }>(pair.client, `/v6/jobs/${jobId}/executions/`);
  const url = new URL(`/v6/job-executions/${execution?.id}/logs/stdout/?format=txt`, pair.client.base);
  return until('the log', async () => {
    const response = await fetch(url);
    const text = (await response.text()).trim();
    if (!response.ok) throw new Error(text);
    // 204 while there is nothing.
    return text !== '' && text;
  });
}

/** An ingested file of five MiB in a workspace of the pair. */
async function ingestedFile({ world, client }: Pair): Promise<number> {
  const { name } = await client.post<{ name: string }>('/v6/workspaces/', {
    title: 'Archive',
    configuration: { broker: { type: 'host', host_path: world.at.archive } },
  });
  writeFileSync(join(world.at.archive, 'five.bin'), Buffer.alloc(5 * MIB));
  const scan = await client.post<{ id: number }>('/v6/scans/', {
    title: 'Archive',
    configuration: {
      workspace: name,
      scanner: { type: 'dir' },
      files_to_ingest: [{ filename_regex: 'five', data_types: [] }],
    },
  });
  await client.post(`/v6/scans/${scan.id}/process/`, { ingest: true });
  const file = await until('the file', async () =>
    (await listed<{ id: number }>(client, '/v6/files/')).at(0),
  );
  return file.id;
}

async function sizes(t: Test, image: string | undefined, env: Readonly<Record<string, string>>) {
  const pair = await startPair(t, { agent: env });
  const { client } = pair;
  const type = (name: string, resources: readonly object[], inputs: readonly { name: string }[] = []) =>
    createJobType(client, {
      ...{ name, script: SCRIPT, inputs },
      resources: resources as readonly Readonly<Record<string, unknown>>[],
      ...(image === undefined ? {} : { image }),
    });
  const plain = await queueJob(client, await type('plain', []));
  const asked = await queueJob(client, await type('asked', [{ name: 'sharedMem', value: 95.5 }]));
  t.equal(await jobPrints(pair, plain), '64 none', 'what every task gets');
  t.equal(await jobPrints(pair, asked), '96 96.0', 'rounded up');

  const fileId = await ingestedFile(pair);
  const grows = await type('grows', [{ name: 'SharedMem', value: 20, inputMultiplier: 2 }], [{ name: 'IN' }]);
  const input = { files: { IN: [fileId] }, json: {} };
  const { id } = await client.post<{ id: number }>('/v6/jobs/', { job_type_id: grows, input });
  t.equal(await jobPrints(pair, id), '30 30.0', 'with the size of the input');
  const { resources } = await client.get<{ resources: { resources: object } }>(`/v6/jobs/${id}/`);
  t.notOk('sharedmem' in resources.resources, 'no node has to offer it');
}

t.test('shared memory: a task in an engine’s container has what it asks for', needs('docker'), async (t) => {
  const host = await serviceUrl('docker');
  await ensureBusyboxImage(engineAt(host));
  await sizes(t, BUSYBOX_IMAGE, { MILLRACE_EXECUTORS: 'docker', MILLRACE_DOCKER_HOST: host });
});

const oci = { ...isRoot, ...needsPrograms('runc', 'skopeo', 'umoci', 'docker-registry') };
t.test('shared memory: a task in a container without an engine has what it asks for', oci, async (t) => {
  const registry = await testRegistry(t);
  await registry.push('team/tool', '1');
  await sizes(t, `${registry.address}/team/tool:1`, { MILLRACE_EXECUTORS: 'oci' });
});

t.test('shared memory: a plain process has what it asks for', isRoot, (t) => sizes(t, undefined, {}));
