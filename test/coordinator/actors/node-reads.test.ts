/** Reads of many nodes' actors at the same time: one statement for all, and each gets its own. */
import t from 'tap';
import { nodePorts } from '../../../src/coordinator/actors/actor-ports.ts';
import { makeStart, savedJob } from '../../store/make.ts';
import { heardSql } from '../../store/sql/heard-sql.ts';
import { storeWorld } from '../../store/store-world.ts';
import { encryptionOf } from '../../support/worlds/encryption.ts';

const store = await storeWorld(t);
const { node, node2 } = store.ids;
let heard: string[] = [];
const ports = nodePorts({
  sql: heardSql(store.db.sql, ({ name }) => void heard.push(name)),
  log: { error: (event) => t.fail(event) },
  encryption: encryptionOf(Buffer.alloc(32, 1)),
  gateway: { send: () => undefined, dropSession: () => undefined },
  tracing: undefined,
});

async function placed(nodeId: number): Promise<number> {
  const job = await savedJob(store, {});
  const start = await makeStart(store, job.id, { nodeId });
  await store.apply({ type: 'placeJobs', starts: [start] });
  return start.executionId;
}

const first = await placed(node);
const second = await placed(node2);
const third = await placed(node);

t.beforeEach(() => {
  heard = [];
});

t.test('reads of nodes: a reconciliation of all nodes reads their executions in one statement', async (t) => {
  const ids = [node, node2, 999_999];
  const assigned = await Promise.all(ids.map((id) => ports.assignedTo(id)));
  t.strictSame(
    assigned.map((list) => list.map(({ executionId }) => executionId).sort()),
    [[first, third], [second], []],
  );
  t.equal(heard.length, 1);
});

t.test('reads of nodes: launches of one pass are built together, and each node gets its own', async (t) => {
  await ports.launchSpecs([first]);
  const forOne = heard.length;
  heard = [];
  const built = await Promise.all([ports.launchSpecs([third, first]), ports.launchSpecs([second])]);
  t.strictSame(
    built.map(({ launches }) => launches.map(({ executionId }) => executionId)),
    [[third, first], [second]],
  );
  t.equal(heard.length, forOne, 'as many statements as for one launch');
});
