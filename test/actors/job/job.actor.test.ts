/** The owner of a job without a recipe on the real kernel. */
import t from 'tap';
import { jobAddress } from '../../../src/actors/job/job.messages.ts';
import type { CancelJobs, RequeueJobs } from '../../../src/actors/owner.messages.ts';
import { newStandaloneJob } from '../../../src/domain/job/queueing.ts';
import { TurnRefused, Unavailable } from '../../../src/kernel/mod.ts';
import { makeOutput } from '../../support/fakes/task-reports.ts';
import { watch } from '../../support/worlds/kernel-world.ts';
import { RecipeWorld } from '../../support/worlds/recipe-world.ts';
import { makeFile, makeJobRevision, WORKSPACES } from '../../support/worlds/type-revisions.ts';

const JOB = 7;
const OWNER = jobAddress(JOB);
const ASK = { deadlineMs: 5_000 };

const queueOf = (revision = makeJobRevision()) => {
  const made = newStandaloneJob({
    ...{ jobId: JOB, shard: JOB, eventId: 2, revision, configuration: null, workspaces: WORKSPACES, atMs: 0 },
    input: { files: { IN: [1] }, json: {} },
    files: new Map([[1, makeFile({ id: 1 })]]),
  });
  const event = { id: 2, type: 'USER', occurredMs: 0, description: {} } as const;
  return { type: 'queue', event, ...made } as const;
};

const begin = async () => {
  const world = new RecipeWorld();
  const revision = makeJobRevision();
  world.rows.jobRevisions.set(revision.jobTypeRevId, revision);
  await world.start();
  const asked = watch(world.system.ask(OWNER, queueOf(revision), { ...ASK, isNew: true }));
  await world.clock.settle();
  if (asked.state !== 'resolved') throw new Error(asked.code);
  return { world, message: queueOf(revision) };
};
const row = (world: RecipeWorld) => world.rows.tables.jobs.get(JOB);
const failed = (name: string) => ({
  outcome: 'failed' as const,
  error: { name, isBuiltin: true, detail: '' },
});

t.test('job actor: a queued job is saved and announced', async (t) => {
  const { world } = await begin();
  t.match(row(world), { status: 'QUEUED', exeNum: 1 });
  t.match(world.told.scheduler, [
    { type: 'queued', jobs: [{ jobId: JOB, owner: { kind: 'job', key: JOB } }] },
  ]);
});

t.test(
  'job actor: a scheduler that is loaded hears of a job before it is saved, and again after',
  async (t) => {
    const { world } = await begin();
    world.told.scheduler.length = 0;
    const message = queueOf();
    const other = {
      ...message,
      job: { ...message.job, id: 8, shard: 8, owner: { kind: 'job', key: 8 } as const },
    };
    world.system.ask(jobAddress(8), other, { ...ASK, isNew: true });
    await world.clock.settle();
    t.match(
      world.told.scheduler.map(({ type }) => type),
      ['queueing', 'queued'],
    );
  },
);

t.test('job actor: a repeated request to queue a job changes nothing', async (t) => {
  const { world, message } = await begin();
  const asked = watch(world.system.ask(OWNER, message, { ...ASK, isNew: true }));
  await world.clock.settle();
  t.equal(asked.state, 'resolved');
  t.same(world.rows.queuings, ['7 x 1']);
});

t.test('job actor: a result is registered once, and each report of it is acknowledged', async (t) => {
  const { world } = await begin();
  const execution = world.rows.place(JOB);
  const outputs = [makeOutput('OUT', 'jobs/job_exe_1/a')];
  world.report(execution, { outputs, jsonOutputs: { COUNT: 1 } });
  world.report(execution, { outputs });
  world.report(execution, failed('node-lost'));
  await world.clock.settle();
  t.match(row(world), { status: 'COMPLETED', output: { json: { COUNT: 1 } } });
  t.equal(world.rows.tables.products.length, 1);
  t.equal(world.told.node.length, 3);
  t.match(world.acknowledged.get(execution.id), { isVoid: false });
});

t.test('job actor: a job whose node is lost is tried three times', async (t) => {
  const { world } = await begin();
  for (const exeNum of [1, 2, 3]) {
    t.match(row(world), { status: 'QUEUED', exeNum });
    world.report(world.rows.place(JOB), failed('node-lost'));
    await world.clock.settle();
  }
  t.match(row(world), { status: 'FAILED', exeNum: 3, error: 'node-lost' });
});

t.test('job actor: a failure of the algorithm is final', async (t) => {
  const { world } = await begin();
  world.report(world.rows.place(JOB), failed('algorithm-unknown'));
  await world.clock.settle();
  t.match(row(world), { status: 'FAILED', exeNum: 1 });
});

t.test('job actor: a result that cannot be saved fails the job, and its products are void', async (t) => {
  const { world } = await begin();
  const execution = world.rows.place(JOB);
  world.before = (turns) => {
    if (!turns.some((turn) => turn.changes.some((change) => change.type === 'createProducts'))) return;
    throw new TurnRefused('no such value', [], { isLasting: true });
  };
  world.report(execution, { outputs: [makeOutput('OUT', 'jobs/job_exe_1/a')] });
  await world.clock.settle();
  t.match(row(world), { status: 'FAILED', exeNum: 1, error: 'results-not-saved' });
  t.match(world.acknowledged.get(execution.id), { isVoid: true });
});

t.test('job actor: a canceled job is killed where it runs, and its late result is void', async (t) => {
  const { world } = await begin();
  const execution = world.rows.place(JOB);
  const asked = watch(world.system.ask(OWNER, { type: 'cancelJobs', jobIds: [JOB] }, ASK));
  await world.clock.settle();
  t.same(asked.value, { jobIds: [JOB] });
  t.same(world.kills(), [execution.id]);
  world.report(execution, { outputs: [makeOutput('OUT', 'jobs/job_exe_1/a')] });
  await world.clock.settle();
  t.match(world.acknowledged.get(execution.id), { isVoid: true });
  t.equal(world.rows.tables.products.length, 0);
});

t.test('job actor: a requeued job has the next execution number and new tries', async (t) => {
  const { world } = await begin();
  world.report(world.rows.place(JOB), failed('algorithm-unknown'));
  await world.clock.advance(2_000);
  const asked = watch(world.system.ask(OWNER, { type: 'requeueJobs', jobIds: [JOB], priority: 2 }, ASK));
  await world.clock.settle();
  t.same(asked.value, { jobIds: [JOB] });
  t.match(row(world), { status: 'QUEUED', exeNum: 2, maxTries: 4, priority: 2 });
  t.same(world.kills(), []);
});

t.test('job actor: requests do not change complete, missing or foreign jobs', async (t) => {
  const { world } = await begin();
  const ask = (key: number, message: CancelJobs | RequeueJobs) =>
    watch(world.system.ask(jobAddress(key), message, ASK));
  const others = ask(JOB, { type: 'cancelJobs', jobIds: [8] });
  const gone = ask(99, { type: 'requeueJobs', jobIds: [99] });
  world.report(world.rows.place(JOB));
  await world.clock.settle();
  const late = ask(JOB, { type: 'cancelJobs', jobIds: [JOB] });
  await world.clock.settle();
  for (const asked of [others, gone, late]) t.same(asked.value, { jobIds: [] });
  t.equal(row(world)?.status, 'COMPLETED');
});

t.test('job actor: a commit whose outcome is unknown is not repeated', async (t) => {
  const { world } = await begin();
  const execution = world.rows.place(JOB);
  let failures = 1;
  world.after = () => {
    if (failures-- > 0) throw new Unavailable('the connection broke after the commit');
  };
  world.report(execution, failed('node-lost'));
  await world.clock.until('acknowledged', () => world.acknowledged.has(execution.id));
  t.match(row(world), { status: 'QUEUED', exeNum: 2 });
});

t.test('job actor: a lost kill is sent again by the periodic scan', async (t) => {
  const { world } = await begin();
  const execution = world.rows.place(JOB);
  const move = { jobId: JOB, from: ['RUNNING'], exeNum: 1, to: 'CANCELED', atMs: 0 } as const;
  world.rows.apply([{ type: 'moveJobs', moves: [{ kind: 'status', ...move }] }]);
  world.due = [JOB];
  await world.clock.until('killed', () => world.kills().includes(execution.id), 120_000);
  t.same(world.kills().slice(0, 1), [execution.id]);
});
