/** Tasks in containers of a real engine. */
import { chmodSync, readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { AgentConfig } from '../../../node-agent/config.ts';
import { type AgentBench, agentBench } from '../../support/agent/agent-bench.ts';
import { BUSYBOX_IMAGE, engineAt, ensureBusyboxImage } from '../../support/agent/busybox-image.ts';
import { eventually } from '../../support/agent/eventually.ts';
import { hostWorkspace, makeLaunch, outputFile } from '../../support/agent/make-launch.ts';
import { needs, serviceUrl } from '../../support/services/services.ts';

const OUTPUTS = { files: [outputFile('OUT', '*', { multiple: true, required: false })], json: [] };

async function dockerBench(
  test: Parameters<typeof agentBench>[0],
  more: Partial<AgentConfig> = {},
): Promise<AgentBench & { host: string }> {
  const host = await serviceUrl('docker');
  await ensureBusyboxImage(engineAt(host));
  const bench = await agentBench(test, { executors: ['docker'], docker: { host }, ...more });
  return { ...bench, host };
}

function containerLaunch(bench: AgentBench, executionId: number, script: string, more: object = {}) {
  return makeLaunch(executionId, {
    command: `'${script}'`,
    interface: { outputs: OUTPUTS },
    ...more,
    launch: {
      containerImage: BUSYBOX_IMAGE,
      outputs: [{ output: 'OUT', workspaceUuid: hostWorkspace('').uuid }],
      workspaces: [hostWorkspace(bench.workspace)],
      ...(more as { launch?: object }).launch,
    },
  });
}

type DockerBench = Awaited<ReturnType<typeof dockerBench>>;

/** Other tests use the engine beside this one, with the same ids of executions: only the folder is this one's. */
function ownFolder({ config }: DockerBench): string {
  return `millrace.folder=${join(config.folder, 'executions')}`;
}

/** Stopped ones too. */
async function containersOf(bench: DockerBench, executionId: number): Promise<readonly string[]> {
  const filters = { label: [`millrace.execution=${executionId}`, ownFolder(bench)] };
  return (await engineAt(bench.host).listContainers({ all: true, filters })).map(({ Id }) => Id);
}

/** As somebody who tidies the host would. */
async function removeContainerOf(bench: DockerBench, executionId: number): Promise<void> {
  const [found] = await containersOf(bench, executionId);
  if (found === undefined) throw new Error(`no container of execution ${executionId}`);
  await engineAt(bench.host).getContainer(found).remove({ force: true });
}

t.test(
  'docker: a container runs by its contract, its product is stored, and nothing of it is left',
  needs('docker'),
  async (t) => {
    const bench = await dockerBench(t);
    await writeFile(join(bench.workspace, 'in put.txt'), 'input');
    await bench.start();
    await bench.coordinator.connected();
    t.strictSame(bench.coordinator.hellos[0]?.executors, ['docker']);
    const file = {
      fileId: 1,
      workspaceUuid: hostWorkspace('').uuid,
      path: 'in put.txt',
      fileName: 'in put.txt',
      size: 5,
      isSource: true,
      record: '',
    };
    const script =
      'cat "$IN"; id -u; grep CapEff /proc/self/status; grep NoNewPrivs /proc/self/status; ls /sys/class/net; ' +
      'echo x >> "$IN" || echo refused; echo out > $OUTPUT_DIR/a.txt; cat $INPUT_METADATA; echo err >&2';
    bench.coordinator.send(
      containerLaunch(bench, 1, script, {
        interface: {
          outputs: OUTPUTS,
          inputs: {
            files: [{ name: 'IN', required: true, mediaTypes: [], multiple: false, partial: false }],
            json: [],
          },
        },
        launch: {
          inputs: [{ name: 'IN', multiple: false, partial: false, files: [file] }],
          inputMetadata: '{"JOB":{}}',
        },
      }),
    );
    const update = await bench.coordinator.update(1);
    t.match(
      update,
      { outcome: 'COMPLETED', outputs: [{ fileName: 'a.txt', size: 4 }] },
      JSON.stringify(update.error),
    );
    t.equal(await readFile(join(bench.workspace, update.outputs[0]?.path as string), 'utf8'), 'out\n');
    await eventually(() => bench.coordinator.log(1, 'stderr').includes('err'), 'the log of errors');
    await eventually(() => bench.coordinator.log(1).endsWith('}'), 'the last line of the log');
    t.match(
      bench.coordinator.log(1),
      /^input65534\nCapEff:\s+0+\nNoNewPrivs:\s+1\nlo\nrefused\n\{"JOB":\{\}\}$/,
    );
    await eventually(async () => (await containersOf(bench, 1)).length === 0, 'the container gone');
    await eventually(
      () => readdirSync(join(bench.config.folder, 'executions')).length === 0,
      'the folder gone',
    );
  },
);

t.test('docker: ends of containers are reported as errors of the catalogue', needs('docker'), async (t) => {
  const bench = await dockerBench(t);
  await bench.start();
  await bench.coordinator.connected();
  const launch = (more: object) => ({ launch: more });
  const cases: [string, object, object][] = [
    ['exit 3', {}, { error: { name: 'algorithm-unknown', detail: 'exit code 3' } }],
    ['sleep 600', launch({ timeoutS: 1 }), { error: { name: 'timeout' } }],
    [
      'x=a; while :; do x=$x$x$x; done',
      launch({ resources: { cpus: 1, mem: 16 } }),
      { error: { name: 'out-of-memory', detail: /memory/ } },
    ],
    ['true', launch({ containerImage: 'localhost:1/no/such:image' }), { error: { name: 'pull' } }],
    ['true', launch({ containerImage: 'Not A Reference' }), { error: { name: 'pull' } }],
    [
      'true',
      {
        interface: { mounts: [{ name: 'M', path: '/m', mode: 'ro' }] },
        launch: { mounts: '{"M":{"type":"host","host_path":"/no/such/path"}}' },
      },
      { error: { name: 'docker-task-launch' } },
    ],
    ['true', launch({ containerImage: 'process:default' }), { error: { name: 'task-launch' } }],
  ];
  for (const [index, [script, more]] of cases.entries())
    bench.coordinator.send(containerLaunch(bench, index + 1, script, more));
  for (const [index, [script, , wanted]] of cases.entries()) {
    const update = await bench.coordinator.update(index + 1);
    t.match(update, { outcome: 'FAILED', ...wanted }, `${script}: ${JSON.stringify(update.error)}`);
    await eventually(async () => (await containersOf(bench, index + 1)).length === 0, 'the container gone');
  }
});

t.test('docker: a mount is where the manifest puts it', needs('docker'), async (t) => {
  const bench = await dockerBench(t);
  const mounted = join(bench.folder, 'mounted');
  await mkdir(mounted);
  chmodSync(mounted, 0o755);
  await writeFile(join(mounted, 'm.txt'), 'mounted');
  await bench.start();
  await bench.coordinator.connected();
  bench.coordinator.send(
    containerLaunch(
      bench,
      1,
      'cat /data/m.txt; touch /scratch/x || echo no; touch /data/x || echo read-only',
      {
        interface: {
          mounts: [
            { name: 'M', path: '/data', mode: 'ro' },
            { name: 'V', path: '/scratch', mode: 'ro' },
          ],
        },
        launch: {
          mounts: JSON.stringify({ M: { type: 'host', host_path: mounted }, V: { type: 'volume' } }),
        },
      },
    ),
  );
  const update = await bench.coordinator.update(1);
  t.equal(update.outcome, 'COMPLETED', JSON.stringify(update.error));
  await eventually(() => bench.coordinator.log(1) === 'mountedno\nread-only\n', 'the log');
  const filters = { label: [ownFolder(bench)] };
  const volumes = async () => (await engineAt(bench.host).listVolumes({ filters })).Volumes ?? [];
  await eventually(async () => (await volumes()).length === 0, 'its volume gone');
});

t.test(
  'docker: an agent that was killed finds its container again, with all of its log',
  needs('docker'),
  async (t) => {
    const bench = await dockerBench(t);
    const first = bench.spawn();
    await bench.coordinator.connected();
    bench.coordinator.send(
      containerLaunch(bench, 1, 'echo one; sleep 4; echo two; echo out > $OUTPUT_DIR/a; exit 0'),
    );
    bench.coordinator.send(containerLaunch(bench, 2, 'echo up; sleep 600'));
    await eventually(
      () => bench.coordinator.log(1).startsWith('one\n') && bench.coordinator.log(2) === 'up\n',
      'the tasks to begin',
    );
    await first.end('SIGKILL');
    await removeContainerOf(bench, 2);

    bench.spawn();
    t.match(await bench.coordinator.update(1), { outcome: 'COMPLETED', outputs: [{ fileName: 'a' }] });
    await eventually(() => bench.coordinator.log(1) === 'one\ntwo\n', 'the log');
    t.equal((await containersOf(bench, 1)).length <= 1, true);
  },
);

t.test(
  'docker: a container that somebody removed is terminated, and a killed one is canceled',
  needs('docker'),
  async (t) => {
    const bench = await dockerBench(t);
    await bench.start();
    await bench.coordinator.connected();
    for (const id of [1, 2]) bench.coordinator.send(containerLaunch(bench, id, 'echo up; sleep 600'));
    await eventually(() => [1, 2].every((id) => bench.coordinator.log(id) === 'up\n'), 'the tasks to begin');
    bench.coordinator.send({ type: 'kill', executionId: 2 });
    await removeContainerOf(bench, 1);
    t.match(await bench.coordinator.update(1), { outcome: 'FAILED' });
    t.match(await bench.coordinator.update(2), { outcome: 'CANCELED' });
  },
);

t.test('docker: without an engine the executor is not offered, and the agent starts', async (t) => {
  const docker = { host: 'unix:///nonexistent/docker.sock' };
  const bench = await agentBench(t, { executors: ['docker', 'process:default'], docker });
  await bench.start();
  await bench.coordinator.connected();
  t.strictSame(bench.coordinator.hellos[0]?.executors, ['process:default']);
});

t.test(
  'docker: a partial input is read through the mount of its bucket, others are fetched',
  needs('docker'),
  async (t) => {
    const bench = await dockerBench(t);
    const uuid = '5e1f9a52-0d0b-4a3e-9d6a-3f1f6f6a00b1';
    const mounted = join(bench.folder, 'mounted');
    await mkdir(join(mounted, 'a'), { recursive: true });
    chmodSync(mounted, 0o755);
    await writeFile(join(mounted, 'a/part.bin'), 'from the mount', { mode: 0o644 });
    await bench.start();
    await bench.coordinator.connected();
    const bucket = {
      uuid,
      name: 'bucket',
      // Nobody listens there: what is not mounted cannot be had.
      configuration: JSON.stringify({
        broker: {
          type: 'objstore',
          bucket_name: 'bucket',
          endpoint: 'http://127.0.0.1:1',
          host_path: mounted,
          credentials: { access_key_id: 'a', secret_access_key: 'b' },
        },
      }),
    };
    const file = {
      fileId: 1,
      workspaceUuid: uuid,
      path: 'a/part.bin',
      fileName: 'part.bin',
      isSource: true,
      record: '',
    };
    const send = (executionId: number, partial: boolean, size: number) =>
      bench.coordinator.send(
        containerLaunch(bench, executionId, 'cat "$IN"; echo x >> "$IN" || echo refused', {
          interface: {
            outputs: OUTPUTS,
            inputs: {
              files: [{ name: 'IN', required: true, mediaTypes: [], multiple: false, partial }],
              json: [],
            },
          },
          launch: {
            inputs: [{ name: 'IN', multiple: false, partial, files: [{ ...file, size }] }],
            workspaces: [hostWorkspace(bench.workspace), bucket],
          },
        }),
      );
    send(1, true, 14);
    const update = await bench.coordinator.update(1);
    t.match(update, { outcome: 'COMPLETED' }, JSON.stringify(update.error));
    await eventually(() => bench.coordinator.log(1).includes('refused'), 'the log');
    t.match(bench.coordinator.log(1), /^from the mount/);
    t.equal(await readFile(join(mounted, 'a/part.bin'), 'utf8'), 'from the mount', 'it is read-only');
    send(2, false, 14);
    t.match(await bench.coordinator.update(2), { outcome: 'FAILED', error: { name: 'filesystem-io' } });
    send(3, true, 15);
    t.match(await bench.coordinator.update(3), { outcome: 'FAILED', error: { name: 'filesystem-io' } });
  },
);
