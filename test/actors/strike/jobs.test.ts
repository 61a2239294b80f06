/** Cancels and requeues of a strike's jobs, decided by its actor on the rows of a real database. */
import t from 'tap';
import { strikeActor } from '../../../src/actors/strike/strike.actor.ts';
import { type StrikeState, strikeStateOf } from '../../../src/domain/strike/strike.ts';
import { ensureBuiltins } from '../../../src/store/catalog/builtins.ts';
import { ingestsOfJobs } from '../../../src/store/ingest/load.ts';
import { loadStrikes } from '../../../src/store/strike/load.ts';
import { makeArrival, makeIngestEnd, savedJob } from '../../store/make.ts';
import { NOW, storeWorld } from '../../store/store-world.ts';
import { handlerCtx } from '../../support/worlds/handler-ctx.ts';

const store = await storeWorld(t);
const { sql } = store.db;
await ensureBuiltins(sql, NOW);

type Message = Parameters<typeof strikeActor.receive>[1];

const CONFIGURATION = {
  workspace: 'in',
  monitor: { type: 'dir-watcher', transfer_suffix: '_tmp' },
  files_to_ingest: [{ filename_regex: '.*' }],
  recipe: { name: 'recipe-a' },
};

class World {
  readonly strikeId: number;
  readonly jobId: number;
  state: StrikeState;
  answers: unknown[] = [];
  tells: { to: { kind: string; key: string }; message: object }[] = [];
  calls: string[] = [];
  #nextId = 5_000_000;

  constructor(strikeId: number, jobId: number, state: StrikeState) {
    this.strikeId = strikeId;
    this.jobId = jobId;
    this.state = state;
  }

  /** A turn whose changes are saved, and whose question about jobs is answered. */
  async turn(message: Message): Promise<void> {
    const ctx = handlerCtx<Message>('strike', String(this.strikeId), {
      nowMs: NOW,
      replyTo: { coordinator: 'here', askId: 1 },
      newId: () => this.#nextId++,
    });
    const { state, effects } = strikeActor.receive(this.state, message, ctx);
    if (state !== undefined) this.state = state;
    await this.#apply(effects);
  }

  async #apply(effects: ReturnType<typeof strikeActor.receive>['effects']): Promise<void> {
    const changes = effects.flatMap((one) => (one.type === 'save' ? [one.change] : []));
    if (changes.length > 0) await store.apply(...changes);
    for (const one of effects) {
      if (one.type === 'reply') this.answers.push(one.value);
      else if (one.type === 'tell') this.tells.push(one);
      else if (one.type === 'call') {
        this.calls.push(one.port);
        if (one.port !== 'ingestsOfJobs') continue;
        const result = await ingestsOfJobs(sql, one.args as Parameters<typeof ingestsOfJobs>[1]);
        await this.turn({ type: one.done, about: one.about, result } as Message);
      }
    }
  }

  /** Loads as after a restart. */
  async reload(): Promise<void> {
    const row = (await loadStrikes(sql, [this.strikeId])).get(this.strikeId);
    if (row !== undefined) this.state = strikeStateOf(row);
  }

  async arrive(filePath: string): Promise<{ ingestId: number; jobId: number }> {
    const arrival = await makeArrival(store, { filePath, fileName: filePath, identity: filePath });
    const template = this.state.ingestJob;
    await store.apply({
      type: 'recordArrivals',
      owner: { kind: 'strike', key: this.strikeId },
      template,
      arrivals: [arrival],
    });
    await this.reload();
    return { ingestId: arrival.ingestId, jobId: arrival.jobId };
  }

  /** Gives the live ingest to the node. */
  async begin(ingestId: number): Promise<number> {
    const live = this.state.window.live.get(ingestId);
    if (live === undefined) throw new Error(`${ingestId} is not live`);
    const executionId = await store.newId('job_exe');
    const start = { executionId, jobId: live.jobId, exeNum: live.exeNum, nodeId: store.ids.node, atMs: NOW };
    await store.apply(
      { type: 'startExecutions', starts: [start] },
      { type: 'startIngests', ingests: [{ ingestId, atMs: NOW }] },
    );
    await this.reload();
    return executionId;
  }

  /** The node reports. */
  async end(executionId: number, outcome: 'canceled' | 'failed'): Promise<void> {
    const update = {
      executionId,
      outcome,
      startedMs: NOW,
      endedMs: NOW,
      error: { name: 'unknown', isBuiltin: true, detail: 'no' },
    };
    const results = [{ update, nodeId: store.ids.node, spoolId: 1 }];
    await this.turn({
      type: 'factsRead',
      about: { results, waiting: new Map() },
      result: { sources: [], purged: [], revision: null },
    } as unknown as Message);
  }
}

async function strikeWorld(): Promise<World> {
  const strikeId = await store.newId('strike');
  const job = await savedJob(store, { owner: { kind: 'strike', key: strikeId } });
  await store.rows(
    `insert into strike (id, shard, name, title, configuration, workspace_id, job_id, created, last_modified)
     values ($1::bigint, 1, 'strike-' || $1::bigint, 'S', $2, $3, $4, now(), now())`,
    [strikeId, JSON.stringify(CONFIGURATION), store.ids.in, job.id],
  );
  const row = (await loadStrikes(sql, [strikeId])).get(strikeId);
  if (row === undefined) throw new Error('no strike');
  return new World(strikeId, job.id, strikeStateOf(row));
}

const job = (id: number) =>
  store.one<Record<string, unknown>>('select status, num_exes, max_tries, priority from job where id = $1', [
    id,
  ]);
const ingest = (id: number) =>
  store.one<Record<string, unknown>>('select status, reason, ingest_ended from ingest where id = $1', [id]);

t.test('strike: canceling its own job pauses it, and requeueing the job resumes it', async (t) => {
  const world = await strikeWorld();
  await world.turn({ type: 'cancelJobs', jobIds: [world.jobId] });
  t.strictSame(world.answers, [{ jobIds: [world.jobId] }]);
  t.match(await job(world.jobId), { status: 'CANCELED' });
  const paused = () => store.one('select is_paused from strike where id = $1', [world.strikeId]);
  t.match(await paused(), { is_paused: true });

  await world.turn({ type: 'cancelJobs', jobIds: [world.jobId] });
  t.strictSame(world.answers.at(-1), { jobIds: [] }, 'it is canceled already');

  await world.reload();
  world.calls = [];
  await world.turn({ type: 'requeueJobs', jobIds: [world.jobId] });
  t.strictSame(world.answers.at(-1), { jobIds: [world.jobId] });
  t.match(await job(world.jobId), { status: 'QUEUED' });
  t.match(await paused(), { is_paused: false });
  t.strictSame(world.calls, ['nodesReaching'], 'a node to watch from is looked for');

  await world.turn({ type: 'requeueJobs', jobIds: [world.jobId] });
  t.strictSame(world.answers.at(-1), { jobIds: [] }, 'a strike that is not paused has nothing to requeue');
});

t.test('strike: canceling its job stops the monitor that runs', async (t) => {
  const world = await strikeWorld();
  await world.turn({ type: 'monitorNodesRead', about: undefined, result: [store.ids.node] });
  t.match(await job(world.jobId), { status: 'RUNNING' });
  world.tells = [];
  await world.turn({ type: 'cancelJobs', jobIds: [world.jobId] });
  t.match(await job(world.jobId), { status: 'CANCELED' });
  t.match(world.tells, [{ to: { kind: 'node' }, message: { type: 'stopMonitor' } }]);
});

t.test('strike: a waiting ingest is canceled, and tried again when it is requeued', async (t) => {
  const world = await strikeWorld();
  const { ingestId, jobId } = await world.arrive('a');
  await world.turn({ type: 'cancelJobs', jobIds: [jobId, 999_999] });
  t.strictSame(world.answers, [{ jobIds: [jobId] }]);
  t.match(await job(jobId), { status: 'CANCELED' });
  t.match(await ingest(ingestId), { status: 'ERRORED', reason: 'canceled' });
  t.equal(world.state.window.live.size, 0);

  await world.turn({ type: 'cancelJobs', jobIds: [jobId] });
  t.strictSame(world.answers.at(-1), { jobIds: [] });

  await world.turn({ type: 'requeueJobs', jobIds: [jobId], priority: 3 });
  t.strictSame(world.answers.at(-1), { jobIds: [jobId] });
  const maxTries = 1 + world.state.ingestJob.maxTries;
  t.match(await job(jobId), { status: 'QUEUED', num_exes: 2, max_tries: maxTries, priority: 3 });
  t.match(await ingest(ingestId), { status: 'TRANSFERRED', reason: null, ingest_ended: null });
  t.match(world.state.window.live.get(ingestId), { exeNum: 2, executionId: null });

  await world.reload();
  t.match(
    world.state.window.live.get(ingestId),
    { exeNum: 2, executionId: null },
    'a restart finds it as well',
  );
  await world.turn({ type: 'requeueJobs', jobIds: [jobId] });
  t.strictSame(world.answers.at(-1), { jobIds: [] }, 'it is queued already');
});

for (const outcome of ['canceled', 'failed'] as const) {
  t.test(`strike: a running ingest is canceled once its node reports ${outcome}`, async (t) => {
    const world = await strikeWorld();
    const { ingestId, jobId } = await world.arrive('a');
    const executionId = await world.begin(ingestId);
    world.tells = [];
    await world.turn({ type: 'cancelJobs', jobIds: [jobId] });
    t.match(world.tells, [
      {
        to: { kind: 'node', key: String(store.ids.node) },
        message: { type: 'kill', executionIds: [executionId] },
      },
    ]);
    t.match(await job(jobId), { status: 'RUNNING' }, 'until its node reports the end');
    await world.end(executionId, outcome);
    t.match(await job(jobId), { status: 'CANCELED' });
    t.match(await ingest(ingestId), { status: 'ERRORED', reason: 'canceled' });
  });
}

t.test('strike: the job of a failed ingest can be requeued or canceled', async (t) => {
  const world = await strikeWorld();
  const made = [await world.arrive('a'), await world.arrive('b')];
  for (const { ingestId, jobId } of made) {
    await store.apply(
      { type: 'endIngests', ingests: [makeIngestEnd(ingestId, { status: 'ERRORED', sourceFileId: null })] },
      {
        type: 'moveJobs',
        moves: [
          {
            ...{ kind: 'end', jobId, from: ['QUEUED'], exeNum: 1, to: 'FAILED', output: null, atMs: NOW },
            error: { name: 'unknown', isBuiltin: true },
          } as const,
        ],
      },
    );
  }
  await world.reload();
  t.equal(world.state.window.live.size, 0);
  const [a, b] = made;
  await world.turn({ type: 'requeueJobs', jobIds: [a?.jobId ?? 0] });
  t.match(await job(a?.jobId ?? 0), { status: 'QUEUED', num_exes: 2 });
  t.match(await ingest(a?.ingestId ?? 0), { status: 'TRANSFERRED' });
  await world.turn({ type: 'cancelJobs', jobIds: [b?.jobId ?? 0] });
  t.match(await job(b?.jobId ?? 0), { status: 'CANCELED' });
  t.match(await ingest(b?.ingestId ?? 0), { status: 'ERRORED' });
});

t.test('strike: jobs of another strike are left alone', async (t) => {
  const [one, other] = [await strikeWorld(), await strikeWorld()];
  const { jobId } = await other.arrive('a');
  await one.turn({ type: 'cancelJobs', jobIds: [jobId, other.jobId] });
  t.strictSame(one.answers, [{ jobIds: [] }]);
  t.match(await job(jobId), { status: 'QUEUED' });
});

t.test('strike: a request for jobs that cannot be read is refused as unavailable', async (t) => {
  const world = await strikeWorld();
  const { effects } = strikeActor.receive(
    world.state,
    {
      type: 'ingestsOfJobsFailed',
      about: {
        isCancel: true,
        ownJobIds: [],
        priority: undefined,
        position: undefined,
        replyTo: { coordinator: 'here', askId: 2 },
      },
      error: { code: 'UNAVAILABLE', message: '' },
    },
    handlerCtx('strike', '1', { nowMs: NOW }),
  );
  t.match(effects, [{ type: 'refuse', to: { askId: 2 }, error: { code: 'UNAVAILABLE' } }]);
});

t.test('requeueIngests: a requeue of an ingest that has not failed is refused', async (t) => {
  const world = await strikeWorld();
  const { ingestId } = await world.arrive('a');
  await t.rejects(store.apply({ type: 'requeueIngests', ingests: [{ ingestId, atMs: NOW }] }), {
    name: 'TurnRefused',
  });
});
