/** The limits of a lineage: what does not fit is named at its rim, and continuing there finds all of it. */
import t from 'tap';
import { lineageRoutes } from '../../../src/api/files/lineage-routes.ts';
import { NO_CONFIGURATION } from '../../../src/domain/task/execution-tasks.ts';
import {
  makeExecutionEnd,
  makeInput,
  makeProduct,
  makeSource,
  makeStart,
  savedJob,
} from '../../store/make.ts';
import { storeWorld } from '../../store/store-world.ts';
import { makeCaller } from '../../support/http.ts';

interface Lineage {
  readonly files: readonly { readonly id: number }[];
  readonly jobs: readonly { readonly id: number }[];
  readonly rim: readonly {
    readonly file: { id: number } | null;
    readonly job: { id: number } | null;
    readonly next: string;
  }[];
}

t.test('lineage: of a file with many jobs it comes in parts, each job and product once', async (t) => {
  const store = await storeWorld(t);
  const bounds = { files: 8, jobs: 5 };
  const caller = makeCaller(lineageRoutes, {
    ...{ sql: store.db.sql, lineageBounds: bounds },
    configurationOf: async () => NO_CONFIGURATION,
  });
  const source = await makeSource(store);
  await store.apply({ type: 'createSourceFiles', files: [source] });
  const made: number[] = [];
  for (let index = 0; index < 12; index += 1) {
    const job = await savedJob(store, { input: makeInput({ IN: [source.id] }) });
    const start = await makeStart(store, job.id);
    await store.apply({ type: 'startExecutions', starts: [start] });
    const product = await makeProduct(store, {
      ...{ jobId: job.id, executionId: start.executionId },
      inputFileIds: [source.id],
    });
    await store.apply({ type: 'createProducts', products: [product] });
    made.push(product.id);
  }
  const found = { files: new Set<number>(), jobs: new Map<number, number>() };
  let next: string | undefined = `/v6/files/${source.id}/lineage/?direction=descendants&depth=1`;
  let calls = 0;
  while (next !== undefined && calls < 10) {
    calls += 1;
    const { status, json } = (await caller.get(next)) as { status: number; json: Lineage };
    t.equal(status, 200);
    t.ok(json.jobs.length <= bounds.jobs && json.files.length <= bounds.files, 'within the bounds');
    for (const { id } of json.files) found.files.add(id);
    for (const { id } of json.jobs) found.jobs.set(id, (found.jobs.get(id) ?? 0) + 1);
    next = json.rim.find(({ file }) => file?.id === source.id)?.next;
  }
  t.equal(calls, 3);
  t.strictSame([...found.files].sort(), [source.id, ...made].sort());
  t.strictSame(new Set(found.jobs.values()), new Set([1]));

  const wide = await savedJob(store, { input: makeInput({ IN: made }) });
  const start = await makeStart(store, wide.id);
  await store.apply({ type: 'startExecutions', starts: [start] });
  const last = await makeProduct(store, {
    ...{ jobId: wide.id, executionId: start.executionId },
    inputFileIds: made,
  });
  await store.apply({ type: 'createProducts', products: [last] });
  const { json } = (await caller.get(`/v6/files/${last.id}/lineage/?direction=ancestors`)) as {
    json: Lineage;
  };
  t.equal(json.files.length, bounds.files);
  t.match(
    json.rim.find(({ job }) => job?.id === wide.id),
    { next: `/v6/jobs/${wide.id}/input_files/` },
  );
});

t.test('lineage: a job shows the digest of the image that its last execution ran', async (t) => {
  const store = await storeWorld(t);
  const caller = makeCaller(lineageRoutes, {
    sql: store.db.sql,
    configurationOf: async () => NO_CONFIGURATION,
  });
  const source = await makeSource(store);
  await store.apply({ type: 'createSourceFiles', files: [source] });
  const job = await savedJob(store, { input: makeInput({ IN: [source.id] }) });
  const start = await makeStart(store, job.id);
  await store.apply({ type: 'startExecutions', starts: [start] });
  const path = `/v6/files/${source.id}/lineage/`;
  t.match((await caller.get(path)).json.jobs, [{ id: job.id, image: { digest: null } }]);
  const imageDigest = `sha256:${'b'.repeat(64)}`;
  const facts = { used: null, imageDigest, logCut: null };
  await store.apply({ type: 'endExecutions', ends: [makeExecutionEnd(start.executionId, { facts })] });
  t.match((await caller.get(path)).json.jobs, [{ id: job.id, image: { digest: imageDigest } }]);
});
