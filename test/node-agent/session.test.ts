/**
 * The conversation itself: finding the node's owner, coming back for ever, files, workspaces, content,
 * ingests.
 */

import { mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { FilesSeen, Reachable } from '../../src/domain/node/agent-messages.ts';
import type { CoordinatorMessage } from '../../src/domain/node/coordinator-messages.ts';
import { gatherLaunches } from '../../src/domain/node/launches.ts';
import { agentBench } from '../support/agent/agent-bench.ts';
import { eventually } from '../support/agent/eventually.ts';
import { FakeCoordinator } from '../support/agent/fake-coordinator.ts';
import { hostWorkspace, makeLaunch, sha256, shell } from '../support/agent/make-launch.ts';

t.test(
  'session: a node that has moved is followed, and after its owner is gone the addresses are tried again',
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-owner-'));
    const owner = await FakeCoordinator.start(folder);
    t.teardown(() => {
      owner.stop();
      rmSync(folder, { recursive: true });
    });
    let answer: CoordinatorMessage | undefined = { type: 'moved', address: owner.address };
    const bench = await agentBench(t, {}, { answerHello: () => answer });
    await bench.start();
    await owner.connected();
    answer = undefined;
    owner.stop();
    await bench.coordinator.connected(2);
    await eventually(() => bench.coordinator.received.some(({ type }) => type === 'offer'), 'an offer');
  },
);

t.test(
  'session: coordinators named by another are tried too, also after a restart of the agent',
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-told-'));
    const other = await FakeCoordinator.start(folder);
    t.teardown(() => {
      other.stop();
      rmSync(folder, { recursive: true });
    });
    const bench = await agentBench(t);
    const first = await bench.start();
    const told = { type: 'coordinators', addresses: [other.address, 'not an address'] } as const;
    await bench.coordinator.connected();
    bench.coordinator.send(told);
    await eventually(() => bench.log.some((line) => line.includes('coordinators_kept')), 'it is learnt');
    bench.coordinator.stop();
    await other.connected();
    await first.stop();
    await bench.start();
    await other.connected(2);
  },
);

t.test('session: a refused agent says why, and tries again', async (t) => {
  const bench = await agentBench(
    t,
    {},
    { answerHello: () => ({ type: 'refused', reason: 'the token is wrong' }) },
  );
  const agent = await bench.start();
  await eventually(
    () => bench.log.some((line) => line.includes('the token is wrong')),
    'the reason in the log',
  );
  t.notOk(
    bench.log.some((line) => line.includes(bench.config.joinToken)),
    'and not the token',
  );
  await agent.stop();
});

t.test('session: an address that nobody answers does not keep the others from being tried', async (t) => {
  const spare = await agentBench(t);
  const bench = await agentBench(t, {
    addresses: [`unix:${spare.folder}/nobody.sock`, spare.coordinator.address],
  });
  await bench.start();
  await spare.coordinator.connected();
  t.equal(spare.coordinator.hellos.length, 1);
});

t.test('session: work continues without a connection, and reports follow once it is back', async (t) => {
  const bench = await agentBench(t);
  await bench.start();
  await bench.coordinator.connected();
  bench.coordinator.send(
    makeLaunch(1, { command: shell('echo one; until [ -e go ]; do sleep 0.05; done; echo two') }),
  );
  await eventually(() => bench.coordinator.log(1) === 'one\n', 'the first line');
  bench.coordinator.hangUp();
  await bench.coordinator.connected(2);
  t.match(bench.coordinator.hellos[1]?.executions, [{ executionId: 1, phase: 'main' }]);
  await writeFile(join(bench.config.folder, 'executions/1/work/go'), '');
  t.equal((await bench.coordinator.update(1)).outcome, 'COMPLETED');
  await eventually(() => bench.coordinator.log(1) === 'one\ntwo\n', 'the whole log');
});

t.test('session: a draining agent offers nothing and gives launches back', async (t) => {
  const bench = await agentBench(t);
  await bench.start();
  await bench.coordinator.connected();
  bench.coordinator.send({ type: 'drain' });
  const offers = () => bench.coordinator.received.filter((message) => message.type === 'offer');
  await eventually(() => Object.keys(offers().at(-1)?.resources ?? { x: 1 }).length === 0, 'an empty offer');
  bench.coordinator.send(makeLaunch(1));
  t.match(await bench.coordinator.update(1), { outcome: 'CANCELED', neverBegan: true });
});

t.test(
  'session: workspaces are checked, claimed on request, and reported again when they disappear',
  async (t) => {
    const bench = await agentBench(t, { declaredWorkspaces: [] });
    await bench.start();
    await bench.coordinator.connected();
    const one = hostWorkspace(bench.workspace);
    const other = hostWorkspace(join(bench.folder, 'nothing'), '99999999-2222-3333-4444-555555555555');
    const told = () =>
      bench.coordinator.received.filter((message): message is Reachable => message.type === 'reachable');
    bench.coordinator.send({ type: 'checkWorkspaces', workspaces: [one, other], claimUuids: [] });
    await eventually(() => told().length === 1, 'an answer');
    t.match(told()[0]?.workspaces, [
      { workspaceUuid: one.uuid, isReachable: false, isUnmarked: true },
      { isReachable: false },
    ]);
    bench.coordinator.send({ type: 'checkWorkspaces', workspaces: [one, other], claimUuids: [one.uuid] });
    await eventually(() => told().length === 2, 'a second answer');
    t.match(told()[1]?.workspaces, [
      { isReachable: true, isUnmarked: false },
      { isReachable: false, reason: /./ },
    ]);
  },
);

t.test('session: content is sent whole or in part, and a failure is reported', async (t) => {
  const bench = await agentBench(t);
  const text = 'x'.repeat(700_000);
  await writeFile(join(bench.workspace, 'a.txt'), `${text}END`);
  await bench.start();
  await bench.coordinator.connected();
  const workspace = hostWorkspace(bench.workspace);
  const ask = (requestId: string, path: string, offset = 0, length = 0) =>
    bench.coordinator.send({
      ...{ type: 'sendFile', requestId, workspace, path, offset, length, receiver: '' },
      onlyLook: requestId === 'look',
    });
  ask('look', 'a.txt');
  ask('whole', 'a.txt');
  ask('part', 'a.txt', 699_999, 3);
  ask('absent', 'b.txt');
  ask('outside', '../agent/journal');
  const got = bench.coordinator.content;
  await eventually(() => got.size === 5, 'five answers');
  t.match(got.get('look'), { text: '', error: '', totalSize: 0, fileSize: 700_003 });
  t.ok(got.get('whole')?.text === `${text}END` && got.get('whole')?.totalSize === 700_003);
  t.match(got.get('part'), { text: 'xEN', error: '', totalSize: 3 });
  t.match(got.get('absent'), { text: '', error: /not in its workspace/, isMissing: true });
  t.match(got.get('outside'), { text: '', error: /./, isMissing: true });
});

t.test('session: an ingest moves its file and is reported; a repeat moves nothing', async (t) => {
  const bench = await agentBench(t);
  await bench.start();
  await bench.coordinator.connected();
  await writeFile(join(bench.workspace, 'a.txt'), 'content');
  utimesSync(join(bench.workspace, 'a.txt'), 1_000_000, 1_000_000);
  const uuid = hostWorkspace('').uuid;
  const ingest: CoordinatorMessage = {
    type: 'ingest',
    workspaces: [hostWorkspace(bench.workspace)],
    items: [
      {
        ingestId: 5,
        executionId: 6,
        jobId: 7,
        exeNum: 1,
        owner: 'strike/1',
        sourceWorkspaceUuid: uuid,
        sourcePath: 'a.txt',
        expectedSize: 7,
        expectedMtimeMs: 1_000_000_000,
        targetWorkspaceUuid: uuid,
        targetPath: 'in/a.txt',
        expectedIdentity: '',
      },
    ],
  };
  bench.coordinator.send(ingest);
  await eventually(() => bench.coordinator.ingestUpdates().length === 1, 'an update');
  t.match(bench.coordinator.ingestUpdates()[0], {
    ingestId: 5,
    executionId: 6,
    jobId: 7,
    owner: 'strike/1',
    outcome: 'stored',
    path: 'in/a.txt',
    size: 7,
    sha256: sha256('content'),
  });
  await eventually(async () => !(await readdir(bench.workspace)).includes('a.txt'), 'the source gone');
  t.equal(await readFile(join(bench.workspace, 'in/a.txt'), 'utf8'), 'content');
});

t.test('session: a monitor reports files, and again after a lost session until acknowledged', async (t) => {
  const bench = await agentBench(t);
  await bench.start();
  await bench.coordinator.connected();
  const workspace = hostWorkspace(bench.workspace);
  bench.coordinator.send({
    type: 'checkWorkspaces',
    workspaces: [workspace],
    claimUuids: [workspace.uuid],
  });
  const seen = () =>
    bench.coordinator.received.filter((message): message is FilesSeen => message.type === 'filesSeen');
  await eventually(() => bench.coordinator.received.some(({ type }) => type === 'reachable'), 'the claim');
  bench.coordinator.send({
    type: 'monitor',
    executionId: 3,
    owner: 'strike/2',
    workspace,
    transferSuffix: '_tmp',
    stableMs: 50,
    sinceMs: 0,
    listEveryMs: 1_000,
  });
  await writeFile(join(bench.workspace, 'new.txt'), 'x');
  await eventually(
    () =>
      seen().some(({ files }) =>
        files.some(({ path, arrival }) => path === 'new.txt' && arrival === 'complete'),
      ),
    'the file',
  );
  t.equal(seen()[0]?.owner, 'strike/2');
  bench.coordinator.hangUp();
  await bench.coordinator.connected(2);
  t.strictSame(bench.coordinator.hellos[1]?.monitorExecutionIds, [3]);
  bench.coordinator.send({ type: 'stopMonitor', executionId: 3 });
});

t.test(
  'session: launches in one message run like single ones; one without its revision is dropped',
  async (t) => {
    const bench = await agentBench(t);
    await bench.start();
    const { coordinator } = bench;
    await coordinator.connected();
    t.equal(coordinator.hellos[0]?.takesLaunches, true);
    const launches = [1, 2, 3].map((id) => makeLaunch(id, { command: shell(`echo ${id}`) }));
    coordinator.send(gatherLaunches(launches));
    for (const id of [1, 2, 3]) {
      t.match(await coordinator.update(id), { outcome: 'COMPLETED' });
      await eventually(() => coordinator.log(id) === `${id}\n`, 'its own command has run');
    }
    coordinator.send({ ...gatherLaunches([makeLaunch(4)]), revisions: [] });
    await eventually(() => coordinator.hellos.length === 2, 'another session');
  },
);

for (const takesIngestUpdates of [false, true]) {
  t.test(`session: many ingests are reported, several in a message: ${takesIngestUpdates}`, async (t) => {
    const welcome = { type: 'welcome', nodeId: 1, sessionId: 's1', heartbeatMs: 200 } as const;
    const answerHello = () => ({
      ...welcome,
      takesIngestUpdates,
      takesTaskUpdates: false,
      comparesBoots: false,
    });
    const bench = await agentBench(t, {}, { answerHello });
    await bench.start();
    const { coordinator } = bench;
    await coordinator.connected();
    const uuid = hostWorkspace('').uuid;
    const items = Array.from({ length: 9 }, (_, at) => ({
      ...{ ingestId: at + 1, executionId: at + 1, jobId: at + 1, exeNum: 1, owner: 'strike/1' },
      ...{ sourceWorkspaceUuid: uuid, sourcePath: `f${at}`, expectedSize: 1, expectedIdentity: '' },
      ...{ expectedMtimeMs: 0, targetWorkspaceUuid: '', targetPath: '' },
    }));
    coordinator.send({ type: 'ingest', workspaces: [hostWorkspace(bench.workspace)], items });
    await eventually(() => coordinator.ingestUpdates().length === items.length, 'all reports');
    t.match(coordinator.ingestUpdates()[0], { type: 'ingestUpdate', owner: 'strike/1', outcome: 'gone' });
    const counts = coordinator.ingestCounts;
    t.equal(
      counts.reduce((sum, count) => sum + count, 0),
      items.length,
    );
    if (!takesIngestUpdates) t.ok(counts.every((count) => count === 1));
  });
}
