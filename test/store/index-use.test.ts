/**
 * The indexes that statements claim in their comments (`-- = name`) are those the planner takes. Tables are
 * empty here, so sequential scans are made unattractive: what still has one could use no index at all.
 */
import t from 'tap';
import type { Change } from '../../src/domain/changes.ts';
import { ensureBuiltins } from '../../src/store/catalog/builtins.ts';
import { commitPort } from '../../src/store/commit.ts';
import { foldStarts } from '../../src/store/daily-starts.ts';
import { dueDiagnosticRuns, loadDiagnosticRuns } from '../../src/store/diagnostic-loads.ts';
import { dueJobs, loadJobs, runningExecutions } from '../../src/store/job-loads.ts';
import { sampleLoad } from '../../src/store/load-samples.ts';
import { dueNodes, loadNodes, nodesReaching } from '../../src/store/node-loads.ts';
import { PlanStore } from '../../src/store/plan-loads.ts';
import { dueRecipes, loadRecipeTrees } from '../../src/store/recipe-loads.ts';
import { loadScheduler, queuedHeads } from '../../src/store/scheduler-loads.ts';
import type { Sql } from '../../src/store/sql.ts';
import { deferredIngests, dueStrikes, loadStrikes, sourcesAt } from '../../src/store/strike-loads.ts';
import {
  makeArrival,
  makeEnd,
  makeEvent,
  makeExecutionEnd,
  makeIngestEnd,
  makeInput,
  makeProduct,
  makeQueue,
  makeSource,
  makeStart,
  savedJob,
  savedRecipe,
} from './make.ts';
import { EPOCH, NOW, type StoreWorld, storeWorld } from './store-world.ts';

const statements = new Map<string, string>();
const real = await storeWorld(t);
const sql = recording(real.db.sql);
const port = commitPort(sql);
const apply: StoreWorld['apply'] = async (...changes) =>
  (await port.apply([{ shard: 1, epoch: EPOCH, changes }]))[0] ?? [];
const world: StoreWorld = { ...real, port, apply };

function recording(inner: Sql): Sql {
  return {
    execute: (statement, params) => {
      const { name, text } = typeof statement === 'string' ? { name: statement, text: statement } : statement;
      statements.set(name, text);
      return inner.execute(statement, params);
    },
    transaction: (work) => inner.transaction((tx) => work(recording(tx))),
  };
}

/** Every kind of change and load once, so that every statement is heard. */
async function everything(): Promise<void> {
  const job = await savedJob(world);
  const recipe = await savedRecipe(world);
  const start = await makeStart(world, job.id);
  const source = await makeSource(world);
  const conditionId = await world.newId('recipe_condition');
  await apply(
    { type: 'placeJobs', starts: [start] },
    { type: 'createSourceFiles', files: [source] },
    { type: 'supersedeFiles', files: [{ fileId: 1, atMs: NOW }] },
    {
      type: 'createConditions',
      conditions: [{ id: conditionId, recipeId: recipe.id, nodeName: 'C', atMs: NOW }],
    },
    { type: 'completeRecipes', recipes: [{ recipeId: recipe.id, ancestorIds: [], atMs: NOW }] },
    { type: 'saveNode', nodeId: world.ids.node, patch: { isOnline: true }, atMs: NOW },
    { type: 'claimWorkspaces', nodeId: world.ids.node, workspaceIds: [world.ids.in] },
    { type: 'releaseClaims', nodeId: world.ids.node, workspaceIds: [world.ids.in] },
    { type: 'saveUnmet', types: [{ jobTypeId: world.ids.type, unmet: null }] },
    { type: 'editStrike', strikeId: 1, patch: { title: 'x' }, atMs: NOW },
  );
  const product = await makeProduct(world, {
    jobId: job.id,
    executionId: start.executionId,
    inputFileIds: [source.id],
  });
  const accepted = { isAccepted: true, data: { files: {}, json: {} }, reason: null, atMs: NOW };
  await apply(
    { type: 'moveJobs', moves: [makeEnd(job.id, { to: 'FAILED' })] },
    { type: 'endExecutions', ends: [makeExecutionEnd(start.executionId)] },
    { type: 'createProducts', products: [product] },
    { type: 'processConditions', outcomes: [{ conditionId, ...accepted }] },
  );
  const queue = { ...makeQueue(job.id, ['FAILED'], 1), input: makeInput({ IN: [source.id] }) } as const;
  await apply(
    { type: 'createEvents', events: [makeEvent(await world.newId('event'))] },
    { type: 'moveJobs', moves: [queue as never] },
  );
  await arrivals(job.id);
  const plans = new PlanStore(sql);
  await loadRecipeTrees(sql, plans, [recipe.id]);
  await loadJobs(sql, plans, [job.id]);
  await runningExecutions(sql, [job.id]);
  await dueJobs(sql, [1]);
  await dueRecipes(sql, [1], NOW);
  await loadNodes(sql, [world.ids.node]);
  await dueNodes(sql, [1]);
  await nodesReaching(sql, [world.ids.in]);
  await loadScheduler(sql);
  await queuedHeads(sql, { classKey: 'x', mode: 'FIFO', limit: 5 });
  await loadDiagnosticRuns(sql, new PlanStore(sql), [1]);
  await dueDiagnosticRuns(sql, [1]);
  await sampleLoad(sql, NOW);
  await foldStarts(sql);
}

async function arrivals(jobId: number): Promise<void> {
  const strikeId = await world.newId('strike');
  await real.rows(
    `insert into strike (id, shard, name, title, configuration, workspace_id, job_id, created, last_modified)
     values ($1, 1, 's', 'S', '{}', $2, $3, now(), now())`,
    [strikeId, world.ids.in, jobId],
  );
  const ids = { jobTypeId: world.ids.type, jobTypeRevId: world.ids.rev };
  const template = { shard: 1, ownerKind: 'strike', ...ids, priority: 1, maxTries: 1, timeoutS: 0 } as const;
  const record = (...list: Awaited<ReturnType<typeof makeArrival>>[]): Change => {
    return { type: 'recordArrivals', strikeId, template, arrivals: list };
  };
  const first = await makeArrival(world, { status: 'TRANSFERRING', identity: null });
  await apply(record(first));
  await apply(record(await makeArrival(world)));
  const { ingestId } = first;
  await apply({ type: 'startIngests', ingests: [{ ingestId, atMs: NOW }] });
  await apply({ type: 'progressIngests', ingests: [{ ingestId, bytesTransferred: 1 }] });
  await apply({ type: 'endIngests', ingests: [makeIngestEnd(ingestId)] });
  await ensureBuiltins(real.db.sql, NOW);
  await loadStrikes(sql, [strikeId]);
  await dueStrikes(sql, [1]);
  await deferredIngests(sql, { strikeId, afterId: 0, limit: 5 });
  await sourcesAt(sql, [{ workspaceId: world.ids.in, filePath: 'a' }]);
}

async function planOf(text: string): Promise<string> {
  return real.db.sql.transaction(async (tx) => {
    await tx.execute('set local enable_seqscan = off');
    await tx.execute('set local enable_bitmapscan = off');
    await tx.execute('set local jit = off');
    const rows = await tx.execute<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${text}`);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
}

/** Tables whose size is history. */
const GROWING = [
  'job',
  'job_exe',
  'recipe',
  'recipe_condition',
  'recipe_node',
  'file',
  'file_ancestry',
  'ingest',
  'event',
];

await everything();

t.test('statements: the index that a comment names is the one that is used', async (t) => {
  let claims = 0;
  for (const [name, text] of statements) {
    for (const [, index = ''] of text.matchAll(/-- = (\w+)/g)) {
      claims += 1;
      // An insert's conflict is looked up in its index without the plan saying so.
      if (/on conflict/.test(text)) continue;
      const plan = await planOf(text);
      t.match(plan, new RegExp(`using ${index}\\b`), `${name} uses ${index}`);
    }
  }
  t.ok(claims > 20, `${claims} claims`);
});

t.test('statements: none scans a table that grows', async (t) => {
  for (const [name, text] of statements) {
    if (!/^\s*(select|with|update|insert|delete)/.test(text)) continue;
    const plan = await planOf(text);
    const scanned = GROWING.filter((table) => new RegExp(`Seq Scan on ${table}\\b`).test(plan));
    t.same(scanned, [], name);
  }
});
