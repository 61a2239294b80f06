import fc from 'fast-check';
import t from 'tap';
import { ClassQueue } from '../../../src/domain/scheduling/class-queue.ts';
import type { PassNode } from '../../../src/domain/scheduling/fleet.ts';
import { placeJobs, RESERVE_AFTER_MS, unmetOf } from '../../../src/domain/scheduling/pass.ts';
import type { SchedulingClass } from '../../../src/domain/scheduling/scheduling-class.ts';
import type { NodeView, QueuedJob } from '../../../src/domain/scheduling/snapshot.ts';
import { makeClass, makeJob, makeNode } from './cluster.ts';

function passNode(view: NodeView): PassNode & { readonly free: Record<string, number> } {
  return {
    nodeId: view.nodeId,
    total: view.total,
    free: { ...view.total },
    executors: new Set(view.executors),
    workspaceIds: new Set(view.workspaceIds),
  };
}

function queueOf(
  jobClass: SchedulingClass,
  jobs: readonly QueuedJob[],
  mode: 'FIFO' | 'LIFO' = 'FIFO',
): ClassQueue {
  const queue = new ClassQueue(jobClass, mode, true);
  for (const job of jobs) queue.offer(job);
  return queue;
}

function pass(queues: readonly ClassQueue[], views: readonly NodeView[], patch: object = {}) {
  return placeJobs({
    mode: 'FIFO',
    nowMs: 1_000,
    queues,
    nodes: views.map(passNode),
    roomOf: () => Number.POSITIVE_INFINITY,
    placementsMax: 500,
    ...patch,
  });
}

const idsOf = (output: { readonly placements: readonly { readonly job: QueuedJob }[] }): number[] =>
  output.placements.map((one) => one.job.jobId);

t.test('pass: a smaller priority number is placed first, then the longest queued', async (t) => {
  const late = makeJob({ jobId: 1, queuedMs: 50 });
  const early = makeJob({ jobId: 2, queuedMs: 10 });
  const urgent = makeJob({ jobId: 3, queuedMs: 90, priority: 1 });

  const output = pass([queueOf(makeClass(), [late, early, urgent])], [makeNode()]);

  t.strictSame(idsOf(output), [3, 2, 1]);
});

t.test('pass: LIFO places the shortest queued first within a priority', async (t) => {
  const jobs = [makeJob({ jobId: 1 }), makeJob({ jobId: 2 }), makeJob({ jobId: 3 })];

  const output = pass([queueOf(makeClass(), jobs, 'LIFO')], [makeNode()], { mode: 'LIFO' });

  t.strictSame(idsOf(output), [3, 2, 1]);
});

t.test('pass: a job that fits nowhere does not block the jobs behind it', async (t) => {
  const huge = queueOf(makeClass({ resources: { cpus: 64 } }), [makeJob({ jobId: 1, priority: 1 })]);
  const small = queueOf(makeClass(), [makeJob({ jobId: 2 })]);

  t.strictSame(idsOf(pass([huge, small], [makeNode()])), [2]);
});

t.test('pass: a job that has waited long reserves a node that could hold it', async (t) => {
  const node = makeNode({ total: { cpus: 4, mem: 4096 } });
  const running = passNode(node);
  running.free.cpus = 3;
  const big = queueOf(makeClass({ resources: { cpus: 4 } }), [makeJob({ jobId: 1, queuedMs: 0 })]);
  const small = queueOf(makeClass(), [makeJob({ jobId: 2, queuedMs: 1 })]);
  const at = { nodes: [running], nowMs: RESERVE_AFTER_MS };

  t.strictSame(idsOf(pass([big, small], [], at)), []);
});

t.test('pass: a job is placed only on a node with its executor and all its workspaces', async (t) => {
  const jobClass = makeClass({ executor: 'docker', workspaceIds: [7, 8] });
  const nodes = [
    makeNode({ nodeId: 1, executors: ['process:default'], workspaceIds: [7, 8] }),
    makeNode({ nodeId: 2, executors: ['docker'], workspaceIds: [7] }),
    makeNode({ nodeId: 3, executors: ['docker'], workspaceIds: [7, 8, 9] }),
  ];

  const { placements } = pass([queueOf(jobClass, [makeJob()])], nodes);

  t.strictSame(
    placements.map((one) => one.nodeId),
    [3],
  );
});

t.test('pass: a job is placed on the fullest node that fits it', async (t) => {
  const full = passNode(makeNode({ nodeId: 1 }));
  full.free.cpus = 1;
  const empty = passNode(makeNode({ nodeId: 2 }));

  const { placements } = pass([queueOf(makeClass(), [makeJob()])], [], { nodes: [empty, full] });

  t.equal(placements[0]?.nodeId, 1);
});

t.test('pass: jobs of a type at its limit are not placed, and others are', async (t) => {
  const limited = queueOf(makeClass({ jobTypeId: 1 }), [makeJob({ jobId: 1 }), makeJob({ jobId: 2 })]);
  const free = queueOf(makeClass({ jobTypeId: 2 }), [makeJob({ jobId: 3 })]);
  const roomOf = (jobTypeId: number): number => (jobTypeId === 1 ? 1 : Number.POSITIVE_INFINITY);

  t.strictSame(idsOf(pass([limited, free], [makeNode()], { roomOf })), [1, 3]);
});

t.test('pass: a pass is bounded, and reports that it was cut short', async (t) => {
  const jobs = Array.from({ length: 10 }, (_, index) => makeJob({ jobId: index + 1 }));
  const node = makeNode({ total: { cpus: 100, mem: 100_000 } });

  const output = pass([queueOf(makeClass(), jobs)], [node], { placementsMax: 3 });

  t.strictSame(idsOf(output), [1, 2, 3]);
  t.equal(output.isCutShort, true);
});

t.test('pass: the lacking resources are named for a class that fits no node', async (t) => {
  const nodes = [passNode(makeNode())];

  t.strictSame(unmetOf(nodes, makeClass({ resources: { gpus: 1 } })), ['gpus']);
  t.strictSame(unmetOf(nodes, makeClass({ resources: { mem: 1e6, cpus: 99 } })), ['cpus', 'mem']);
  t.strictSame(unmetOf(nodes, makeClass({ executor: 'docker' })), ['executor docker']);
  t.strictSame(unmetOf(nodes, makeClass({ workspaceIds: [5] })), ['workspace']);
  t.strictSame(unmetOf(nodes, makeClass()), []);
  t.strictSame(
    unmetOf([], makeClass({ executor: 'docker' })),
    [],
    'a cluster without nodes is still starting',
  );
});

const cpus = fc.integer({ min: 1, max: 6 });

t.test('pass: in random clusters no node is overcommitted, and no job that fits is left', async () => {
  const cluster = fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(cluster, fc.array(cpus, { maxLength: 30 }), (nodeCpus, jobCpus) => {
      const nodes = nodeCpus.map((total, index) =>
        passNode(makeNode({ nodeId: index + 1, total: { cpus: total } })),
      );
      const queues = new Map<string, ClassQueue>();
      for (const [index, wanted] of jobCpus.entries()) {
        const jobClass = makeClass({ resources: { cpus: wanted } });
        const queue = queues.get(jobClass.key) ?? queueOf(jobClass, []);
        queue.offer(makeJob({ jobId: index + 1 }));
        queues.set(jobClass.key, queue);
      }
      const { placements } = pass([...queues.values()], [], { nodes });
      for (const node of nodes) {
        const held = placements.filter((one) => one.nodeId === node.nodeId);
        const sum = held.reduce((total, one) => total + (one.class.resources.cpus ?? 0), 0);
        if (sum > (node.total.cpus ?? 0)) return false;
        const left = (node.total.cpus ?? 0) - sum;
        for (const queue of queues.values()) {
          if (queue.size > 0 && (queue.class.resources.cpus ?? 0) <= left) return false;
        }
      }
      return new Set(placements.map((one) => one.job.jobId)).size === placements.length;
    }),
  );
});
