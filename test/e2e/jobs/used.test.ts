/** What a task used, and which image it ran, as each executor measures it: by execution, and by type. */
import type Docker from 'dockerode';
import t, { type Test } from 'tap';
import { BUSYBOX_IMAGE, engineAt, ensureBusyboxImage } from '../../support/agent/busybox-image.ts';
import { needsPrograms, testRegistry } from '../../support/registry.ts';
import { needs, serviceUrl } from '../../support/services/services.ts';
import { startPair } from '../harness/pair.ts';
import { until } from '../harness/until.ts';
import { createJobType, jobIs, queueJob } from '../harness/work/job-types.ts';

const isRoot = process.getuid?.() === 0 ? {} : { skip: 'not run: control groups need root' };
const MIB = 1_048_576;
const [HELD, WRITTEN] = [40 * MIB, 8 * MIB];
/** Counts for a while, writes a file, and holds a text in memory, until a signal if it `waits`. */
const scriptOf = (waits: boolean) => `trap 'seen=1' USR1
i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done
head -c ${WRITTEN} /dev/zero >$OUTPUT_DIR/written; x=$(head -c ${HELD} /dev/zero | tr "\\0" x)
${waits ? 'while [ -z "$seen" ]; do sleep 1; done' : ''}
echo \${#x}`;

interface Used {
  readonly source: string;
  readonly memory_bytes: number;
  readonly processor_seconds: number;
  readonly disk_bytes: number;
}
interface Figures {
  readonly figures: Readonly<Record<string, { readonly max: number | null; readonly given: number | null }>>;
}

interface Measured {
  readonly image?: string;
  readonly source: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Ends a task that waits. */
  readonly end?: (folder: string) => Promise<void>;
}

async function measured(t: Test, { image, source, env = {}, end }: Measured) {
  const { client, world } = await startPair(t, { agent: env });
  const type = { name: 'uses', script: scriptOf(end !== undefined), memMib: 256, timeout: 600 };
  const id = await queueJob(client, await createJobType(client, { ...type, ...(image && { image }) }));
  await end?.(world.folder);
  await jobIs(client, id, ['COMPLETED']);
  const execution = await client.get<{ used: Used; image_digest: string | null }>(
    `/v6/jobs/${id}/executions/1/`,
  );
  const { used } = execution;
  const said = JSON.stringify(used);
  t.equal(used.source, source, said);
  t.ok(used.memory_bytes > HELD && used.memory_bytes < 256 * MIB, said);
  t.ok(used.processor_seconds > 0.05 && used.processor_seconds < 60, said);
  t.ok(used.disk_bytes >= WRITTEN && used.disk_bytes < 4 * WRITTEN, said);
  const { figures } = await client.get<Figures>('/v6/job-types/uses/1.0.0/used/');
  t.match(figures, {
    memory_bytes: {
      p50: used.memory_bytes,
      p95: used.memory_bytes,
      max: used.memory_bytes,
      given: 256 * MIB,
    },
    processor_seconds: { max: used.processor_seconds },
    disk_bytes: { max: used.disk_bytes },
  });
  return execution.image_digest;
}

/**
 * Ends the task below the folder when the engine has reported its text twice. The engine gives each report to all its
 * listeners, so the agent has had one of them before the task ends.
 */
async function endWhenReported(engine: Docker, folder: string): Promise<void> {
  const { Id } = await until('the container', async () => {
    const running = await engine.listContainers();
    return running.find(({ Mounts }) => Mounts.some(({ Source }) => Source.startsWith(folder)));
  });
  const container = engine.getContainer(Id);
  const isReported = async () => (await container.stats({ stream: false })).memory_stats.usage > HELD;
  for (const which of ['first', 'second']) await until(`the ${which} report`, isReported, 240_000);
  await container.kill({ signal: 'SIGUSR1' });
}

t.test('used: a task in a container of the engine is measured', needs('docker'), async (t) => {
  const host = await serviceUrl('docker');
  const engine = engineAt(host);
  await ensureBusyboxImage(engine);
  const env = { MILLRACE_EXECUTORS: 'docker', MILLRACE_DOCKER_HOST: host };
  const end = (folder: string) => endWhenReported(engine, folder);
  const digest = await measured(t, { image: BUSYBOX_IMAGE, source: 'engine', env, end });
  t.equal(digest, (await engine.getImage(BUSYBOX_IMAGE).inspect()).Id);
});

const oci = { ...isRoot, ...needsPrograms('runc', 'skopeo', 'umoci', 'docker-registry') };
t.test('used: a task in a container without an engine is measured', oci, async (t) => {
  const registry = await testRegistry(t);
  const digest = await registry.push('team/tool', '1');
  const image = `${registry.address}/team/tool:1`;
  t.equal(await measured(t, { image, source: 'cgroup', env: { MILLRACE_EXECUTORS: 'oci' } }), digest);
});

t.test('used: a plain process is measured', isRoot, async (t) => {
  t.equal(await measured(t, { source: 'cgroup' }), null);
});
