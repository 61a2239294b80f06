/**
 * An agent that is dead for so long that nobody waits for it any more: its tasks were given to others and are done, its
 * coordinator is another process, its journal is of another time. One part of its tasks has ended meanwhile, and the
 * other still runs when it comes back. `MILLRACE_NODE_LOST_MS` makes the hour short.
 */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { startPair } from '../harness/pair.ts';
import { checkDisk, listed, tasksOf } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { DemoWork } from '../harness/work/demo-work.ts';
import { createJobType, jobIs, queueJob } from '../harness/work/job-types.ts';
import { clientOf } from '../harness/world.ts';

interface Execution {
  readonly exe_num: number;
  readonly status: string;
  readonly error: { readonly name: string } | null;
  readonly node: { readonly hostname: string } | null;
}

interface NodeRecord {
  readonly id: number;
  readonly hostname: string;
}

t.test(
  'an agent returns long after it was given up: its executions are void, and it takes new work',
  async (t) => {
    const lost = { coordinator: { MILLRACE_NODE_LOST_MS: '2000' } };
    const { world, coordinator, agent, client: before } = await startPair(t, lost);
    const work = await DemoWork.create(world, before, 6);
    const seen = join(world.seenByTasks, 'seen');
    mkdirSync(seen);
    chmodSync(seen, 0o1777);
    const gate = join(world.seenByTasks, 'gate');
    /** Waits when it runs for the first time only. */
    const typeOf = (name: string, wait: string) =>
      createJobType(before, {
        name,
        script: `mkdir ${seen}/$SCALE_JOB_ID && ${wait}; echo done >"$OUTPUT_DIR/$SCALE_JOB_ID.txt"`,
        timeout: 3_600,
        maxTries: 20,
        outputs: [{ name: 'DONE', pattern: '*.txt', mediaType: 'text/plain' }],
        workspace: 'demo-archive',
      });
    const short = await typeOf('short', `until test -e ${gate}; do sleep 0.1; done`);
    const long = await typeOf('long', 'sleep 3000');
    await work.deliver(2);
    await work.finished(before);
    const ids: number[] = [];
    for (const typeId of [short, short, long, long]) ids.push(await queueJob(before, typeId));
    await until('all of them run', () => ids.every((id) => existsSync(join(seen, `${id}`))));

    await agent.end('SIGKILL');
    await coordinator.end('SIGKILL');
    writeFileSync(gate, '');
    const client = clientOf(await world.start('coordinator', 'coordinator', coordinator.options.env));
    const MILLRACE_COORDINATORS = agent.options.env.MILLRACE_COORDINATORS ?? '';
    await world.start('agent', 'second', { MILLRACE_COORDINATORS, MILLRACE_NODE_NAME: 'host-2' });
    for (const id of ids) await jobIs(client, id, ['COMPLETED'], 90_000);
    await work.deliver(2);
    await work.finished(client);
    t.ok(tasksOf(world).length > 0, 'the long ones still run, and nobody waits for them');
    const sessions = agent.log.split('session_opened').length;

    const back = await world.start('agent', 'agent', agent.options.env);
    await until('it is back', () => back.log.split('session_opened').length > sessions);
    await until('it has ended what is void', () => tasksOf(world).length === 0);

    const nodes = await listed<NodeRecord>(client, '/v6/nodes/');
    t.same(nodes.map((node) => node.hostname).sort(), ['host-1', 'host-2'], 'the same node as before');
    const second = nodes.find((node) => node.hostname === 'host-2');
    await client.patch(`/v6/nodes/${second?.id}/`, { is_paused: true });
    const late = await queueJob(client, short);
    await jobIs(client, late, ['COMPLETED'], 60_000);
    const executionsOf = (id: number) => listed<Execution>(client, `/v6/jobs/${id}/executions/`);
    t.match(await executionsOf(late), [{ status: 'COMPLETED', node: { hostname: 'host-1' } }]);
    for (const id of ids) {
      const told = (await executionsOf(id)).sort((a, b) => a.exe_num - b.exe_num);
      t.match(told, [
        { status: 'FAILED', error: { name: 'node-lost' }, node: { hostname: 'host-1' } },
        { status: 'COMPLETED', error: null, node: { hostname: 'host-2' } },
      ]);
      t.equal(told.length, 2, 'what came late started nothing, and ended nothing');
    }
    await work.deliver(2);
    await work.finished(client);
    t.equal(await client.count('/v6/ingests/?status=INGESTED'), 6);
    t.equal(await client.count('/v6/files/?file_type=PRODUCT'), 2 * 6 + ids.length + 1);
    await checkDisk(t, world, client);
  },
);
