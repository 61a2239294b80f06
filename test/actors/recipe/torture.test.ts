/**
 * Random recipe types on the real recipe actor, beside a plain model: after every event statuses, execution numbers,
 * inputs, outputs, verdicts and completeness are the same. `TORTURE_SEED=<seed>` repeats one.
 */
import t from 'tap';
import { nodesOf, TortureStory } from './torture/story.ts';

const SEEDS = Number(process.env.TORTURE_SEEDS ?? 150);
const only = process.env.TORTURE_SEED;
const seeds = only === undefined ? Array.from({ length: SEEDS }, (_, at) => at + 1) : [Number(only)];

t.test('recipe torture: after random events the actor and the model agree', async (t) => {
  let completed = 0;
  let [jobs, reprocessed] = [0, 0];
  for (const seed of seeds) {
    const story = new TortureStory(seed, seed % 3 > 0);
    await story.start();
    await story.play(40);
    await story.finish();
    if (story.model.root.isComplete) completed += 1;
    jobs += story.model.jobs().size;
    reprocessed += story.reprocessCount;
    checkOnce(story);
    checkHeld(story, new Set(jobIdsOf(story)));
    await story.world.system.stop();
  }
  t.comment(`${seeds.length} recipes, ${completed} complete, ${jobs} jobs, ${reprocessed} times reprocessed`);
  t.ok(only !== undefined || completed > SEEDS / 3, `${completed} of ${seeds.length} complete`);
});

/** Jobs of the current recipe are not superseded; all others are superseded and have ended. */
function checkHeld({ world, seed, rootId }: TortureStory, held: ReadonlySet<number>): void {
  for (const [id, { status, recipeIds, isSuperseded }] of world.rows.tables.jobs) {
    const isRight = held.has(id)
      ? recipeIds.includes(rootId) && !isSuperseded
      : isSuperseded && ['COMPLETED', 'FAILED', 'CANCELED'].includes(status);
    if (!isRight) throw new Error(`seed ${seed}: job ${id} is ${status}, of recipes ${recipeIds}`);
  }
}

/** Nothing was queued twice, and products belong to completed executions of their job. */
function checkOnce({ world, seed }: TortureStory): void {
  const { queuings, tables } = world.rows;
  if (new Set(queuings).size < queuings.length) throw new Error(`seed ${seed}: queued twice`);
  for (const { jobId, executionId } of tables.products) {
    const status = tables.executions.get(executionId)?.status;
    if (status !== 'COMPLETED' || tables.jobs.get(jobId)?.status !== 'COMPLETED')
      throw new Error(`seed ${seed}: products of execution ${executionId} of job ${jobId}`);
  }
}

function jobIdsOf(story: TortureStory): number[] {
  return nodesOf(story).flatMap(({ state }) => (state.kind === 'job' ? [state.jobId] : []));
}
