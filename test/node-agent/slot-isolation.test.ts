/**
 * What one process task may leave to the next of the same user, and what it gets of whoever started the agent: nothing.
 * With real agents, as root.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { type AgentBench, agentBench } from '../support/agent/agent-bench.ts';
import { eventually } from '../support/agent/eventually.ts';
import { makeLaunch, shell } from '../support/agent/make-launch.ts';

const isRoot = process.getuid?.() === 0;
const needsRoot = isRoot ? {} : { skip: 'needs root' };
const mayMount =
  isRoot && spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/tmp']).status === 0;
const needsMounts = mayMount ? {} : { skip: 'needs root that may make mount namespaces' };

/** One user for all tasks: each gets the slot of the one before. */
const ONE_USER = { taskUsers: { first: 2_000_000_000, count: 1 } };
const UID = '2000000000';
let lastId = 0;

/**
 * Runs a script as a task and answers what it printed. Its predecessor is acknowledged before its slot is cleared:
 * until then there is no user for another task, and this one is launched again.
 */
async function run(bench: AgentBench, script: string): Promise<string> {
  for (;;) {
    lastId += 1;
    const executionId = lastId;
    bench.coordinator.send(makeLaunch(executionId, { command: shell(script) }));
    const update = await bench.coordinator.update(executionId);
    if (update.error?.name === 'resource-starvation') continue;
    const folder = join(bench.config.folder, 'executions', String(executionId));
    // Gone once it is acknowledged and its output shipped.
    await eventually(() => !existsSync(folder), 'the folder gone');
    t.equal(
      update.outcome,
      'COMPLETED',
      JSON.stringify([update.error, bench.coordinator.log(executionId, 'stderr')]),
    );
    return bench.coordinator.log(executionId);
  }
}

const LEAVE = [
  'for d in /tmp /var/tmp /dev/shm; do',
  '  echo secret > $d/left; mkdir -p $d/deep/er; echo secret > $d/deep/er/left; chmod 0 $d/deep',
  'done',
  'ls -d /tmp/left /var/tmp/left /dev/shm/left',
].join('\n');
const LOOK = 'id -u; for d in /tmp /var/tmp /dev/shm; do find $d -user $(id -u) 2>/dev/null; done; true';
const LEFT = '/dev/shm/left\n/tmp/left\n/var/tmp/left\n';

function hostHas(uid: string): string[] {
  return ['/tmp', '/var/tmp', '/dev/shm'].flatMap((folder) =>
    readdirSync(folder)
      .map((name) => join(folder, name))
      .filter((path) => String(lstatSync(path, { throwIfNoEntry: false })?.uid) === uid),
  );
}

t.test('slots: no task inherits descriptors of the shell that started the agent', needsRoot, async (t) => {
  const bench = await agentBench(t, ONE_USER);
  const secret = join(bench.folder, 'secret');
  writeFileSync(secret, 'secret');
  bench.spawn(['/bin/bash', '-c', `exec 7<${secret} 20<${secret} 63<${secret}; exec "$@"`, 'shell']);
  await bench.coordinator.connected();
  // The fourth is how `ls` reads the folder.
  t.equal(await run(bench, 'ls /proc/self/fd; readlink /proc/$$/fd/* >&2; true'), '0\n1\n2\n3\n');
  t.notMatch(bench.coordinator.log(lastId, 'stderr'), /secret/);
});

t.test(
  'slots: the next task finds no temporary files and IPC objects of the last',
  needsMounts,
  async (t) => {
    const bench = await agentBench(t, ONE_USER);
    const agent = await bench.start();
    await bench.coordinator.connected();
    t.equal(await run(bench, LEAVE), LEFT);
    t.strictSame(hostHas(UID), [], 'the host has never had it');
    t.equal(await run(bench, LOOK), `${UID}\n`, 'the same user finds nothing');

    const objects = 'perl -e "shmget(7,4096,01666)//die; msgget(7,01666)//die; semget(7,1,01666)//die"';
    const count = 'for kind in shm msg sem; do tail -n +2 /proc/sysvipc/$kind; done | wc -l';
    t.equal(await run(bench, `${objects}; ${count}`), '3\n');
    t.equal(await run(bench, count), '0\n');

    const ns = 'readlink /proc/$$/ns/mnt';
    t.equal(await run(bench, ns), await run(bench, ns), 'the namespace is made once a slot');
    await agent.stop();
  },
);

t.test(
  'slots: the task and its program stay visible where the data folder lies in /tmp',
  needsMounts,
  async (t) => {
    const bench = await agentBench(t, ONE_USER);
    t.ok(bench.folder.startsWith('/tmp/'), bench.folder);
    const program = join(bench.folder, 'tool');
    writeFileSync(
      program,
      '#!/bin/sh\npwd; ls -A /tmp; [ -e "$OUTPUT_DIR" ] && echo there; cat "$0" | wc -l\n',
    );
    chmodSync(program, 0o755);
    writeFileSync(join(bench.folder, 'beside'), 'hidden', { mode: 0o644 });
    await bench.start();
    await bench.coordinator.connected();
    bench.coordinator.send(makeLaunch(1, { command: `${program}` }));
    t.match(await bench.coordinator.update(1), { outcome: 'COMPLETED' });
    const top = bench.folder.split('/')[2];
    const work = join(bench.config.folder, 'executions/1/work');
    await eventually(() => bench.coordinator.log(1) === `${work}\n${top}\nthere\n2\n`, 'its output');
    const beside = `ls ${bench.folder}; touch ${bench.folder}/mine 2>/dev/null || echo refused`;
    t.match(await run(bench, beside), /^agent\n(tool\n)?refused\n$/);
  },
);

t.test('slots: an ended task’s folder is closed to the next task of its user', needsRoot, async (t) => {
  const bench = await agentBench(t, ONE_USER, { isAcking: false });
  await bench.start();
  await bench.coordinator.connected();
  const secrets = ['output', 'work'].map((name) => join(bench.config.folder, `executions/1/${name}/secret`));
  const leave = `echo secret > $OUTPUT_DIR/secret; echo secret > secret; cat ${secrets.join(' ')}`;
  bench.coordinator.send(makeLaunch(1, { command: shell(leave) }));
  await bench.coordinator.update(1);
  await eventually(() => bench.coordinator.log(1) === 'secret\nsecret\n', 'it reads its own');
  // Its slot is given back a moment after its report.
  let [executionId, name] = [1, ''];
  do {
    executionId += 1;
    bench.coordinator.send(makeLaunch(executionId, { command: shell(`cat ${secrets.join(' ')}; id -u`) }));
    name = (await bench.coordinator.update(executionId)).error?.name ?? '';
  } while (name === 'resource-starvation');
  await eventually(() => bench.coordinator.log(executionId) !== '', 'its output');
  t.equal(bench.coordinator.log(executionId), `${UID}\n`);
  t.ok(
    secrets.every((path) => existsSync(path)),
    'the folder stays until the end is acknowledged',
  );
});

t.test('slots: a folder is kept as long as tasks leave it untouched', needsRoot, async (t) => {
  const bench = await agentBench(t, ONE_USER);
  await bench.start();
  await bench.coordinator.connected();
  const look = 'stat -c %i ..; find .. 2>/dev/null | sort';
  const seen = new Set<string>();
  let said = await run(bench, look);
  for (let task = 0; task < 500 && !seen.has(said.split('\n', 1)[0] ?? ''); task += 1) {
    t.equal(said.split('\n').slice(1).join(' '), '.. ', 'it can list nothing above');
    seen.add(said.split('\n', 1)[0] ?? '');
    said = await run(bench, look);
  }
  const [kept = ''] = said.split('\n', 1);
  t.ok(seen.has(kept), 'one was given again');
  const found = await run(bench, 'ls -A . $OUTPUT_DIR; cat ../stdout; touch left $OUTPUT_DIR/left; true');
  t.notMatch(found, /left|hello/);
  for (let task = 0; task < 10; task += 1) {
    t.equal(await run(bench, 'ls -A . | wc -l; ls -A $OUTPUT_DIR | wc -l'), '0\n0\n', 'nothing is left');
  }
});

t.test('slots: mounts of the host come and go while a slot is used', needsMounts, async (t) => {
  const bench = await agentBench(t, ONE_USER);
  const place = mkdtempSync('/run/millrace-test-');
  const mount = (...words: string[]) =>
    t.equal(spawnSync(words[0] as string, words.slice(1)).status, 0, words.join(' '));
  t.teardown(() => {
    spawnSync('umount', ['--recursive', place]);
    rmSync(place, { recursive: true, force: true });
  });
  chmodSync(place, 0o755);
  mount('mount', '--bind', place, place);
  mount('mount', '--make-shared', place);
  mkdirSync(join(place, 'later'));
  await bench.start();
  await bench.coordinator.connected();
  const look = `ls ${place}/later`;
  t.equal(await run(bench, look), '');
  mount('mount', '-t', 'tmpfs', 'tmpfs', join(place, 'later'));
  writeFileSync(join(place, 'later/file'), '');
  t.equal(await run(bench, look), 'file\n');
  mount('umount', join(place, 'later'));
  t.equal(await run(bench, look), '');
});

t.test('slots: /dev/shm is as large as the job asks for', needsMounts, async (t) => {
  const bench = await agentBench(t, ONE_USER);
  await bench.start();
  await bench.coordinator.connected();
  const command = shell("stat -f -c '%S %b' /dev/shm | { read s b; echo $((s * b / 1048576)); }");
  for (const [index, sharedmem] of [undefined, 5].entries()) {
    const resources = { cpus: 1, mem: 128, disk: 10, gpus: 0, ...(sharedmem && { sharedmem }) };
    bench.coordinator.send(makeLaunch(index + 1, { command, launch: { resources } }));
    await bench.coordinator.update(index + 1);
    await eventually(() => bench.coordinator.log(index + 1) === `${sharedmem ?? 64}\n`, 'its size');
  }
});

t.test('slots: the next start of a killed agent empties them', needsMounts, async (t) => {
  const bench = await agentBench(t, ONE_USER);
  const first = bench.spawn();
  await bench.coordinator.connected();
  bench.coordinator.send(makeLaunch(1, { command: shell(`${LEAVE}; echo up; sleep 600`) }));
  await eventually(() => bench.coordinator.log(1).endsWith('up\n'), 'the task to begin');
  bench.coordinator.isAcking = false;
  await first.end('SIGKILL');
  const left = join(bench.config.folder, 'slots/0/tmp/left');
  t.ok(existsSync(left), 'it is below the data folder');
  bench.spawn();
  await bench.coordinator.connected(2);
  t.ok(existsSync(left), 'the task continues with it');
  bench.coordinator.send({ type: 'kill', executionId: 1 });
  await bench.coordinator.update(1);
  const top = bench.folder.split('/')[2];
  const emptied = () => readdirSync(join(bench.config.folder, 'slots/0/tmp')).join() === top;
  await eventually(emptied, 'nothing but the mount point');
});

t.test('slots: without namespaces the files of a user on the host are removed', needsRoot, async (t) => {
  const bench = await agentBench(t, ONE_USER);
  const others = mkdtempSync('/tmp/millrace-shared-');
  t.teardown(() => rmSync(others, { recursive: true, force: true }));
  chmodSync(others, 0o777);
  writeFileSync(join(others, 'kept'), '');
  const agent = bench.spawn(['setpriv', '--bounding-set', '-sys_admin', '--inh-caps', '-sys_admin']);
  await bench.coordinator.connected();
  await eventually(() => /temporary_folders_shared/.test(agent.log), 'it says so');
  const said = await run(bench, `${LEAVE}; echo secret > ${others}/left; echo $TMPDIR`);
  t.match(said, join(bench.config.folder, `executions/${lastId}/work`));
  t.equal(await run(bench, LOOK), `${UID}\n`);
  t.strictSame(hostHas(UID), []);
  t.strictSame(readdirSync(others), ['kept']);
});
