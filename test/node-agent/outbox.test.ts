/** What an agent sends on its session, and in which order: small messages first, then the spool's updates. */
import t from 'tap';
import type { SpooledUpdate } from '../../node-agent/data/spool.ts';
import { Outbox } from '../../node-agent/outbox.ts';
import type { AgentMessage, TaskUpdate } from '../../src/domain/node/agent-messages.ts';
import { TOGETHER_CHARS_MAX } from '../../src/domain/node/message-size.ts';
import { grown } from '../support/agent/grown.ts';
import { makeUpdate } from '../support/worlds/node-world.ts';

const INGESTS = { takesIngestUpdates: true, takesTaskUpdates: false };
const TASKS = { takesIngestUpdates: false, takesTaskUpdates: true };

t.test('outbox: it stops while the stream is full, and continues where it stopped', async (t) => {
  const written: AgentMessage[] = [];
  let drain: () => void = () => undefined;
  let room = 2;
  const sink = {
    write: (message: AgentMessage) => {
      written.push(message);
      room -= 1;
      return room > 0;
    },
    once: (_event: 'drain', call: () => void) => {
      drain = call;
    },
  };
  const updates = [1, 2, 3].map((spoolId) => makeUpdate(spoolId, spoolId));
  const spool = {
    after: (last: number) => updates.find(({ spoolId }) => spoolId > last),
  };
  const outbox = new Outbox(sink, spool);
  outbox.send({ type: 'heartbeat', sequence: 1 });
  outbox.send({ type: 'heartbeat', sequence: 2 });
  t.equal(written.length, 2);
  room = 9;
  drain();
  t.strictSame(
    written.map(({ type }) => type),
    ['heartbeat', 'taskUpdate', 'heartbeat', 'taskUpdate', 'taskUpdate'],
  );
  outbox.close();
  outbox.repeat();
  t.equal(written.length, 5);
});

const ingestEnd = (spoolId: number) => ({ type: 'ingestUpdate', spoolId, path: '' }) as SpooledUpdate;

function outboxWorld(updates: readonly SpooledUpdate[]) {
  const written: AgentMessage[] = [];
  const sink = {
    write: (message: AgentMessage) => {
      written.push(message);
      return true;
    },
    once: () => undefined,
  };
  const after = (last: number) => updates.find(({ spoolId }) => spoolId > last);
  const outbox = new Outbox(sink, { after });
  const counts = () => written.map((one) => `${one.type} ${'updates' in one ? one.updates.length : 1}`);
  return { outbox, written, counts };
}

t.test('outbox: ends of ingests are sent together if the coordinator takes that', async (t) => {
  const task = makeUpdate(4, 4);
  const updates = [ingestEnd(1), ingestEnd(2), ingestEnd(3), task, ingestEnd(5)];
  const older = outboxWorld(updates);
  older.outbox.pump();
  t.strictSame(older.counts(), [...Array(3).fill('ingestUpdate 1'), 'taskUpdate 1', 'ingestUpdate 1']);
  const { outbox, written, counts } = outboxWorld(updates);
  outbox.gather(INGESTS);
  outbox.pump();
  t.strictSame(counts(), ['ingestUpdates 3', 'taskUpdate 1', 'ingestUpdate 1']);
  t.match(written[0], { updates: [{ spoolId: 1 }, { spoolId: 2 }, { spoolId: 3 }] });
  outbox.repeat();
  t.equal(written.length, 6, 'all that is not acknowledged is reported again');
});

t.test('outbox: ends of tasks are sent together, up to the limit of a message', async (t) => {
  const large = { metadata: 'x'.repeat(150_000) } as TaskUpdate['outputs'][number];
  const updates = [
    ...[1, 2, 3].map((spoolId) => makeUpdate(spoolId, spoolId)),
    ingestEnd(4),
    ...[5, 6, 7].map((spoolId) => makeUpdate(spoolId, spoolId, { outputs: [large] })),
  ];
  const older = outboxWorld(updates);
  older.outbox.gather(INGESTS);
  older.outbox.pump();
  t.strictSame(older.counts(), [
    ...['taskUpdate 1', 'taskUpdate 1', 'taskUpdate 1', 'ingestUpdate 1'],
    ...['taskUpdate 1', 'taskUpdate 1', 'taskUpdate 1'],
  ]);
  const { outbox, written, counts } = outboxWorld(updates);
  outbox.gather(TASKS);
  outbox.pump();
  t.strictSame(counts(), [
    ...['taskUpdates 3', 'ingestUpdate 1'],
    ...['taskUpdate 1', 'taskUpdate 1', 'taskUpdate 1'],
  ]);
  t.match(written[0], { updates: [{ spoolId: 1 }, { spoolId: 2 }, { spoolId: 3 }] });
  outbox.repeat();
  t.equal(written.length, 10, 'all that is not acknowledged is reported again');
});

t.test('outbox: ends of ingests that became durable together are sent 100 a message', async (t) => {
  const updates: SpooledUpdate[] = [];
  const { outbox, counts } = outboxWorld(updates);
  outbox.gather(INGESTS);
  for (let spoolId = 1; spoolId <= 250; spoolId++) {
    updates.push(ingestEnd(spoolId));
    outbox.pumpSoon();
  }
  t.strictSame(counts(), []);
  await Promise.resolve();
  t.strictSame(counts(), ['ingestUpdates 100', 'ingestUpdates 100', 'ingestUpdates 50']);
});

/** With something in each list and each field. */
const FULL = makeUpdate(2, 2, {
  error: { name: 'e', isBuiltin: true, detail: 'because' },
  phases: [{ phase: 'main', startedMs: 1, endedMs: 2, exitCode: 0, timedOut: false }],
  outputs: [
    {
      ...{ output: 'OUT', workspaceUuid: 'u', path: 'a/b', fileName: 'b', size: 1, mediaType: 't/p' },
      ...{ sha256: 'a', metadata: '{}', proof: 'p' },
      footprint: { geometry: 'POINT (1 1)', centerPoint: 'POINT (1 1)', countries: ['FRA'] },
    },
  ],
  parsedInputs: [{ input: 'IN', fileId: 1, metadata: '{}' }],
  used: { source: 'cgroup', memoryBytes: 1 },
  imageDigest: 'sha256:a',
});

t.test('outbox: a large end of a task is sent alone', async (t) => {
  const large = [...grown(FULL, 2 * TOGETHER_CHARS_MAX)];
  t.ok(large.length > 20, `${large.length} texts, lists and maps`);
  for (const { path, value } of large) {
    const { outbox, counts } = outboxWorld([makeUpdate(1, 1), value, makeUpdate(3, 3)]);
    outbox.gather(TASKS);
    outbox.pump();
    t.strictSame(counts(), Array(3).fill('taskUpdate 1'), `large ${path}`);
  }
});
