import t from 'tap';
import type { JobState } from '../../../src/domain/job/job.ts';
import { produce } from '../../../src/domain/task/product.ts';
import type { StoredOutput, TaskResult } from '../../../src/domain/task/task-result.ts';
import { makeOutput, makeResult } from '../../support/fakes/task-reports.ts';
import { makeFile, makeJobRevision, WORKSPACES } from '../../support/worlds/type-revisions.ts';

const revision = makeJobRevision();
const SOURCE = { startedMs: 10, endedMs: 20, sensorClass: 'c', sensor: 's', collection: null, task: null };
const job = (over: Partial<JobState> = {}): JobState => ({
  ...{
    id: 1,
    jobTypeId: revision.jobTypeId,
    jobTypeRevId: revision.jobTypeRevId,
    recipeId: 4,
    recipeNode: 'A',
  },
  ...{ recipeIds: [4], batchId: null, eventId: 1, configuration: null, isSuperseded: false },
  ...{ status: 'QUEUED', exeNum: 1, maxTries: 3, output: null },
  source: SOURCE,
  input: { files: { IN: [1], MORE: [1, 2] }, json: { N: 3 } },
  ...over,
});
const files = new Map([
  [1, makeFile({ id: 1, dataStartedMs: 7 })],
  [2, makeFile({ id: 2, dataStartedMs: 5 })],
]);
const made = (over: { result?: Partial<TaskResult>; job?: Partial<JobState>; executionId?: number }) => {
  const execution = { id: over.executionId ?? 9, jobId: 1, exeNum: 1 };
  let id = 50;
  return produce({
    result: makeResult(execution, over.result),
    job: job(over.job),
    revision,
    recipeTypeId: 6,
    files,
    workspaces: WORKSPACES,
    nowMs: 99,
    newId: () => id++,
  });
};
const at = (path: string, over: Partial<StoredOutput> = {}) => ({ ...makeOutput('OUT', path), ...over });

t.test('product: each stored output has a record, and the output of the job names the records', async (t) => {
  const outputs = [
    at('jobs/job_exe_9/a'),
    at('jobs/job_exe_9/b'),
    { ...at('jobs/job_exe_9/c'), output: 'LOG' },
  ];
  const { products, files: infos, output } = made({ result: { outputs, jsonOutputs: { COUNT: 2 } } });
  t.same(output, { files: { OUT: [50, 51], LOG: [52] }, json: { COUNT: 2 } });
  t.match(products[0], {
    jobOutput: 'OUT',
    recipeNode: 'A',
    recipeTypeId: 6,
    executionId: 9,
    inputFileIds: [1, 2],
  });
  t.match(infos[2], { id: 52, workspaceId: 2, fileType: 'PRODUCT', sourceStartedMs: 10 });
});

t.test('product: the same work on the same input gives the same uuid', async (t) => {
  const uuid = (over: Parameters<typeof made>[0], executionId = 9) =>
    made({ executionId, ...over, result: { outputs: [at(`jobs/job_exe_${executionId}/x/a`)] } }).products[0]
      ?.uuid;
  const one = uuid({});
  t.match(one, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  t.equal(uuid({}, 10), one);
  t.equal(uuid({ job: { id: 77, recipeId: null } }), one);
  t.not(uuid({ job: { input: { files: { IN: [1] }, json: { N: 3 } } } }), one);
  t.not(uuid({ job: { input: { files: { IN: [1], MORE: [1, 2] }, json: { N: 4 } } } }), one);
});

t.test('product: members of a JSON input in another order are the same input', async (t) => {
  const uuid = (value: unknown) =>
    made({ job: { input: { files: {}, json: { N: value } } }, result: { outputs: [at('a')] } }).products[0]
      ?.uuid;
  t.equal(uuid({ a: 1, b: [{ c: 1, d: 2 }] }), uuid({ b: [{ d: 2, c: 1 }], a: 1 }));
  t.not(uuid({ a: 1 }), uuid({ a: '1' }));
  t.not(uuid({}), uuid([]));
});

t.test(
  'product: files with the same name in two directories or outputs are different products',
  async (t) => {
    const outputs = [at('job_exe_9/x/a'), at('job_exe_9/y/a'), { ...at('job_exe_9/x/a'), output: 'LOG' }];
    const uuids = made({ result: { outputs: outputs.map((one) => ({ ...one, path: `jobs/${one.path}` })) } });
    t.equal(new Set(uuids.products.map((one) => one.uuid)).size, 3);
  },
);

t.test('product: times and sensors of a side-car replace those of the source', async (t) => {
  const properties = {
    dataStarted: '1970-01-01T00:00:01Z',
    sourceSensor: 'own',
    sourceStarted: 'yesterday',
    x: 1,
  };
  const outputs = [at('a', { metadata: { type: 'Feature', properties } })];
  const [product] = made({ result: { outputs } }).products;
  t.match(product, { dataStartedMs: 1_000, dataEndedMs: 1_000, sourceSensor: 'own', sourceStartedMs: 10 });
  t.match(product?.metadata, { x: 1, job_name: 'work', job_version: '1.0.0', package_version: '1.2.0' });
});

t.test('product: the footprint of a side-car belongs to its file alone', async (t) => {
  const footprint = { geometry: 'POINT (1 2)', centerPoint: 'POINT (1 2)', countries: ['FRA'] };
  const outputs = [at('a', { metadata: { type: 'Feature', properties: {} }, footprint }), at('b')];
  const [product, other] = made({ result: { outputs } }).products;
  t.strictSame(product?.footprint, footprint);
  t.equal(other?.footprint, null);
});

t.test('product: values of a side-car that cannot be stored or searched are left out', async (t) => {
  const properties = { sourceSensor: 'x'.repeat(251), sourceTask: 3, sourceCollection: '', dataStarted: 5 };
  const outputs = [at('a', { metadata: { type: 'Feature', properties } })];
  const [product] = made({ result: { outputs }, job: { source: null } }).products;
  t.match(product, { sourceSensor: null, sourceTask: null, sourceCollection: null, dataStartedMs: null });
});

t.test('product: times of a side-car outside the years 1 to 9999 are left out', async (t) => {
  const properties = { dataStarted: '0001-01-01T00:00:00+10:00', sourceEnded: '9999-12-31T23:00:00-10:00' };
  const outputs = [at('a', { metadata: { type: 'Feature', properties } })];
  const [product] = made({ result: { outputs }, job: { source: null } }).products;
  t.match(product, { dataStartedMs: null, sourceEndedMs: null });
});

t.test('product: without source times the earliest data time of its inputs counts', async (t) => {
  const source = { ...SOURCE, startedMs: null };
  t.equal(made({ job: { source }, result: { outputs: [at('a')] } }).products[0]?.sourceStartedMs, 5);
});

t.test('product: a product in an unknown workspace cannot be an input yet', async (t) => {
  const { products, files: infos } = made({ result: { outputs: [at('a', { workspaceUuid: 'uuid-new' })] } });
  t.equal(products.length, 1);
  t.same(infos, []);
});
