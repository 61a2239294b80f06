/** Real agents whose data folder lies on a disk that is full when they start. */
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Offer } from '../../src/domain/node/agent-messages.ts';
import { needsDisks, SmallDisk } from '../e2e/torture/small-disk.ts';
import { type AgentBench, agentBench } from '../support/agent/agent-bench.ts';
import { eventually } from '../support/agent/eventually.ts';
import { makeLaunch, shell } from '../support/agent/make-launch.ts';

/** An agent's bench on a disk of its own. */
async function onDisk(t: Test): Promise<{ bench: AgentBench; disk: SmallDisk }> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-disk-'));
  chmodSync(folder, 0o711);
  const disk = new SmallDisk(join(folder, 'disk'), 64, 0o711);
  t.teardown(() => {
    disk.unmount();
    rmSync(folder, { recursive: true });
  });
  return { bench: await agentBench(t, { folder: join(disk.folder, 'agent') }), disk };
}

const errorsOf = ({ coordinator }: AgentBench): string[] => {
  const offers = coordinator.received.filter((message): message is Offer => message.type === 'offer');
  return (offers.at(-1)?.errors ?? []).map(({ name }) => name);
};
const filesOf = ({ config }: AgentBench): string[] => readdirSync(config.folder).sort();

t.test(
  'full disk: an agent that started before takes its lock, connects, and is degraded',
  needsDisks(),
  async (t) => {
    const { bench, disk } = await onDisk(t);
    const first = bench.spawn();
    await bench.coordinator.connected();
    await first.end('SIGTERM');
    const files = filesOf(bench);
    t.ok(files.includes('lock.spare'), 'its lock has a place on the disk');

    disk.fill();
    for (const [index, signal] of (['SIGKILL', 'SIGKILL', 'SIGTERM', 'SIGTERM'] as const).entries()) {
      const agent = bench.spawn();
      await bench.coordinator.connected(index + 2);
      await eventually(() => errorsOf(bench).includes('LOW_DISK'), 'it is degraded');
      await agent.end(signal);
      t.equal(agent.exitCode, signal === 'SIGTERM' ? 0 : null, agent.log);
      const held = signal === 'SIGKILL' ? 'lock' : 'lock.spare';
      t.strictSame(filesOf(bench), files.map((name) => (name === 'lock.spare' ? held : name)).sort());
    }

    bench.spawn();
    await bench.coordinator.connected(6);
    disk.free();
    bench.coordinator.send(makeLaunch(1, { command: shell('echo fine') }));
    t.match(await bench.coordinator.update(1), { outcome: 'COMPLETED' });
  },
);

t.test('full disk: a first start waits, names the reason, and continues', needsDisks(), async (t) => {
  const { bench, disk } = await onDisk(t);
  disk.fill();
  const agent = bench.spawn();
  await eventually(() => /disk_full/.test(agent.log), 'it says that it waits');
  t.match(agent.log, /"what":"the data folder of the agent"/);
  t.equal(agent.exitCode, null);
  disk.free();
  await bench.coordinator.connected();
  t.strictSame(
    filesOf(bench).filter((name) => name.startsWith('lock')),
    ['lock'],
  );
});
