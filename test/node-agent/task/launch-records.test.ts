/** Records of launches: which are synced before their tasks start, and what follows a power loss. */
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { systemClock } from '../../../node-agent/clock.ts';
import { Journal } from '../../../node-agent/data/journal.ts';
import { LaunchRecords } from '../../../node-agent/task/launch-records.ts';
import { withoutSecrets } from '../../../node-agent/task/task-spec.ts';
import { createLogger } from '../../../src/observe/log.ts';
import { agentBench } from '../../support/agent/agent-bench.ts';
import { eventually } from '../../support/agent/eventually.ts';
import { makeLaunch } from '../../support/agent/make-launch.ts';

const log = createLogger({ level: 'silent' });
const openAt = (path: string): Promise<Journal> => Journal.open({ path, log, clock: systemClock });
const recordsOf = (journal: Journal, bootId = 'boot-1') =>
  new LaunchRecords({ journal, agentId: 'agent', bootId, log });
const stored = (executionId: number) => withoutSecrets(makeLaunch(executionId), 'boot-1', 'process:default');
const noteOf = (journal: Journal) => [...journal.entries('boot-unsynced')].map(([, value]) => value);
const [COMPARES, OLDER] = [{ comparesBoots: true }, { comparesBoots: false }];

/** Counts syncs of files from now on. */
async function countSyncs(t: Test): Promise<() => number> {
  const probe = await open(join(t.testdir(), 'probe'), 'w');
  const prototype = Object.getPrototypeOf(probe) as Pick<FileHandle, 'datasync'>;
  await probe.close();
  const { datasync } = prototype;
  let count = 0;
  prototype.datasync = function counted(this: FileHandle) {
    count += 1;
    return datasync.call(this);
  };
  t.teardown(() => {
    prototype.datasync = datasync;
  });
  return () => count;
}

t.test('launch records: a coordinator that compares boots costs one sync, others one a launch', async (t) => {
  const syncs = await countSyncs(t);
  const journal = await openAt(join(t.testdir(), 'journal'));
  const records = recordsOf(journal);
  records.welcomed(OLDER);
  for (const id of [1, 2, 3]) await records.keep(stored(id));
  t.equal(syncs(), 3);
  records.welcomed(COMPARES);
  for (const id of [4, 5, 6]) await records.keep(stored(id));
  t.equal(syncs(), 4, 'the note of the boot');
  t.strictSame(noteOf(journal), ['boot-1']);
  const ids = records.all().map(({ launch }) => launch.executionId);
  t.strictSame(ids, [1, 2, 3, 4, 5, 6]);
  await journal.close();
  t.equal(syncs(), 5, 'an agent that ends in order leaves nothing unsynced');
});

t.test('launch records: a kernel that names no boot has all of them synced', async (t) => {
  const syncs = await countSyncs(t);
  const journal = await openAt(join(t.testdir(), 'journal'));
  const records = recordsOf(journal, '');
  records.welcomed(COMPARES);
  for (const id of [1, 2]) await records.keep(stored(id));
  t.equal(syncs(), 2);
  t.strictSame(noteOf(journal), []);
  await journal.close();
});

t.test('launch records: a coordinator of an earlier version that takes over has them synced', async (t) => {
  const syncs = await countSyncs(t);
  const path = join(t.testdir(), 'journal');
  const journal = await openAt(path);
  const records = recordsOf(journal);
  records.welcomed(COMPARES);
  await records.keep(stored(1));
  t.equal(records.welcomed(OLDER), undefined);
  await eventually(() => noteOf(journal).length === 0, 'the note to be removed');
  t.equal(syncs(), 2);
  await records.keep(stored(2));
  t.equal(syncs(), 3);
  records.welcomed(COMPARES);
  await records.keep(stored(3));
  t.equal(syncs(), 4, 'noted again');
  t.strictSame(noteOf(journal), ['boot-1']);
  t.equal(records.agentId, 'agent');
  await journal.close();
});

t.test('launch records: a next run in the same boot notes it durably again', async (t) => {
  const path = join(t.testdir(), 'journal');
  const first = await openAt(path);
  const records = recordsOf(first);
  records.welcomed(COMPARES);
  await records.keep(stored(1));
  await first.close();
  const syncs = await countSyncs(t);
  const journal = await openAt(path);
  const again = recordsOf(journal);
  again.welcomed(COMPARES);
  await again.keep(stored(2));
  t.equal(syncs(), 1);
  t.equal(again.welcomed(OLDER), undefined, 'the kernel has kept what was written');
  await journal.close();
});

t.test(
  'launch records: after a power loss, a coordinator of an earlier version sees another agent',
  async (t) => {
    const path = join(t.testdir(), 'journal');
    const first = await openAt(path);
    const records = recordsOf(first);
    records.welcomed(COMPARES);
    await records.keep(stored(1));
    await first.close();

    const journal = await openAt(path);
    const after = recordsOf(journal, 'boot-2');
    t.equal(after.welcomed(COMPARES), undefined);
    t.equal(after.agentId, 'agent', 'this one ends what was lost');
    t.match(after.welcomed(OLDER), /launch again/);
    t.equal(after.agentId, 'agent+boot-2');
    t.equal(after.welcomed(OLDER), undefined, 'under the other id it goes on');
    await eventually(() => noteOf(journal).length === 0, 'the note to be removed');
    await journal.close();
    const third = await openAt(path);
    t.equal(recordsOf(third, 'boot-2').agentId, 'agent+boot-2', 'it keeps that id');
    await third.close();
  },
);

t.test('agent: it accepts nothing of a coordinator that would launch again what it has lost', async (t) => {
  const welcome = { type: 'welcome', nodeId: 1, sessionId: 's', heartbeatMs: 200 } as const;
  const takes = { takesIngestUpdates: true, takesTaskUpdates: true, comparesBoots: false };
  const bench = await agentBench(t, {}, { answerHello: () => ({ ...welcome, ...takes }) });
  const { coordinator } = bench;
  const agent = await bench.start();
  await coordinator.connected();
  await agent.stop();
  const [first] = coordinator.hellos;
  t.match(first?.bootId, /^[\da-f-]{36}$/);
  const journal = await openAt(join(bench.config.folder, 'journal'));
  await journal.append('boot-unsynced', 'the boot before');
  await journal.close();
  await bench.start();
  await coordinator.connected(3);
  t.strictSame(
    coordinator.hellos.map(({ agentId }) => agentId),
    [first?.agentId, first?.agentId, `${first?.agentId}+${first?.bootId}`],
  );
});
