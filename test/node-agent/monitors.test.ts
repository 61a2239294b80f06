/** Batches of a watch on their way to the coordinator, which may lose them. */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { Monitors } from '../../node-agent/monitors.ts';
import type { LiveSession } from '../../node-agent/session.ts';
import { Workspaces } from '../../node-agent/workspaces.ts';
import type { AgentMessage, FilesSeen } from '../../src/domain/node/agent-messages.ts';
import { eventually } from '../support/agent/eventually.ts';
import { silentLog } from '../support/silent-log.ts';

const UUID = '00000000-0000-4000-8000-000000000001';

t.test('monitors: a batch is reported again on the same session until it is acknowledged', async (t) => {
  const root = t.testdir({ out: {}, in: {} });
  const monitors = new Monitors(new Workspaces('agent', [UUID]), silentLog as never, 100);
  t.teardown(() => monitors.stop());
  const batches: FilesSeen[] = [];
  let isAcking = false;
  const closing = new AbortController();
  const send = (message: AgentMessage): void => {
    if (message.type !== 'filesSeen') return;
    batches.push(message);
    const ack = { type: 'filesAck', executionId: 1, batch: message.batch } as const;
    if (isAcking) setImmediate(() => monitors.acknowledged(ack));
  };
  monitors.connected({ closed: closing.signal, send } as unknown as LiveSession);
  const configuration = JSON.stringify({ broker: { type: 'host', host_path: join(root, 'in') } });
  await monitors.begin({
    ...{
      type: 'monitor',
      executionId: 1,
      owner: 'strike/1',
      workspace: { uuid: UUID, name: 'in', configuration },
    },
    ...{ transferSuffix: '_tmp', stableMs: 100, sinceMs: 0, listEveryMs: 60_000 },
  } as const);
  await mkdir(join(root, 'out'), { recursive: true });
  await writeFile(join(root, 'out', 'a'), 'x');
  await rename(join(root, 'out', 'a'), join(root, 'in', 'a'));
  await eventually(() => batches.length >= 3, 'it is reported three times');
  t.same(new Set(batches.map((one) => one.batch)).size, batches.length, 'each time as another batch');
  for (const one of batches) t.match(one.files, [{ path: 'a' }]);
  const last = batches.at(-1)?.batch ?? 0;
  monitors.acknowledged({ type: 'filesAck', executionId: 1, batch: last - 1 });
  await eventually(() => (batches.at(-1)?.batch ?? 0) > last, 'an old acknowledgement counts for nothing');
  isAcking = true;
  const told = batches.length;
  await eventually(() => batches.length > told, 'it is reported once more, and acknowledged');
  await writeFile(join(root, 'out', 'b'), 'x');
  await rename(join(root, 'out', 'b'), join(root, 'in', 'b'));
  const isNext = () => batches.at(-1)?.files.every((file) => file.path === 'b') === true;
  await eventually(isNext, 'an acknowledged file is reported no more');
  closing.abort();
});
