/**
 * Recipes while messages are lost, repeated and reordered, and commits fail before and after they are saved: every
 * recipe completes once. As agents do, nodes report until they are acknowledged; sweeps of the rows find the rest.
 */
import fc from 'fast-check';
import t from 'tap';
import { recipeAddress } from '../../../src/actors/recipe/recipe.messages.ts';
import { startRecipe } from '../../../src/domain/recipe/start-recipe.ts';
import { TurnRefused, Unavailable } from '../../../src/kernel/mod.ts';
import type { ExecutionRow } from '../../support/fakes/recipe-rows.ts';
import { makeOutput } from '../../support/fakes/task-reports.ts';
import { RecipeWorld } from '../../support/worlds/recipe-world.ts';
import { fileInput, makeFile, makeRecipeRevision, WORKSPACES } from '../../support/worlds/type-revisions.ts';

const EXAMINED = { files: [fileInput('X')], json: [] };
const inner = makeRecipeRevision({
  I: { input: { MORE: '@SRC' } },
  K: { after: ['I'], input: { MORE: 'I.OUT' } },
});
const revision = makeRecipeRevision({
  A: { input: { MORE: '@SRC' } },
  B: { after: ['A'], input: { MORE: 'A.OUT' } },
  C: { after: ['A'], condition: EXAMINED, input: { X: 'A.OUT' } },
  D: { after: [{ name: 'C', acceptance: true }], input: { MORE: 'A.OUT' } },
  E: { after: [{ name: 'C', acceptance: false }] },
  S: { after: ['B'], sub: inner, input: { SRC: '@SRC' } },
  Z: { after: ['S', 'D'] },
});
const JOBS = 6;
const RECIPES = [1, 2, 3];

class Faults {
  readonly #dice: readonly number[];
  #at = 0;
  isOver = false;

  constructor(dice: readonly number[]) {
    this.#dice = dice;
  }

  /** True one time in `odds`, until the faults are over. */
  strikes(odds: number): boolean {
    if (this.isOver) return false;
    const die = this.#dice[this.#at++ % this.#dice.length] ?? 1;
    return die % odds === 0;
  }
}

function startIn(world: RecipeWorld, recipeId: number): void {
  const files = new Map([[1, makeFile({ id: 1 })]]);
  const started = startRecipe(
    revision,
    {
      ...{ recipeId, shard: recipeId, eventId: 5, batchId: null, ingestId: null, configuration: null },
      input: { files: { SRC: [1] }, json: {} },
    },
    { files, workspaces: WORKSPACES, nowMs: 0, newId: () => world.world.nextId++ },
  );
  world.rows.apply(started.changes);
}

/** What schedulers, nodes and agents do in a moment: place what is queued, report what runs until acknowledged. */
function moment(world: RecipeWorld, faults: Faults, reported: Map<number, ExecutionRow>): void {
  for (const jobId of world.rows.jobIds('QUEUED')) {
    if (faults.strikes(3)) continue;
    const execution = world.rows.place(jobId);
    reported.set(execution.id, execution);
  }
  const open = [...reported.values()].filter((one) => !world.acknowledged.has(one.id) || faults.strikes(4));
  if (faults.strikes(2)) open.reverse();
  for (const execution of open) {
    if (faults.strikes(3)) continue;
    const path = `jobs/job_exe_${execution.id}/a`;
    const isFailed = execution.exeNum < 3 && execution.id % 3 === 0;
    const error = { name: 'node-lost', isBuiltin: true, detail: '' };
    if (isFailed) world.report(execution, { outcome: 'failed', error });
    else world.report(execution, { outputs: [makeOutput('OUT', path)] });
    if (faults.strikes(3)) world.report(execution, { outcome: 'failed', error });
  }
  const jobIds = [...world.rows.tables.jobs.keys()];
  if (faults.strikes(7))
    for (const id of RECIPES) world.system.tell(recipeAddress(id), { type: 'cancelJobs', jobIds });
}

const isDone = (world: RecipeWorld) => RECIPES.every((id) => world.rows.tables.recipes.get(id)?.isCompleted);

async function story(dice: readonly number[]): Promise<void> {
  const faults = new Faults(dice);
  const world = new RecipeWorld(revision);
  for (const id of RECIPES) startIn(world, id);
  world.due = RECIPES;
  world.before = () => {
    if (faults.strikes(5)) throw new TurnRefused('stale');
    if (faults.strikes(6)) throw new Unavailable('before the commit');
  };
  world.after = () => {
    if (faults.strikes(5)) throw new Unavailable('after the commit');
  };
  world.evaluate = () => {
    if (faults.strikes(2)) throw new Error('no worker');
    return true;
  };
  await world.start();
  const reported = new Map<number, ExecutionRow>();
  for (let round = 0; round < 300 && !(faults.isOver && isDone(world)); round += 1) {
    faults.isOver = round >= 12;
    moment(world, faults, reported);
    if (faults.isOver && !isDone(world)) {
      const jobIds = world.rows.jobIds('FAILED', 'CANCELED');
      for (const id of RECIPES) world.system.tell(recipeAddress(id), { type: 'requeueJobs', jobIds });
    }
    await world.clock.advance(faults.isOver ? 35_000 : 1_500);
  }
  await world.clock.advance(60_000);
  check(world, reported);
  await world.system.stop();
}

function check(world: RecipeWorld, reported: ReadonlyMap<number, ExecutionRow>): void {
  const { jobs, products, executions } = world.rows.tables;
  if (!isDone(world)) throw new Error('a recipe is stuck');
  if (jobs.size !== RECIPES.length * JOBS) throw new Error(`${jobs.size} jobs`);
  if (products.length !== jobs.size) throw new Error(`${products.length} products of ${jobs.size} jobs`);
  const { queuings } = world.rows;
  if (new Set(queuings).size < queuings.length) throw new Error('an execution number was queued twice');
  for (const id of reported.keys()) {
    const registered = products.some((one) => one.executionId === id);
    const answer = world.acknowledged.get(id);
    if (registered && answer?.isVoid !== false) throw new Error(`execution ${id}: ${answer?.isVoid}`);
    if (executions.get(id)?.status === 'RUNNING' && answer !== undefined) throw new Error(`${id} never ends`);
  }
}

const STORIES = 100;

t.test(
  'recipe actor: despite lost and repeated messages and failed commits, each recipe completes once',
  async (t) => {
    const dice = fc.array(fc.nat({ max: 1_000 }), { minLength: 20, maxLength: 200 });
    for (const one of fc.sample(dice, STORIES)) {
      await t.resolves(story(one), `dice ${JSON.stringify(one)}`);
    }
  },
);
