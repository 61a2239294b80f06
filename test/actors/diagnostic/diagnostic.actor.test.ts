/** A run of diagnostics on a real database; its state is loaded before every turn, as after a crash. */
import t from 'tap';
import { CHUNK, diagnosticActor } from '../../../src/actors/diagnostic/diagnostic.actor.ts';
import {
  type DiagnosticMessage,
  diagnosticAddress,
} from '../../../src/actors/diagnostic/diagnostic.messages.ts';
import type { Change } from '../../../src/domain/changes.ts';
import type { Effect } from '../../../src/kernel/mod.ts';
import { RevisionCache } from '../../../src/store/catalog/revision-cache.ts';
import { dueDiagnosticRuns, loadDiagnosticRuns } from '../../../src/store/diagnostic/load.ts';
import { ensureDiagnostics } from '../../../src/store/diagnostic/type-records.ts';
import { reserveIds } from '../../../src/store/ids.ts';
import { makeEvent } from '../../store/make.ts';
import { EPOCH, NOW, type StoreWorld, storeWorld } from '../../store/store-world.ts';

const SHARD = 1;

interface RunWorld {
  readonly store: StoreWorld;
  readonly runId: number;
  /** Loads the run, has it decide, and saves unless told not to. */
  turn(message: DiagnosticMessage, isSaved?: boolean): Promise<readonly Effect<Change, DiagnosticMessage>[]>;
}

async function runWorld(
  t: { teardown(handler: () => Promise<void>): void },
  diagnostic: { readonly type: string; readonly total: number },
): Promise<RunWorld> {
  const store = await storeWorld(t);
  const { sql } = store.db;
  const revIds = await ensureDiagnostics(sql, undefined, NOW);
  const revisions = new RevisionCache(sql);
  const runId = await store.newId('diagnostic_run');
  const { key } = diagnosticAddress(runId);
  const ports = {
    loadDiagnosticRuns: (runIds: readonly number[]) => loadDiagnosticRuns(sql, revisions, runIds),
    dueDiagnosticRuns: (shards: readonly number[]) => dueDiagnosticRuns(sql, shards),
  };
  const world: RunWorld = {
    store,
    runId,
    async turn(message, isSaved = true) {
      const states = await diagnosticActor.load([key], ports);
      const pools = new Map<string, number[]>();
      for (const kind of ['recipe', 'job']) pools.set(kind, [...(await reserveIds(sql, kind, CHUNK * 3))]);
      const { effects } = diagnosticActor.receive(states.get(key), message, {
        self: diagnosticAddress(runId),
        shard: SHARD,
        epoch: EPOCH,
        nowMs: NOW,
        newId: (kind) => pools.get(kind)?.pop() ?? -1,
        count: () => undefined,
      });
      const changes = effects.flatMap((effect) => (effect.type === 'save' ? [effect.change] : []));
      if (isSaved && changes.length > 0) await store.apply(...changes);
      return effects;
    },
  };
  const run = {
    id: runId,
    shard: SHARD,
    recipeTypeRevId: revIds.get(diagnostic.type) ?? 0,
    eventId: await store.newId('event'),
    total: diagnostic.total,
    atMs: NOW,
  };
  await world.turn({ type: 'begin', event: makeEvent(run.eventId), run });
  return world;
}

const made = (world: RunWorld) =>
  world.store.one<{ made_count: number; recipes: number; jobs: number; events: number }>(
    `select made_count, (select count(*) from recipe) as recipes, (select count(*) from job) as jobs,
       (select count(distinct event_id) from recipe) as events
     from diagnostic_run`,
  );

t.test('diagnostic run: recipes are created in chunks up to the requested number', async (t) => {
  const world = await runWorld(t, { type: 'millrace-hello', total: CHUNK + 3 });
  const { sql } = world.store.db;
  t.match(await made(world), { made_count: 0, recipes: 0 });
  t.strictSame(await dueDiagnosticRuns(sql, [SHARD]), [world.runId]);

  const first = await world.turn({ type: 'wake' });
  t.match(await made(world), { made_count: CHUNK, recipes: CHUNK, jobs: CHUNK, events: 1 });
  const told = first.filter((effect) => effect.type === 'hint' || effect.type === 'tell');
  const jobs = { length: CHUNK };
  t.match(told, [
    { type: 'hint', to: { kind: 'scheduler' }, message: { type: 'queueing', jobs } },
    { type: 'tell', to: { kind: 'scheduler' }, message: { type: 'queued', jobs } },
  ]);
  t.match(first.at(-1), { type: 'timer', message: { type: 'wake' } });

  const second = await world.turn({ type: 'wake' });
  t.match(await made(world), { made_count: CHUNK + 3, recipes: CHUNK + 3, jobs: CHUNK + 3, events: 1 });
  t.match(second.at(-1), { type: 'stop' });
  t.strictSame(await dueDiagnosticRuns(sql, [SHARD]), []);
});

t.test('diagnostic run: wake-ups after its end and a repeated beginning create nothing', async (t) => {
  const world = await runWorld(t, { type: 'millrace-hello', total: 2 });
  await world.turn({ type: 'wake' });

  t.strictSame(await world.turn({ type: 'wake' }), [{ type: 'stop' }]);
  const event = makeEvent(await world.store.newId('event'));
  const run = { id: world.runId, shard: SHARD, recipeTypeRevId: 1, eventId: event.id, total: 9, atMs: NOW };
  const effects = await world.turn({ type: 'begin', event, run });

  t.strictSame(
    effects.filter((effect) => effect.type === 'save'),
    [],
  );
  t.match(await made(world), { made_count: 2, recipes: 2 });
});

t.test('diagnostic run: a second commit of the same chunk is refused as a whole', async (t) => {
  const world = await runWorld(t, { type: 'millrace-hello', total: CHUNK * 2 });
  const late = await world.turn({ type: 'wake' }, false);
  await world.turn({ type: 'wake' });

  const changes = late.flatMap((effect) => (effect.type === 'save' ? [effect.change] : []));
  await t.rejects(world.store.apply(...changes), { name: 'TurnRefused', turns: [0] });
  t.match(await made(world), { made_count: CHUNK, recipes: CHUNK });
});

t.test('diagnostic run: of the recipe millrace-casino only the first job is queued at once', async (t) => {
  const world = await runWorld(t, { type: 'millrace-casino', total: 1 });
  await world.turn({ type: 'wake' });

  const jobs = await world.store.rows<{ recipe_node: string; status: string; max_tries: number }>(
    'select recipe_node, status, max_tries, priority, class_key is not null as has_class from job order by 1',
  );
  t.match(jobs[0], {
    recipe_node: 'roulette-1',
    status: 'QUEUED',
    max_tries: 0,
    priority: 25,
    has_class: true,
  });
  t.strictSame(
    jobs.filter((job) => job.status === 'QUEUED').map((job) => job.recipe_node),
    ['roulette-1'],
  );
});

t.test('diagnostic run: a wake-up for a missing run does nothing', async (t) => {
  const world = await runWorld(t, { type: 'millrace-hello', total: 1 });
  await world.store.rows('delete from diagnostic_run');
  t.strictSame(await world.turn({ type: 'wake' }), []);
});
