/** Builders for tests of scheduling: one interesting field each, the rest usual. */

import { type SchedulingClass, schedulingClassOf } from '../../../src/domain/scheduling/scheduling-class.ts';
import type { NodeView, QueuedJob, SchedulerSnapshot } from '../../../src/domain/scheduling/snapshot.ts';

export function makeClass(patch: Partial<Omit<SchedulingClass, 'key'>> = {}): SchedulingClass {
  return schedulingClassOf({
    jobTypeId: 1,
    resources: { cpus: 1, mem: 128 },
    executor: 'process:default',
    workspaceIds: [],
    ...patch,
  });
}

export function makeNode(patch: Partial<NodeView> = {}): NodeView {
  return {
    nodeId: 1,
    isReady: true,
    total: { cpus: 4, mem: 4096, disk: 10_000 },
    executors: ['process:default'],
    workspaceIds: [],
    ...patch,
  };
}

export function makeJob(patch: Partial<QueuedJob> = {}): QueuedJob {
  const jobId = patch.jobId ?? 1;
  return { jobId, exeNum: 1, priority: 100, queuedMs: jobId, owner: { kind: 'job', key: jobId }, ...patch };
}

export function makeSnapshot(patch: Partial<SchedulerSnapshot> = {}): SchedulerSnapshot {
  return {
    settings: { isPaused: false, queueMode: 'FIFO', messageHandlerCount: 1, loggingLevel: 'INFO' },
    types: [],
    nodes: [makeNode()],
    running: [],
    classes: [],
    ...patch,
  };
}
