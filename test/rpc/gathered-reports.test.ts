/** Reports of a session: those that are read together are passed as one message, in order with other messages. */
import { setImmediate as immediate } from 'node:timers/promises';
import t from 'tap';
import type { AgentNodeMessage } from '../../src/actors/node/node.messages.ts';
import type { AgentMessage, IngestUpdate, IngestUpdates } from '../../src/domain/node/agent-messages.ts';
import { GatheredReports } from '../../src/rpc/gathered-reports.ts';
import { makeUpdate } from '../support/worlds/node-world.ts';

const HEARTBEAT: AgentMessage = { type: 'heartbeat', sequence: 1 };
const ingestUpdate = (spoolId: number) => ({ type: 'ingestUpdate', spoolId }) as unknown as IngestUpdate;

function gathered() {
  const passed: { type: string; spoolIds: readonly number[] }[] = [];
  const reports = new GatheredReports('s1', (message: AgentNodeMessage) => {
    const updates = 'updates' in message ? message.updates : [];
    passed.push({ type: message.type, spoolIds: updates.map((one) => one.spoolId) });
  });
  return { passed, reports };
}

t.test('gathered reports: simultaneous reports become one message, and later ones another', async (t) => {
  const { passed, reports } = gathered();
  for (const spoolId of [1, 2, 3]) t.ok(reports.take(ingestUpdate(spoolId)));
  t.strictSame(passed, []);
  await immediate();
  reports.take(ingestUpdate(4));
  await immediate();
  t.strictSame(passed, [
    { type: 'ingestUpdates', spoolIds: [1, 2, 3] },
    { type: 'ingestUpdates', spoolIds: [4] },
  ]);
});

t.test('gathered reports: messages between reports do not overtake them', async (t) => {
  const { passed, reports } = gathered();
  reports.take(ingestUpdate(1));
  reports.take(makeUpdate(2, 7));
  t.strictSame(passed, [{ type: 'ingestUpdates', spoolIds: [1] }]);
  t.notOk(reports.take(HEARTBEAT), 'the caller passes it on');
  t.strictSame(passed[1], { type: 'taskUpdates', spoolIds: [2] });
  reports.take(makeUpdate(3, 8));
  reports.flush();
  await immediate();
  t.strictSame(passed[2], { type: 'taskUpdates', spoolIds: [3] });
  t.equal(passed.length, 3, 'once');
});

t.test('gathered reports: reports of ingests in one message join the others', async (t) => {
  const { passed, reports } = gathered();
  reports.take(ingestUpdate(1));
  t.ok(reports.take({ type: 'ingestUpdates', updates: [ingestUpdate(2), ingestUpdate(3)] }));
  t.notOk(reports.take({ type: 'ingestUpdates', updates: [] }), 'it is empty');
  t.strictSame(passed, [{ type: 'ingestUpdates', spoolIds: [1, 2, 3] }]);
});

t.test('gathered reports: reports of tasks in one message join the others', async (t) => {
  const { passed, reports } = gathered();
  reports.take(makeUpdate(1, 7));
  t.ok(reports.take({ type: 'taskUpdates', updates: [makeUpdate(2, 8), makeUpdate(3, 9)] }));
  reports.take(ingestUpdate(4));
  reports.flush();
  t.strictSame(passed, [
    { type: 'taskUpdates', spoolIds: [1, 2, 3] },
    { type: 'ingestUpdates', spoolIds: [4] },
  ]);
});

t.test('gathered reports: a message holds at most 500', async (t) => {
  const { passed, reports } = gathered();
  for (let spoolId = 1; spoolId <= 1_001; spoolId++) reports.take(ingestUpdate(spoolId));
  await immediate();
  t.strictSame(
    passed.map(({ spoolIds }) => spoolIds.length),
    [500, 500, 1],
  );
});

t.test('gathered reports: a message with 300,000 reports is passed as a whole', async (t) => {
  const passed: AgentNodeMessage[] = [];
  const reports = new GatheredReports('session', (message) => passed.push(message));
  const updates = Array.from({ length: 300_000 }, () => ({}) as IngestUpdates['updates'][number]);
  t.equal(reports.take({ type: 'ingestUpdates', updates }), true);
  t.equal(reports.take({ type: 'heartbeat', sequence: 1 }), false, 'another message follows them');
  t.same(
    passed.map((message) => [message.type, 'updates' in message && message.updates.length]),
    [['ingestUpdates', 300_000]],
  );
  reports.flush();
  t.equal(passed.length, 1);
});
