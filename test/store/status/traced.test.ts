import t from 'tap';
import { tracedExecutions, tracedLaunches, tracedRecipes } from '../../../src/store/status/traced.ts';
import { makeEnd, makeExecutionEnd, makeStart, savedJob, savedRecipe } from '../make.ts';
import { NOW, storeWorld } from '../store-world.ts';

t.test('traced: a recipe, its execution and its start are read by their ids alone', async (t) => {
  const world = await storeWorld(t);
  const { sql } = world.db;
  const recipe = await savedRecipe(world);
  const job = await savedJob(world, { recipeId: recipe.id, recipeIds: [recipe.id], recipeNode: 'A' });
  const alone = await savedJob(world);
  const [start, other] = [await makeStart(world, job.id), await makeStart(world, alone.id)];
  await world.apply({ type: 'startExecutions', starts: [start, other] });
  await world.apply(
    { type: 'moveJobs', moves: [makeEnd(job.id)] },
    { type: 'endExecutions', ends: [makeExecutionEnd(start.executionId)] },
  );

  const launches = await tracedLaunches(sql, [start.executionId, other.executionId]);
  const executions = await tracedExecutions(sql, [start.executionId, other.executionId]);
  const recipes = await tracedRecipes(sql, [recipe.id]);

  const subject = { kind: 'recipe', id: recipe.rootId, createdMs: Number };
  t.match(
    [...launches].sort((a, b) => a.executionId - b.executionId),
    [
      { executionId: start.executionId, subject },
      { executionId: other.executionId, subject: { kind: 'job', id: alone.id } },
    ],
  );
  t.equal(executions.length, 1, 'one of them still runs');
  t.match(executions[0], {
    ...{ subject, executionId: start.executionId, jobId: job.id, exeNum: 1, jobType: 'type-a', node: 'one' },
    ...{ status: 'COMPLETED', error: null, started: NOW + 1, ended: NOW + 2, products: [] },
    phases: [{ phase: 'main', startedMs: NOW + 1, endedMs: NOW + 2 }],
  });
  t.match(recipes, [
    { id: recipe.id, subject, recipeType: 'recipe-a', isRoot: true, completed: null, ingest: null },
  ]);
  t.equal(
    launches[0]?.subject.createdMs,
    recipes[0]?.subject.createdMs,
    'all of a trace name the same subject',
  );
});

t.test('traced: rows that have just ended are read without scanning the history', async (t) => {
  const world = await storeWorld(t);
  const { sql } = world.db;
  const job = await savedJob(world);
  const start = await makeStart(world, job.id);
  await world.apply({ type: 'startExecutions', starts: [start] });
  await world.apply(
    { type: 'moveJobs', moves: [makeEnd(job.id)] },
    { type: 'endExecutions', ends: [makeExecutionEnd(start.executionId)] },
  );
  for (const table of ['job', 'job_exe']) {
    await world.rows(
      `insert into ${table} select (jsonb_populate_record(one, jsonb_build_object('id', one.id + n * 64
         ${table === 'job_exe' ? ", 'exe_num', one.exe_num + n" : ''}))).*
       from ${table} one, generate_series(1, 20000) n where one.id = $1`,
      [table === 'job' ? job.id : start.executionId],
    );
    await world.rows(`analyze ${table}`);
  }
  let asked = '';
  const heard = {
    ...sql,
    execute: (text: string, params?: readonly unknown[]) => {
      asked = text;
      return sql.execute(text, params);
    },
  } as typeof sql;

  t.equal((await tracedExecutions(heard, [start.executionId])).length, 1);

  const plan = await sql.execute<{ 'QUERY PLAN': string }>(`explain ${asked}`, [[start.executionId]]);
  const text = plan.map((row) => row['QUERY PLAN']).join('\n');
  t.notMatch(text, /Seq Scan on (job|job_exe|file)\b/, text);
});
