/** Nodes as their administrators handle them: drained, replaced, removed, back after a long time. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { migratedDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import { needs, serviceUrl } from '../../support/services/services.ts';
import { startPair } from '../harness/pair.ts';
import type { Program } from '../harness/program.ts';
import { checkQuiet, listed, tasksOf } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { DemoWork } from '../harness/work/demo-work.ts';
import { clientOf, createWorld } from '../harness/world.ts';

interface NodeRecord {
  readonly id: number;
  readonly hostname: string;
}

const sessions = (agent: Program) => agent.log.split('session_opened').length - 1;

t.test('nodes: a node is drained, stopped, replaced by a new one, and returns later', async (t) => {
  const { world, coordinator, agent, client } = await startPair(t, {
    coordinator: { MILLRACE_NODE_LOST_MS: '3000' },
  });
  const grpc = agent.options.env.MILLRACE_COORDINATORS ?? '';
  const work = await DemoWork.create(world, client, 12);
  await work.deliver(4);
  await until('work is under way', async () => (await work.progress(client)) > 1);
  const nodes = async () => (await client.get<{ results: NodeRecord[] }>('/v6/nodes/')).results;
  const [first] = await nodes();
  // Drained: it takes nothing new, and what runs there comes to its end.
  await client.patch(`/v6/nodes/${first?.id}/`, { is_paused: true, pause_reason: 'new disk' });
  // Products are stored after the process has ended: what an agent with its disk never reported would stay.
  await until('no job runs but the monitor', async () => {
    const running = await listed<{ job_type: { name: string } }>(client, '/v6/jobs/?status=RUNNING');
    return running.every((job) => job.job_type.name === 'millrace-strike');
  });
  await until('no process of a task is left', () => tasksOf(world).length === 0);
  await agent.end('SIGTERM');
  await work.deliver(4);
  // Another host takes over, and reaches the same workspaces.
  const second = await world.start('agent', 'second', {
    MILLRACE_COORDINATORS: grpc,
    MILLRACE_NODE_NAME: 'host-2',
  });
  await work.finished(client);
  // The first comes back under its old name with a new disk: a new agent, the same node, still paused.
  rmSync(join(world.folder, 'agent'), { recursive: true, force: true });
  const before = agent.log.split('session_opened').length - 1;
  const back = await world.start('agent', 'agent', { MILLRACE_COORDINATORS: grpc });
  await until('it is let in', () => sessions(back) > before);
  t.strictSame((await nodes()).map((node) => node.hostname).sort(), ['host-1', 'host-2']);
  await client.patch(`/v6/nodes/${first?.id}/`, { is_paused: false });
  // The second is removed for good, while it works.
  await work.deliver(4);
  const other = (await nodes()).find((node) => node.hostname === 'host-2');
  await client.patch(`/v6/nodes/${other?.id}/`, { is_active: false });
  await work.finished(client);
  await second.end('SIGTERM');
  await checkQuiet(t, { world, client: clientOf(coordinator), work });
});

t.test(
  'nodes: an agent that was given one address finds the other coordinators when it is gone',
  needs('nats'),
  async (t) => {
    const world = await createWorld(t);
    const shared = { DATABASE_URL: await migratedDatabase(t), NATS_URL: await serviceUrl('nats') };
    const ports = [await freePort(), await freePort()] as const;
    const start = (index: 0 | 1): Promise<Program> =>
      world.start('coordinator', `coordinator-${index}`, {
        ...shared,
        MILLRACE_GRPC: `127.0.0.1:${ports[index]}`,
      });
    const first = await start(0);
    const agent = await world.start('agent', 'agent', { MILLRACE_COORDINATORS: `127.0.0.1:${ports[0]}` });
    await until('it has joined', () => sessions(agent) > 0);
    const second = await start(1);
    await until('it was told of the other', () => agent.log.includes(`127.0.0.1:${ports[1]}`));
    const before = sessions(agent);
    await first.end('SIGKILL');
    await until('it is with the other', async () => {
      const status = await clientOf(second).get<{ nodes: { state: { name: string } }[] }>('/v6/status/');
      return status.nodes[0]?.state.name === 'READY' && (sessions(agent) > before || before > 1);
    });
    // After a restart, too, although the only address it was given is nobody's.
    await agent.end('SIGTERM');
    const again = sessions(agent);
    const back = await world.start('agent', 'agent', { MILLRACE_COORDINATORS: `127.0.0.1:${ports[0]}` });
    await until('it is back', () => sessions(back) > again);
    t.pass('found');
  },
);
