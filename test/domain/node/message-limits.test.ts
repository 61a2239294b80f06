/** Limits of the messages of an agent. */
import t from 'tap';
import type {
  AgentMessage,
  ListingPage,
  Offer,
  Reachable,
  TaskUpdate,
} from '../../../src/domain/node/agent-messages.ts';
import {
  CONDITIONS_MAX,
  FACTS_MAX,
  FILES_MAX,
  HELD_MAX,
  limitedMessage,
  NAME_CHARS_MAX,
  OUTPUTS_MAX,
  PATH_CHARS_MAX,
  RESULT_CHARS_MAX,
  TASKS_MAX,
  TEXT_CHARS_MAX,
  UPDATES_MAX,
} from '../../../src/domain/node/message-limits.ts';
import { makeHello, makeUpdate } from '../../support/worlds/node-world.ts';

const condition = { name: 'A', title: 'A', description: 'A' };
const offer = { type: 'offer', sequence: 1, resources: { cpus: 1 }, errors: [], warnings: [] } as const;
const file = { path: 'a', size: 1, mtimeMs: 1, identity: 'i' };
const page: ListingPage = {
  type: 'listingPage',
  ...{ executionId: 1, owner: 'scan/1', sequence: 1, after: '', through: 'a' },
  ...{ files: [file], isLast: false },
};
const output = {
  ...{ output: 'OUT', workspaceUuid: 'w', path: 'p', fileName: 'f', size: 1, mediaType: 'a/b' },
  ...{ sha256: '', metadata: '' },
};

t.test('message limits: messages up to the limits are unchanged', async (t) => {
  const sound: readonly AgentMessage[] = [
    makeHello({
      executions: new Array(HELD_MAX).fill({ executionId: 1, phase: 'main', needsLaunch: false }),
    }),
    { ...offer, errors: new Array(CONDITIONS_MAX).fill(condition) },
    { type: 'heartbeat', sequence: 1 },
    makeUpdate(1, 2, { outputs: new Array(OUTPUTS_MAX).fill(output) }),
    { ...page, files: new Array(FILES_MAX).fill(file) },
  ];
  for (const message of sound)
    t.equal((limitedMessage(message) as { message: AgentMessage }).message, message);
});

t.test(
  'message limits: a message that the agent would only repeat is refused as a whole, with the reason',
  async (t) => {
    const refused: readonly AgentMessage[] = [
      makeHello({ ingestExecutionIds: new Array(HELD_MAX + 1).fill(1) }),
      makeHello({
        labels: Object.fromEntries(Array.from({ length: FACTS_MAX + 1 }, (_, at) => [`l${at}`, ''])),
      }),
      makeHello({ executors: ['x'.repeat(NAME_CHARS_MAX + 1)] }),
      { ...page, files: new Array(FILES_MAX + 1).fill(file) },
      { ...page, files: [{ ...file, path: 'x'.repeat(PATH_CHARS_MAX + 1) }] },
      { type: 'ingestUpdates', updates: new Array(UPDATES_MAX + 1).fill({ path: '' }) },
      { type: 'taskUpdates', updates: new Array(UPDATES_MAX + 1).fill(makeUpdate(1, 1)) },
    ];
    for (const message of refused) t.match(limitedMessage(message), { refused: /at most|more than/ });
  },
);

t.test('message limits: task updates in one message are limited one by one', async (t) => {
  const small = makeUpdate(1, 1);
  const long = makeUpdate(2, 2, { jsonOutputs: 'x'.repeat(RESULT_CHARS_MAX + 1) });
  t.strictSame(limitedMessage({ type: 'taskUpdates', updates: [small, small] }), {
    message: { type: 'taskUpdates', updates: [small, small] },
  });
  const alone = limitedMessage(long) as { message: TaskUpdate; cut: string };
  t.equal(alone.message.outcome, 'FAILED');
  t.strictSame(limitedMessage({ type: 'taskUpdates', updates: [small, long, small] }), {
    message: { type: 'taskUpdates', updates: [small, alone.message, small] },
    cut: alone.cut,
  });
});

t.test('message limits: long texts and lists that are only displayed are cut', async (t) => {
  const long = { ...condition, description: 'x'.repeat(TEXT_CHARS_MAX + 1) };
  const host = { resources: {}, tasks: new Array(TASKS_MAX + 1).fill({ type: 'cleanup', count: 1 }) };
  const busy = limitedMessage({ ...offer, host }) as { message: Offer; cut?: string };
  t.equal(busy.message.host?.tasks.length, TASKS_MAX);
  t.ok(busy.cut);
  for (const taskFolder of [`/${'x'.repeat(PATH_CHARS_MAX)}`, '/a\u0000b']) {
    const odd = limitedMessage({ ...offer, host: { resources: {}, tasks: [], taskFolder } });
    t.match(odd, { message: { host: { taskFolder: /^$/ } }, cut: String });
  }
  const many = { ...offer, warnings: new Array(CONDITIONS_MAX + 1).fill(condition), errors: [long] };
  const shown = limitedMessage(many) as { message: Offer; cut: string };
  t.type(shown.cut, 'string');
  t.equal(shown.message.warnings.length, CONDITIONS_MAX);
  t.equal(shown.message.errors[0]?.description.length, TEXT_CHARS_MAX);
  const reason = `a${'😀'.repeat(TEXT_CHARS_MAX)}`;
  const reach = { workspaceUuid: 'w', isReachable: false, isUnmarked: false, reason };
  const told = limitedMessage({ type: 'reachable', workspaces: [reach] }) as {
    message: Reachable;
    cut: string;
  };
  t.type(told.cut, 'string');
  const [{ reason: cut } = reach] = told.message.workspaces;
  t.equal(cut.length, TEXT_CHARS_MAX);
  t.ok(cut.isWellFormed());
});

t.test('message limits: a task with a too large report fails, and its report can be committed', async (t) => {
  const reports: readonly Partial<TaskUpdate>[] = [
    { outputs: new Array(OUTPUTS_MAX + 1).fill(output) },
    { outputs: [{ ...output, path: 'x'.repeat(PATH_CHARS_MAX + 1) }] },
    { jsonOutputs: ' '.repeat(16 * 1024 * 1024 + 1) },
  ];
  for (const over of reports) {
    t.match(limitedMessage(makeUpdate(1, 2, over)), {
      message: {
        ...{ spoolId: 1, executionId: 2, outcome: 'FAILED', outputs: { length: 0 }, jsonOutputs: '' },
        error: { name: 'invalid-results-manifest', isBuiltin: true },
      },
      cut: String,
    });
  }
});

t.test('message limits: impossible figures are left out, and the rest of the report counts', async (t) => {
  const used = { source: 'cgroup', memoryBytes: -1, processorUs: 5 } as const;
  const cut = { used, imageDigest: 'sha256:no', logCut: { stdout: -3, stderr: 0 } };
  t.match(limitedMessage(makeUpdate(1, 2, cut)), {
    message: {
      outcome: 'COMPLETED',
      used: { source: 'cgroup', memoryBytes: undefined, processorUs: 5 },
      imageDigest: undefined,
      logCut: undefined,
    },
    cut: String,
  });
  const kept = { used: { ...used, memoryBytes: 1 }, imageDigest: `sha256:${'0'.repeat(64)}` };
  t.match(limitedMessage(makeUpdate(1, 2, kept)), { message: kept, cut: undefined });
});
