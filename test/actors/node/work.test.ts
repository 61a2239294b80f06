/** Orders of listings on their way to an agent, and their pages on the way back. */
import t from 'tap';
import type { ListingOrder } from '../../../src/actors/node/node.messages.ts';
import type { ListingPage } from '../../../src/domain/node/agent-messages.ts';
import type { AssignedExecution } from '../../../src/domain/node/node.ts';
import { makeExecution, NODE, NodeWorld } from '../../support/worlds/node-world.ts';

const SCAN = { kind: 'scan', key: 3 } as const;
const workspace = { uuid: 'u1', name: 'in', configuration: '{}' };
const order: ListingOrder = {
  ...{ executionId: 7, jobId: 70, exeNum: 1, owner: SCAN, workspace, recursive: true, prefix: '' },
  ...{ after: 'a', transferSuffix: '', pageSize: 500, pathsOnly: true },
};
const page: ListingPage = {
  ...{ type: 'listingPage', executionId: 7, owner: 'scan/3', sequence: 1, after: 'a', through: 'b' },
  ...{ files: [], isLast: false },
};
const listing = makeExecution(7, { work: 'listing', owner: SCAN, jobId: 70 });

const begin = async (executions: readonly AssignedExecution[] = [], held: readonly number[] = []) => {
  const world = new NodeWorld();
  world.rows.executions = [...executions];
  await world.start();
  await world.hello('s1', { listingExecutionIds: held });
  return world;
};

t.test('listing: its pages reach the owner and are acknowledged after the commit', async (t) => {
  const world = await begin();
  world.rows.executions = [listing];
  await world.say({ type: 'startListing', order });
  t.match(world.toAgent('listFiles'), [
    { executionId: 7, owner: 'scan/3', after: 'a', pageSize: 500, pathsOnly: true },
  ]);
  await world.say({ type: 'listingPage', sessionId: 's1', page });
  t.match(world.heard('filesListed', 'scan/3'), [{ nodeId: NODE, page: { through: 'b' } }]);
  t.same(world.toAgent('listingAck'), []);
  await world.say({ type: 'pageCommitted', executionId: 7, sequence: 1 });
  t.match(world.toAgent('listingAck'), [{ executionId: 7, sequence: 1 }]);
  world.rows.executions = [];
  await world.say({ type: 'stopListing', executionId: 7 });
  await world.say({ type: 'listingPage', sessionId: 's1', page });
  t.equal(world.toAgent('stopListing').length, 2, 'a page after its end stops it again');
  t.equal(world.heard('filesListed').length, 1);
});

t.test('listing: a page of a stale session is ignored', async (t) => {
  const world = await begin([listing], [7]);
  await world.say({ type: 'listingPage', sessionId: 's0', page });
  t.same(world.heard('filesListed'), []);
});

t.test(
  'listing: owners learn of listings that the agent lacks, and those not in the rows are stopped',
  async (t) => {
    const holding = await begin([listing], [7, 8]);
    t.same(holding.heard('workMissing'), []);
    t.match(holding.toAgent('stopListing'), [{ executionId: 8 }]);
    const lacking = await begin([listing]);
    t.match(lacking.heard('workMissing', 'scan/3'), [{ nodeId: NODE, executionIds: [7] }]);
  },
);

t.test('listing: a listing that is no longer in the rows is stopped on the agent', async (t) => {
  const world = await begin([listing], [7]);
  world.rows.executions = [];
  await world.clock.advance(40_000);
  t.match(world.toAgent('stopListing'), [{ executionId: 7 }]);
});

t.test('listing: the owner of a listing learns that its node is lost', async (t) => {
  const world = await begin([listing], [7]);
  world.silence();
  await world.clock.advance(80_000);
  const results = [{ result: { executionId: 7, error: { name: 'node-lost' } }, spoolId: null }];
  t.match(world.heard('taskEnded', 'scan/3')[0], { results });
});

t.test('listing: a monitor that also lists remains a monitor after its listing', async (t) => {
  const monitor = makeExecution(7, { work: 'monitor', owner: { kind: 'strike', key: 2 } });
  const world = await begin([monitor]);
  await world.say({ type: 'startListing', order: { ...order, owner: { kind: 'strike', key: 2 } } });
  await world.say({ type: 'listingPage', sessionId: 's1', page });
  t.equal(world.heard('filesListed', 'strike/2').length, 1);
  await world.say({ type: 'stopListing', executionId: 7 });
  world.forget();
  world.rows.executions = [];
  await world.clock.advance(40_000);
  t.match(world.toAgent('stopMonitor'), [{ executionId: 7 }]);
});
