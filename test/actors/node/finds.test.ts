/** Questions for the files of a workspace, and what is told about executions without a record. */
import t from 'tap';
import { keptWarnings, warnOfUnknown } from '../../../src/domain/node/unknown-executions.ts';
import { NODE, NodeWorld } from '../../support/worlds/node-world.ts';

const WORKSPACE = {
  ...{ id: 3, uuid: 'u3', name: 'out', configuration: {}, isActive: true, claimedNodeId: null },
};
const HOURS = 3_600_000;
const own = { name: 'SLOW_CLEANUP', title: 'Slow Cleanup', description: 'slow' };

async function begin(): Promise<NodeWorld> {
  const world = new NodeWorld();
  world.rows.workspaces = [WORKSPACE as never];
  await world.start();
  return world;
}

async function find(world: NodeWorld, requestId: string, workspaceUuid = 'u3') {
  const answer = world.ask(NODE, {
    ...{ type: 'findFiles', requestId, workspaceUuid, after: 'a', limit: 10 },
  } as never);
  await world.clock.settle();
  return answer;
}

t.test('finds: the agent is asked, and its answer reaches the one who asked', async (t) => {
  const world = await begin();
  t.match(await find(world, 'r1'), { state: 'rejected', code: 'AGENT_UNAVAILABLE' });
  await world.hello('s1');
  t.match(await find(world, 'r2', 'u9'), { state: 'rejected', code: 'WORKSPACE_UNAVAILABLE' });
  const [first, second] = [await find(world, 'r3'), await find(world, 'r4')];
  t.match(world.toAgent('findFiles'), [
    { requestId: 'r3', workspace: { uuid: 'u3', name: 'out' }, after: 'a', limit: 10 },
    { requestId: 'r4' },
  ]);
  const answer = { type: 'filesFound', requestId: 'r4', files: [], isLast: true, problem: '' } as const;
  await world.say({ type: 'filesFound', sessionId: 's1', answer });
  t.match(second, { state: 'resolved', value: answer });
  t.equal(first.state, 'pending');
});

t.test('unknown executions: they are ended, and the node warns of them for a day', async (t) => {
  const world = await begin();
  const asked: (readonly number[])[] = [];
  let failures = 2;
  world.readUnknown = async (ids) => {
    asked.push(ids);
    failures -= 1;
    if (failures >= 0) throw new Error('the database is away');
    return ids.filter((id) => id > 100);
  };
  const executions = [7, 101, 102].map((executionId) => ({ executionId, phase: 'main', needsLaunch: false }));
  await world.hello('s1', { executions: executions as never, ingestExecutionIds: [103] });
  t.same(
    world.toAgent('kill').map(({ executionId }) => executionId),
    [7, 101, 102, 103],
    'they are ended without waiting for the database',
  );
  t.same(world.node.warnings, []);
  await world.clock.advance(15_000);
  t.same(new Set(asked.map(String)), new Set(['7,101,102,103']));
  t.equal(asked.length, 3, 'it is asked again after a failure, and then no more');
  t.match(world.node.warnings, [{ name: 'UNKNOWN_EXECUTIONS', description: /: 101, 102, 103\. / }]);

  const offer = { type: 'offer', sequence: 1, resources: { cpus: 4 }, errors: [] };
  await world.say({ type: 'offer', sessionId: 's1', offer: { ...offer, warnings: [own] } });
  t.same(
    world.node.warnings.map(({ name }) => name),
    ['SLOW_CLEANUP', 'UNKNOWN_EXECUTIONS'],
  );
  await world.hello('s2', { ingestExecutionIds: [104] });
  t.match(world.node.warnings, [{ name: 'SLOW_CLEANUP' }, { description: /: 104\. / }], 'the newest');
});

t.test('unknown executions: the warning is kept for a day, whatever the agent offers', async (t) => {
  const three = warnOfUnknown([], [1, 2, 3], 0);
  t.match(keptWarnings([{ ...own, startedMs: 0, lastUpdatedMs: 0 }, ...three], 23 * HOURS), three);
  t.same(keptWarnings(three, 25 * HOURS), []);
  const many = Array.from({ length: 30 }, (_, at) => at + 1);
  t.match(warnOfUnknown(three, many, 0), [{ description: /: 1, 2, .*, 20 and 10 more\. / }]);
});

t.test('unknown executions: a node does not warn of those that have a record', async (t) => {
  const world = await begin();
  await world.hello('s1', { ingestExecutionIds: [7] });
  t.equal(world.toAgent('kill').length, 1);
  t.same(world.node.warnings, []);
});
