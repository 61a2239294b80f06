import t from 'tap';
import {
  jobInputOf,
  newStandaloneJob,
  prepareQueueing,
  type QueueOrder,
} from '../../../src/domain/job/queueing.ts';
import { heldResources } from '../../../src/domain/job/resources.ts';
import { makeFile, makeJobRevision, makeManifest, WORKSPACES } from '../../support/worlds/type-revisions.ts';

const MIB = 1_048_576;
const scalars = (...scalar: { name: string; value: number; inputMultiplier?: number }[]) =>
  makeManifest({ resources: { scalar } });
const order = (over: Partial<QueueOrder> = {}): QueueOrder => ({
  revision: makeJobRevision(),
  configuration: null,
  input: { files: { IN: [5] }, json: {} },
  files: new Map([[5, makeFile({ id: 5, workspaceId: 1 })]]),
  workspaces: WORKSPACES,
  exeNum: 1,
  maxTries: 3,
  priority: undefined,
  atMs: 1_000,
  ...over,
});

t.test('resources: the documented examples hold the documented amounts', async (t) => {
  const held = (manifest: ReturnType<typeof scalars>, mib: number) => heldResources(manifest, mib).resources;
  const multiplied = scalars(
    { name: 'cpus', value: 1.5 },
    { name: 'mem', value: 244 },
    { name: 'disk', value: 11, inputMultiplier: 4 },
  );
  t.same(held(multiplied, 10), { cpus: 1.5, mem: 244, disk: 61, gpus: 0 });
  t.same(held(scalars(), 0), { cpus: 0.25, mem: 128, disk: 0, gpus: 0 });
  t.same(held(scalars({ name: 'disk', value: 100 }), 61), { cpus: 0.25, mem: 128, disk: 161, gpus: 0 });
  const small = scalars({ name: 'mem', value: 64, inputMultiplier: 2 });
  t.same(held(small, 1), { cpus: 0.25, mem: 128, disk: 1, gpus: 0 });
  t.same(held(scalars({ name: 'cpus', value: 0.1 }), 0), { cpus: 0.25, mem: 128, disk: 0, gpus: 0 });
});

t.test('resources: names are lower-cased, custom ones are kept, and shared memory is left out', async (t) => {
  const manifest = scalars(
    { name: 'sharedMem', value: 64 },
    { name: 'CPUS', value: 2 },
    { name: 'Licenses', value: 1 },
  );
  t.same(heldResources(manifest, 0).resources, { cpus: 2, mem: 128, disk: 0, gpus: 0, licenses: 1 });
});

t.test(
  'job input: the size is rounded up to MiB, and source times and sensors are gathered from all files',
  async (t) => {
    const files = new Map([
      [1, makeFile({ id: 1, size: MIB, sourceStartedMs: 20, sourceEndedMs: 30, sourceSensor: 'a' })],
      [2, makeFile({ id: 2, size: 1, sourceStartedMs: 10, sourceEndedMs: null, sourceSensor: 'b' })],
    ]);
    const { inputFileSizeMib, source } = jobInputOf({ files: { A: [1], B: [2] }, json: {} }, files);
    t.equal(inputFileSizeMib, 2);
    t.match(source, { startedMs: 10, endedMs: 30, sensor: 'b', sensorClass: null });
    t.equal(jobInputOf({ files: {}, json: {} }, files).inputFileSizeMib, 0);
  },
);

t.test('job input: an unknown file throws, as a bug of the caller', async (t) => {
  t.throws(() => jobInputOf({ files: { A: [9] }, json: {} }, new Map()), /file 9/);
});

t.test('queueing: a node must reach the workspaces of the inputs and of the outputs', async (t) => {
  t.same(prepareQueueing(order()).class.workspaceIds, [1, 2]);
  const elsewhere = { output_workspaces: { default: '', outputs: { OUT: 'raw' } } };
  t.same(prepareQueueing(order({ configuration: elsewhere })).class.workspaceIds, [1]);
  const gone = { output_workspaces: { default: 'gone', outputs: {} } };
  t.same(prepareQueueing(order({ configuration: gone })).class.workspaceIds, [1], 'the launch reports it');
});

t.test(
  'queueing: jobs of one revision have the same class, and another executor gives another class',
  async (t) => {
    const revision = makeJobRevision();
    const key = prepareQueueing(order({ revision })).class.key;
    t.equal(prepareQueueing(order({ revision, exeNum: 2, atMs: 5 })).class.key, key);
    t.not(prepareQueueing(order({ revision: { ...revision, containerImage: 'busybox' } })).class.key, key);
  },
);

t.test('queueing: an explicit priority precedes the configured one, and that the default', async (t) => {
  t.equal(prepareQueueing(order()).queueing.priority, 100);
  t.equal(prepareQueueing(order({ configuration: { priority: 7 } })).queueing.priority, 7);
  t.equal(prepareQueueing(order({ configuration: { priority: 7 }, priority: 2 })).queueing.priority, 2);
});

t.test('queueing: a standalone job is queued when it is created', async (t) => {
  const { revision, input, files, workspaces } = order();
  const request = { jobId: 9, shard: 9, eventId: 3, revision, input, files, workspaces, atMs: 50 };
  const made = newStandaloneJob({ ...request, configuration: { priority: 4 } });
  t.match(made.job, { status: 'QUEUED', priority: 4, timeoutS: 60, owner: { kind: 'job', key: 9 } });
  t.match(made.job.queueing, { exeNum: 1, classKey: made.class.key });
  t.match(made.job.configuration, { priority: 4, output_workspaces: { default: 'products' } });
  t.equal(newStandaloneJob({ ...request, configuration: null }).job.configuration, null);
});
