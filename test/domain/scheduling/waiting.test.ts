import t from 'tap';
import { stateOf } from '../../../src/domain/scheduling/scheduler-state.ts';
import { waitingCauses } from '../../../src/domain/scheduling/waiting.ts';
import { makeClass, makeJob, makeNode, makeSnapshot } from './cluster.ts';

const NOW_MS = 1_000;

t.test('waiting: a node to which more was sent than it has has nothing free', async (t) => {
  const jobClass = makeClass({ resources: { cpus: 1 } });
  const running = [1, 2, 3].map((executionId) => {
    return { executionId, nodeId: 1, jobTypeId: 1, resources: jobClass.resources };
  });
  const state = stateOf(makeSnapshot({ nodes: [makeNode({ total: { cpus: 2 } })], running }));
  const job = makeJob({ jobId: 9 });
  const jobType = { id: 1, name: 'busy', version: '1.0.0', pausedMs: null, unmetSinceMs: null };
  const waiting = { class: jobClass, job, notBeforeMs: null, jobType, ahead: { sameClass: 0, others: 0 } };
  const facts = { nodes: [], workspaces: new Map(), heads: [] };
  const [busy, ...rest] = waitingCauses(state, waiting, facts, NOW_MS);
  t.strictSame(rest, []);
  t.match(busy, { name: 'nodes-busy', amounts: [{ name: 'cpus', wanted: 1, there: 0 }] });
});
