/** What node actors load, on a real database. */
import t from 'tap';
import {
  activeWorkspaces,
  assignedTo,
  dueNodes,
  loadNodes,
  nodesReaching,
} from '../../../src/store/node/load.ts';
import { makeExecutionEnd, makeStart, savedJob } from '../make.ts';
import { NOW, storeWorld } from '../store-world.ts';

const store = await storeWorld(t);
const { sql } = store.db;
const { node, node2 } = store.ids;

async function placed(nodeId: number, over: Parameters<typeof savedJob>[1] = {}) {
  const job = await savedJob(store, over);
  const start = await makeStart(store, job.id, { nodeId });
  await store.apply({ type: 'placeJobs', starts: [start] });
  return start;
}
const patch = (nodeId: number, patch: object) => store.apply({ type: 'saveNode', nodeId, patch, atMs: NOW });
const reach = (nodeId: number, ...ids: number[]) =>
  store.apply({
    type: 'saveReach',
    nodeId,
    atMs: NOW,
    reach: ids.map((workspaceId) => ({ workspaceId, isReachable: true, reason: null })),
  });

t.test('nodes: a node is loaded with what runs there and what it reaches', async (t) => {
  const start = await placed(node);
  await placed(node2);
  const ended = await placed(node);
  await patch(node, {
    agentId: 'a',
    bootId: 'b',
    isOnline: true,
    resources: { cpus: 2 },
    executors: ['docker'],
    takesWorkAhead: true,
    pauseReason: 'why',
    isPaused: true,
  });
  await store.apply({ type: 'endExecutions', ends: [makeExecutionEnd(ended.executionId)] });
  await reach(node, store.ids.in);
  const rows = await loadNodes(sql, [node, 999_999]);
  t.same([...rows.keys()], [node]);
  t.match(rows.get(node), {
    ...{
      hostname: 'one',
      agentId: 'a',
      bootId: 'b',
      isOnline: true,
      isActive: true,
      isPaused: true,
      pauseReason: 'why',
    },
    ...{ resources: { cpus: 2 }, executors: ['docker'], takesWorkAhead: true, errors: [], warnings: [] },
    executions: [
      {
        executionId: start.executionId,
        jobId: start.jobId,
        exeNum: 1,
        owner: { kind: 'job', key: start.jobId },
        work: 'task',
      },
    ],
    reach: [{ workspaceId: store.ids.in, isReachable: true, reason: null }],
  });
  t.equal(rows.get(node)?.executions.length, 1);
  t.strictSame([...(await assignedTo(sql, [node, 999_999]))], [[node, rows.get(node)?.executions]]);
  await patch(node, { isPaused: false, pauseReason: null });
});

t.test('nodes: work of strikes is distinguished from other work', async (t) => {
  const strikeId = await store.newId('strike');
  const owner = { kind: 'strike', key: strikeId } as const;
  const monitor = await placed(node2, { owner });
  const ingest = await placed(node2, { owner });
  await store.rows(
    `insert into strike (id, shard, name, title, configuration, workspace_id, job_id, created, last_modified)
     values ($1, 1, 's', 'S', '{}', $2, $3, now(), now())`,
    [strikeId, store.ids.in, monitor.jobId],
  );
  const works = new Map(
    ((await assignedTo(sql, [node2])).get(node2) ?? []).map((one) => [one.executionId, one.work]),
  );
  t.equal(works.get(monitor.executionId), 'monitor');
  t.equal(works.get(ingest.executionId), 'ingest');
});

t.test('nodes: nodes that are online, or on which something runs, are due', async (t) => {
  const shard = async (id: number) =>
    (await store.one<{ shard: number }>('select shard from node where id = $1', [id])).shard;
  const shards = [await shard(node), await shard(node2)];
  t.same(await dueNodes(sql, shards), [node, node2]);
  t.same(await dueNodes(sql, [63]), []);
  await patch(node, { isOnline: false });
  t.same(await dueNodes(sql, shards), [node, node2], 'executions run there');
  for (const one of (await assignedTo(sql, [node])).get(node) ?? []) {
    await store.apply({ type: 'endExecutions', ends: [makeExecutionEnd(one.executionId)] });
  }
  t.same(await dueNodes(sql, shards), [node2]);
  await patch(node, { isOnline: true });
});

t.test('nodes: only nodes that may take work, and reach all its workspaces, are found', async (t) => {
  const { in: first, out: second } = store.ids;
  await reach(node, first, second);
  await reach(node2, first);
  await patch(node2, { isOnline: true });
  t.same(await nodesReaching(sql, [first]), [node, node2]);
  t.same(await nodesReaching(sql, [first, second]), [node]);
  t.same(await nodesReaching(sql, [first, second, second]), [node]);
  t.same(await nodesReaching(sql, [first, 999_999]), []);
  const error = { name: 'E', title: '', description: '', startedMs: NOW, lastUpdatedMs: NOW };
  for (const [bad, good] of [
    [{ isOnline: false }, { isOnline: true }],
    [{ isActive: false }, { isActive: true }],
    [{ isPaused: true }, { isPaused: false }],
    [{ errors: [error] }, { errors: [] }],
  ]) {
    await patch(node, bad as object);
    t.same(await nodesReaching(sql, [first]), [node2], JSON.stringify(bad));
    await patch(node, good as object);
  }
  await store.rows('update scheduler_settings set is_paused = true');
  t.same(await nodesReaching(sql, [first]), []);
  await store.rows('update scheduler_settings set is_paused = false');
});

t.test('nodes: active workspaces are loaded with the node that claimed them', async (t) => {
  await store.apply({ type: 'claimWorkspaces', nodeId: node, workspaceIds: [store.ids.in] });
  await store.rows('update workspace set is_active = false where id = $1', [store.ids.out]);
  t.match(await activeWorkspaces(sql), [
    { id: store.ids.in, name: 'in', claimedNodeId: node, configuration: { broker: { type: 'host' } } },
  ]);
  t.equal((await activeWorkspaces(sql)).length, 1);
  await store.rows('update workspace set is_active = true where id = $1', [store.ids.out]);
});
