/** Images of a real registry in a real engine, and what is left in the engine of agents that are no more. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { AgentConfig } from '../../../node-agent/config.ts';
import { type AgentBench, agentBench } from '../../support/agent/agent-bench.ts';
import { BUSYBOX_IMAGE, engineAt, ensureBusyboxImage } from '../../support/agent/busybox-image.ts';
import { eventually } from '../../support/agent/eventually.ts';
import { makeLaunch } from '../../support/agent/make-launch.ts';
import { needsPrograms, REGISTRY_PASSWORD, REGISTRY_USER, testRegistry } from '../../support/registry.ts';
import { needs, serviceUrl } from '../../support/services/services.ts';

const NEEDS = { ...needs('docker'), ...needsPrograms('docker-registry') };

async function dockerBench(t: Test, more: Partial<AgentConfig['containers']> = {}) {
  const host = await serviceUrl('docker');
  const containers = {
    network: 'none',
    user: '65534:65534',
    imageCacheMib: 1,
    runtime: 'auto',
    ...more,
  } as const;
  const mappedUsers = { first: 2_000_100_000, count: 65_536 };
  const bench = await agentBench(t, {
    executors: ['docker'],
    docker: { host },
    containers: { mappedUsers, ...containers },
  });
  return { ...bench, host };
}

async function run(
  bench: AgentBench,
  id: number,
  containerImage: string,
  script: string,
  launch: object = {},
) {
  bench.coordinator.send(makeLaunch(id, { command: `'${script}'`, launch: { containerImage, ...launch } }));
  return bench.coordinator.update(id);
}

t.test('docker images: they are pulled by name and digest, with a login', NEEDS, async (t) => {
  const registry = await testRegistry(t, { isPrivate: true });
  const digest = await registry.push('team/tool', '1.0');
  const file = join(t.testdir(), 'auth.json');
  const bench = await dockerBench(t, { registryAuthFile: file });
  await bench.start();
  await bench.coordinator.connected();
  const named = `${registry.address}/team/tool:1.0`;

  writeFileSync(file, JSON.stringify({ auths: {} }));
  const refused = await run(bench, 1, named, 'true');
  t.match(refused, { outcome: 'FAILED', error: { name: 'pull', detail: /basic auth|unauthorized/ } });

  const auth = Buffer.from(`${REGISTRY_USER}:${REGISTRY_PASSWORD}`).toString('base64');
  writeFileSync(file, JSON.stringify({ auths: { [registry.address]: { auth } } }));
  const done = await run(bench, 2, named, 'echo by name');
  t.match(done, { outcome: 'COMPLETED' }, JSON.stringify(done.error));
  await engineAt(bench.host).getImage(named).remove({ force: true });
  const byDigest = await run(bench, 3, `${registry.address}/team/tool@${digest}`, 'echo by digest');
  t.match(byDigest, { outcome: 'COMPLETED' }, JSON.stringify(byDigest.error));

  const missing = await run(bench, 4, `${registry.address}/team/none:1.0`, 'true');
  t.match(missing, { outcome: 'FAILED', error: { name: 'pull' } });
  const all = bench.log.join('\n') + JSON.stringify([refused, done, byDigest, missing]);
  t.notMatch(all, REGISTRY_PASSWORD);
  t.notOk(all.includes(auth), 'no secret is reported');
});

t.test('docker images: a pull from an unreachable registry is tried again', NEEDS, async (t) => {
  const bench = await dockerBench(t);
  await bench.start();
  await bench.coordinator.connected();
  const update = await run(bench, 1, '127.0.0.1:9/a/tool:1', 'true');
  t.match(update, { outcome: 'FAILED', error: { name: 'pull' } });
  t.ok(bench.log.filter((line) => line.includes('pull_tried_again')).length >= 2);
});

t.test('docker: a container has the limits of its execution', needs('docker'), async (t) => {
  const bench = await dockerBench(t);
  await ensureBusyboxImage(engineAt(bench.host));
  await bench.start();
  await bench.coordinator.connected();
  const resources = { cpus: 1.5, mem: 96, sharedmem: 32, disk: 10, gpus: 0 };
  bench.coordinator.send(
    makeLaunch(1, {
      command: '\'trap "exit 1" TERM; while :; do sleep 0.1; done\'',
      launch: { containerImage: BUSYBOX_IMAGE, resources },
    }),
  );
  await eventually(async () => (await inspect(bench, 1)) !== undefined, 'the container');
  const found = await inspect(bench, 1);
  t.match(found?.HostConfig, {
    Memory: 96 * 1024 ** 2,
    MemorySwap: 96 * 1024 ** 2,
    NanoCpus: 1.5e9,
    ShmSize: 32 * 1024 ** 2,
    PidsLimit: 1_024,
    NetworkMode: 'none',
    ReadonlyRootfs: false,
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges'],
    Privileged: false,
    LogConfig: { Type: 'json-file' },
  });
  bench.coordinator.send({ type: 'kill', executionId: 1 });
  t.match(await bench.coordinator.update(1), { outcome: 'CANCELED' });
});

t.test(
  'docker: a task gets a network or a read-only root only if its manifest asks for it',
  needs('docker'),
  async (t) => {
    const bench = await dockerBench(t, { network: 'host' });
    await ensureBusyboxImage(engineAt(bench.host));
    await bench.start();
    await bench.coordinator.connected();
    t.ok((bench.coordinator.hellos[0]?.resources.network ?? 0) > 0, 'it is offered');
    const script = 'ls /sys/class/net | wc -l; touch /x || echo ro; touch /tmp/x && echo tmp';
    const launch = makeLaunch(1, {
      command: `'${script}'`,
      launch: { containerImage: BUSYBOX_IMAGE, resources: { cpus: 1, mem: 64, network: 1 } },
    });
    const manifest = JSON.parse(launch.manifest);
    manifest.job.tags = ['read-only-root'];
    bench.coordinator.send({ ...launch, manifest: JSON.stringify(manifest) });
    const update = await bench.coordinator.update(1);
    t.match(update, { outcome: 'COMPLETED' }, JSON.stringify(update.error));
    await eventually(() => bench.coordinator.log(1).endsWith('tmp\n'), 'the log');
    t.match(bench.coordinator.log(1), /^\d+\nro\ntmp\n$/);
    await run(bench, 2, BUSYBOX_IMAGE, 'ls /sys/class/net');
    await eventually(() => bench.coordinator.log(2) === 'lo\n', 'nothing but loopback without asking');
  },
);

t.test('docker: an agent with a new identity removes its old containers', needs('docker'), async (t) => {
  const bench = await dockerBench(t);
  const engine = engineAt(bench.host);
  await ensureBusyboxImage(engine);
  const folder = join(bench.config.folder, 'executions');
  const leave = async (labels: object) => {
    const container = await engine.createContainer({
      Image: BUSYBOX_IMAGE,
      Cmd: ['sleep 600'],
      Labels: { 'millrace.agent': 'another', 'millrace.execution': '1', ...labels },
      HostConfig: { NetworkMode: 'none' },
    });
    await container.start();
    return container;
  };
  await leave({ 'millrace.folder': folder });
  const foreign = await leave({ 'millrace.folder': '/elsewhere' });
  t.teardown(() => foreign.remove({ force: true }));
  await engine.createVolume({ Name: 'millrace-left', Labels: { 'millrace.folder': folder } });
  await bench.start();
  await bench.coordinator.connected();
  const left = await engine.listContainers({ all: true, filters: { label: [`millrace.folder=${folder}`] } });
  t.same(left, []);
  t.equal((await foreign.inspect()).State.Running, true, 'of another agent nothing is touched');
  const { Volumes } = await engine.listVolumes();
  t.notOk((Volumes ?? []).some(({ Name }) => Name === 'millrace-left'));
});

/** Other tests use the engine beside this one, with the same ids. */
async function inspect({ host, config }: Awaited<ReturnType<typeof dockerBench>>, executionId: number) {
  const folder = join(config.folder, 'executions');
  const label = [`millrace.execution=${executionId}`, `millrace.folder=${folder}`];
  const [found] = await engineAt(host).listContainers({ filters: { label } });
  return found && engineAt(host).getContainer(found.Id).inspect();
}
