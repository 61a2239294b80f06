/** Containers without an engine, through an agent and its images: what the suite of all executors does not ask. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { systemClock as clock } from '../../../node-agent/clock.ts';
import { AGENT_DEFAULTS, type AgentConfig } from '../../../node-agent/config.ts';
import { OciImages } from '../../../node-agent/executor/oci/images.ts';
import { groupPrefix } from '../../conformance/containment/host-view.ts';
import { type AgentBench, agentBench } from '../../support/agent/agent-bench.ts';
import { eventually } from '../../support/agent/eventually.ts';
import { hostWorkspace, makeLaunch, outputFile } from '../../support/agent/make-launch.ts';
import { needsPrograms, REGISTRY_PASSWORD, REGISTRY_USER, testRegistry } from '../../support/registry.ts';
import { silentLog as log } from '../../support/silent-log.ts';

const isRoot = process.getuid?.() === 0 ? {} : { skip: 'not run: namespaces of containers need root' };
const NEEDS = { ...isRoot, ...needsPrograms('runc', 'skopeo', 'umoci', 'docker-registry') };
const OUTPUTS = { files: [outputFile('OUT', '*', { multiple: true, required: false })], json: [] };
const MIB = 1024 * 1024;
const never = new AbortController().signal;

async function ociBench(t: Test, containers: Partial<AgentConfig['containers']> = {}): Promise<AgentBench> {
  const all = { ...AGENT_DEFAULTS.containers, ...containers };
  return agentBench(t, { executors: ['oci'], containers: all });
}

function launch(bench: AgentBench, id: number, image: string, script: string, more: object = {}) {
  return makeLaunch(id, {
    command: `'${script}'`,
    interface: { outputs: OUTPUTS },
    launch: {
      containerImage: image,
      outputs: [{ output: 'OUT', workspaceUuid: hostWorkspace('').uuid }],
      workspaces: [hostWorkspace(bench.workspace)],
      ...more,
    },
  });
}

/** The address of an image of tools, in a registry of the test's own. */
async function toolImage(t: Test): Promise<string> {
  const registry = await testRegistry(t);
  await registry.push('team/tool', '1');
  return `${registry.address}/team/tool:1`;
}

t.test(
  'oci: an agent that was killed finds its containers again, and nothing of them is left',
  NEEDS,
  async (t) => {
    const image = await toolImage(t);
    const bench = await ociBench(t);
    const first = bench.spawn();
    await bench.coordinator.connected();
    t.strictSame(bench.coordinator.hellos[0]?.executors, ['oci']);
    bench.coordinator.send(launch(bench, 1, image, 'echo one; sleep 3; echo two; echo out > $OUTPUT_DIR/a'));
    bench.coordinator.send(launch(bench, 2, image, 'echo up; sleep 600'));
    bench.coordinator.send(
      launch(bench, 3, image, 'trap "exit 1" TERM; echo up; while :; do sleep 0.05; done'),
    );
    const begun = () =>
      ['one\n', 'up\n', 'up\n'].every((line, index) => bench.coordinator.log(index + 1).startsWith(line));
    await eventually(begun, 'the tasks to begin');
    const prefix = groupPrefix(join(bench.config.folder, 'executions'));
    const groups = () =>
      readdirSync('/sys/fs/cgroup/pids').filter(
        (name) => name.startsWith(prefix) && !name.includes('-kept-'),
      );
    t.equal(groups().length, 3);
    await first.end('SIGKILL');
    // What holds the second container is killed as well: its exit code is lost, and it must not continue.
    const supervisor = join(bench.config.folder, 'executions/2/supervisor');
    process.kill(Number.parseInt(await readFile(supervisor, 'utf8'), 10), 'SIGKILL');

    bench.spawn();
    const done = await bench.coordinator.update(1);
    t.match(
      done,
      { outcome: 'COMPLETED', outputs: [{ fileName: 'a', size: 4 }] },
      JSON.stringify(done.error),
    );
    t.equal(await readFile(join(bench.workspace, done.outputs[0]?.path as string), 'utf8'), 'out\n');
    await eventually(() => bench.coordinator.log(1) === 'one\ntwo\n', 'the log');
    t.match(await bench.coordinator.update(2), { outcome: 'FAILED', error: { name: 'docker-terminated' } });
    bench.coordinator.send({ type: 'kill', executionId: 3 });
    t.match(await bench.coordinator.update(3), { outcome: 'CANCELED' });
    await eventually(() => bench.foldersOfTasks().length === 0, 'the folders gone');
    t.notMatch(await readFile('/proc/self/mounts', 'utf8'), bench.folder, 'no mount is left on the host');
    t.strictSame(groups(), []);
  },
);

// limit: tasks until one is given the folder of the task before it; a pause takes 30 s.
const RUNS_MAX = 300;

t.test(
  'oci: a folder that a container left untouched is another one’s, with nothing in it',
  NEEDS,
  async (t) => {
    const image = await toolImage(t);
    const bench = await ociBench(t);
    await bench.start();
    await bench.coordinator.connected();
    const run = async (id: number, script: string): Promise<string> => {
      bench.coordinator.send(launch(bench, id, image, script));
      t.match(await bench.coordinator.update(id), { outcome: 'COMPLETED' });
      await eventually(() => bench.foldersOfTasks().length === 0, 'its folder to be given up');
      await eventually(() => bench.coordinator.log(id).endsWith('end\n'), 'its log');
      return bench.coordinator.log(id);
    };
    const which = 'busybox stat -c %i $OUTPUT_DIR; echo end';
    // A folder is made ahead beside the first tasks, and none is given for a while after a call that took long.
    let id = 1;
    const seen = new Set<string>();
    let used = await run(id, which);
    while (!seen.has(used) && id < RUNS_MAX) {
      id += 1;
      seen.add(used);
      used = await run(id, which);
    }
    t.ok(seen.has(used), 'a folder is used twice');
    const written = 'mkdir -p /tmp; echo secret > /tmp/a; echo secret > $OUTPUT_DIR/a';
    await run(id + 1, `${written}; ${which}`);
    const look = 'busybox find / $OUTPUT_DIR -xdev -name a; cat /tmp/a; echo end';
    for (const later of [2, 3, 4, 5, 6]) t.equal(await run(id + later, look), 'end\n');
  },
);

t.test('oci: what a container used is its own, also in groups of one before it', NEEDS, async (t) => {
  const image = await toolImage(t);
  const bench = await ociBench(t);
  const agent = await bench.start();
  await bench.coordinator.connected();
  const prefix = groupPrefix(join(bench.config.folder, 'executions'));
  const kept = () => readdirSync('/sys/fs/cgroup/pids').filter((name) => name.startsWith(`${prefix}kept-`));
  const used = async (id: number, script: string) => {
    bench.coordinator.send(launch(bench, id, image, script));
    const update = await bench.coordinator.update(id);
    await eventually(() => bench.foldersOfTasks().length === 0, 'it to be released');
    return { ...update.used, outcome: update.outcome, error: update.error?.name };
  };
  const large = await used(1, 'x=$(busybox head -c 40000000 /dev/zero | busybox tr "\\0" a)');
  t.ok((large.memoryBytes ?? 0) > 40 * MIB, `${large.memoryBytes}`);
  const killed = await used(2, '(x=a; while :; do x=$x$x$x; done); exit 0');
  t.match(killed, { outcome: 'COMPLETED' }, 'what is killed in it is its own affair');
  const failed = await used(3, 'exit 3');
  t.equal(failed.error, 'algorithm-unknown', 'nobody else’s want of memory is the reason');
  for (const id of [4, 5]) {
    const small = await used(id, 'true');
    t.ok((small.memoryBytes ?? 0) < 10 * MIB, `${small.memoryBytes}`);
    t.ok((small.processorUs ?? 0) < (large.processorUs ?? 0));
  }
  if (existsSync('/sys/fs/cgroup/cgroup.controllers')) return t.comment('version 2 keeps none');
  t.equal(kept().length, 1, 'one after another they have the same groups');
  await agent.stop();
  t.strictSame(kept(), []);
});

t.test('oci: without an engine a task that needs one is refused with the reason', NEEDS, async (t) => {
  const registry = await testRegistry(t);
  await registry.push('team/tool', '1');
  const bench = await ociBench(t);
  await bench.start();
  await bench.coordinator.connected();
  const image = `${registry.address}/team/tool:1`;
  bench.coordinator.send(launch(bench, 1, image, 'true', { resources: { cpus: 1, mem: 64, gpus: 1 } }));
  t.match(await bench.coordinator.update(1), { error: { name: 'docker-task-launch', detail: /GPUs/ } });
  bench.coordinator.send(
    launch(bench, 2, image, 'x=a; while :; do x=$x$x$x; done', { resources: { mem: 16 } }),
  );
  t.match(await bench.coordinator.update(2), { error: { name: 'out-of-memory' } });
  bench.coordinator.send(launch(bench, 3, image, 'sleep 600', { timeoutS: 1 }));
  t.match(await bench.coordinator.update(3), { error: { name: 'timeout' } });
});

t.test(
  'oci images: each digest is unpacked once, with a login, within the limit of the cache',
  NEEDS,
  async (t) => {
    const registry = await testRegistry(t, { isPrivate: true });
    const digest = await registry.push('team/tool', '1');
    await registry.push('team/tool', 'same');
    const folder = join(t.testdir(), 'images');
    const authFile = join(t.testdir({ 'auth.json': '{}' }), 'auth.json');
    const { mappedUsers } = AGENT_DEFAULTS.containers;
    const images = new OciImages({ folder, cacheMib: 1, mappedUsers, authFile, clock, log });
    const at = (tail: string) => `${registry.address}/team/${tail}`;
    await t.rejects(images.pull(at('tool:1'), never), {
      errorName: 'pull',
      message: /unauthorized|authentication/,
    } as never);
    const auth = Buffer.from(`${REGISTRY_USER}:${REGISTRY_PASSWORD}`).toString('base64');
    await writeFile(authFile, JSON.stringify({ auths: { [registry.address]: { auth } } }));

    await Promise.all(['tool:1', 'tool:same', `tool@${digest}`].map((tail) => images.pull(at(tail), never)));
    const kept = () => readdirSync(folder).filter((name) => name !== 'names');
    t.same(kept(), [digest.slice('sha256:'.length)], 'three names, one copy, nothing half done');
    const taken = await images.take(1, at('tool:1'));
    t.equal(taken.digest, digest);
    t.same(taken.facts.entrypoint, ['/bin/sh', '-c']);
    const runAs = (gid: number) =>
      spawnSync(join(taken.root, 'bin/busybox'), ['true'], { uid: 12_345, gid, cwd: '/' });
    const isClosed = () => (runAs(12_345).error as NodeJS.ErrnoException | undefined)?.code === 'EACCES';
    t.ok(isClosed(), 'a program of an image may have capabilities: no user of the host can run it');
    t.equal(runAs(mappedUsers.first).status, 0, 'runtimes can enter');
    chmodSync(folder, 0o711);
    await images.removeLeftovers();
    t.ok(isClosed(), 'also what an earlier release has left open');

    const other = await registry.push('team/other', '1', { Labels: { other: 'yes' } });
    await images.pull(at('other:1'), never);
    t.equal(kept().length, 2, 'what is in use stays, beyond the size');
    images.giveBack(1);
    await registry.push('team/third', '1', { Labels: { third: 'yes' } });
    await images.pull(at('third:1'), never);
    t.notOk(existsSync(taken.root), 'what was not used for longest went');
    t.equal(kept().length, 1);
    t.equal(
      (await images.take(2, at(`other@${other}`))).digest,
      other,
      'what went is pulled again when it is wanted',
    );
    await registry.stop();
    await images.pull(at('other:1'), never);
  },
);
