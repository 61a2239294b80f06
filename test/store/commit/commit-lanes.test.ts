/** Many lanes at once: what one lane decides on, another may be moving. */
import t from 'tap';
import type { Change } from '../../../src/domain/changes.ts';
import { assert } from '../../../src/lib/assert.ts';
import { makeEnd, makeEvent, makeJob, makeQueue, savedRecipe } from '../make.ts';
import { EPOCH, NOW, storeWorld } from '../store-world.ts';

const world = await storeWorld(t);
const LANES = 4;
const GROUPS = 25;

/** A generator of its own, so that a failure can be repeated. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % below;
  };
}

t.test(
  'lanes: concurrent placements and moves of the same jobs cause no deadlock or wrong counter',
  async (t) => {
    const recipes = [await savedRecipe(world), await savedRecipe(world), await savedRecipe(world)];
    const jobs = await Promise.all(
      Array.from({ length: 30 }, async (_, at) => {
        const [id, eventId] = [await world.newId('job'), await world.newId('event')];
        const recipeId = recipes[at % 3]?.id ?? 0;
        const job = makeJob(world, { id, eventId, recipeId, recipeIds: [recipeId] });
        await world.apply(
          { type: 'createEvents', events: [makeEvent(eventId)] },
          { type: 'createJobs', jobs: [job] },
        );
        return id;
      }),
    );
    const executionIds = await world.rows<{ id: number }>(
      `select nextval('job_exe_id_seq') as id from generate_series(1, 10000)`,
    );
    let nextExecution = 0;
    let deadlocks = 0;
    let placed = 0;

    const changeOf = (pick: (below: number) => number): Change => {
      const jobId = jobs[pick(jobs.length)] ?? 0;
      const exeNum = 1 + pick(4);
      switch (pick(4)) {
        case 0:
        case 1: {
          const starts = Array.from({ length: 4 }, () => {
            nextExecution += 1;
            const executionId = executionIds[nextExecution]?.id ?? 0;
            return {
              executionId,
              jobId: jobs[pick(jobs.length)] ?? 0,
              exeNum,
              nodeId: world.ids.node,
              atMs: NOW,
              maxScheduled: null,
            };
          });
          return { type: 'placeJobs', starts };
        }
        case 2:
          return { type: 'moveJobs', moves: [makeQueue(jobId, ['RUNNING', 'FAILED'], exeNum)] };
        default:
          return { type: 'moveJobs', moves: [makeEnd(jobId, { exeNum, to: 'FAILED' })] };
      }
    };
    const save = async (turns: readonly Change[]): Promise<void> => {
      try {
        const results = await world.port.apply(
          turns.map((change) => ({ shard: 1, epoch: EPOCH, changes: [change] })),
        );
        for (const [one] of results)
          placed += (one as { placedExecutionIds?: [] } | undefined)?.placedExecutionIds?.length ?? 0;
      } catch (error) {
        const { name, message } = error as Error;
        assert(name === 'TurnRefused', `${name}: ${message}`);
        if (message.includes('40P01')) deadlocks += 1;
        else if (turns.length > 1) for (const turn of turns) await save([turn]);
      }
    };
    const lane = async (_: unknown, seed: number): Promise<void> => {
      const pick = seeded(seed + 1);
      for (let group = 0; group < GROUPS; group += 1) {
        await save(Array.from({ length: 6 }, () => changeOf(pick)));
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));

    t.equal(deadlocks, 0);
    t.ok(placed > 50, `${placed} placements`);
    const wrong = await world.rows(`
    select r.id from recipe r where (jobs_total, jobs_queued, jobs_running, jobs_failed) is distinct from (
      select (count(*)::int, count(*) filter (where status = 'QUEUED')::int,
        count(*) filter (where status = 'RUNNING')::int, count(*) filter (where status = 'FAILED')::int)
      from job j where r.id = any(j.recipe_ids))`);
    t.same(wrong, []);
    const doubled = await world.rows(
      'select job_id from job_exe group by job_id, exe_num having count(*) > 1',
    );
    t.same(doubled, []);
    const executions = await world.one<{ count: number }>('select count(*) as count from job_exe');
    t.equal(executions.count, placed, 'as many executions as placements that were told');
  },
);

t.test('leases: a takeover waits for commits under way, and fences later ones', async (t) => {
  const sql = world.db.sql;
  let takeover: Promise<unknown> = Promise.resolve();
  let isTaken = false;
  await sql.transaction(async (tx) => {
    await tx.execute('select epoch from shard_lease where shard = 5 for share');
    takeover = sql
      .execute('update shard_lease set epoch = epoch + 1 where shard = 5 returning epoch')
      .then(() => {
        isTaken = true;
      });
    await tx.execute('select pg_sleep(0.05)');
    t.notOk(isTaken);
  });
  await takeover;
  await t.rejects(world.port.apply([{ shard: 5, epoch: EPOCH, changes: [] }]), {
    name: 'Fenced',
    shards: [5],
  });
});
