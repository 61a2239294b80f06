/** Every kind of change and load once, on a database of its own, so that every statement is heard. */
import t from 'tap';
import type { Change } from '../../../src/domain/changes.ts';
import { METRICS_TYPES } from '../../../src/domain/metrics/metrics-types.ts';
import {
  createToken,
  findSession,
  findToken,
  removeEndedCredentials,
  revokeOlderTokens,
} from '../../../src/store/account/access-tokens.ts';
import { findLogin } from '../../../src/store/account/list.ts';
import { createAccount } from '../../../src/store/account/save.ts';
import { beginAudit, finishAudit, removeOldAudit } from '../../../src/store/audit/save.ts';
import { foldBatchCounts } from '../../../src/store/batch/counts.ts';
import { batchPage, dueBatches, loadBatches } from '../../../src/store/batch/load.ts';
import { ensureBuiltins } from '../../../src/store/catalog/builtins.ts';
import { currentJobRevisions, findRecipeTypeRows } from '../../../src/store/catalog/facts.ts';
import { RevisionCache } from '../../../src/store/catalog/revision-cache.ts';
import { commitPort } from '../../../src/store/commit.ts';
import { dueDiagnosticRuns, loadDiagnosticRuns } from '../../../src/store/diagnostic/load.ts';
import { readExecutionFacts } from '../../../src/store/execution/configuration-facts.ts';
import { fileInfos } from '../../../src/store/file/facts.ts';
import { reservePath } from '../../../src/store/file/reserved-paths.ts';
import { claimKey, releaseKey, removeOldKeys } from '../../../src/store/idempotency/keys.ts';
import { sourcesAt } from '../../../src/store/ingest/load.ts';
import { listIngestStatus } from '../../../src/store/ingest/status.ts';
import { findJobs } from '../../../src/store/job/list.ts';
import { dueJobs, loadJobs, runningExecutions } from '../../../src/store/job/load.ts';
import { foldOutcomes } from '../../../src/store/job/outcomes.ts';
import { jobFacts } from '../../../src/store/job/why.ts';
import { areRunsWhole, chosenJobs } from '../../../src/store/job-request/choices.ts';
import { loadJobRequests } from '../../../src/store/job-request/save.ts';
import {
  jobTypeStatus,
  pendingJobTypes,
  runningJobTypes,
  systemFailures,
} from '../../../src/store/job-type/views.ts';
import { saveLogs } from '../../../src/store/log/save.ts';
import { foldStarts } from '../../../src/store/metrics/daily-starts.ts';
import { foldHours } from '../../../src/store/metrics/hour-totals.ts';
import { metricsPoints } from '../../../src/store/metrics/list.ts';
import { sampleLoad } from '../../../src/store/metrics/load-samples.ts';
import { dueNodes, loadNodes, nodesReaching } from '../../../src/store/node/load.ts';
import { findRecipes } from '../../../src/store/recipe/list.ts';
import { dueRecipes, loadRecipeTrees } from '../../../src/store/recipe/load.ts';
import { createScan } from '../../../src/store/scan/edit.ts';
import { dueScans, liveIngestJobs, loadScans } from '../../../src/store/scan/load.ts';
import { loadScheduler, queuedHeads } from '../../../src/store/scheduler/load.ts';
import { strikesReading } from '../../../src/store/strike/list.ts';
import { deferredIngests, dueStrikes, loadStrikes, lostMonitors } from '../../../src/store/strike/load.ts';
import { encryptionOf } from '../../support/worlds/encryption.ts';
import {
  makeArrival,
  makeEnd,
  makeEvent,
  makeExecutionEnd,
  makeIngestEnd,
  makeInput,
  makeParsed,
  makeProduct,
  makeQueue,
  makeSource,
  makeStart,
  savedJob,
  savedRecipe,
} from '../make.ts';
import { EPOCH, NOW, SCAN_CONFIGURATION, type StoreWorld, storeWorld } from '../store-world.ts';
import { heardSql } from './heard-sql.ts';

export const statements = new Map<string, string>();
/** Names of those whose query plans are kept. */
export const keyed = new Set<string>();
export const real = await storeWorld(t);
const sql = heardSql(real.db.sql, ({ name, text, isKept }) => {
  statements.set(name, text);
  if (isKept) keyed.add(name);
});
const port = commitPort(sql);
export const apply: StoreWorld['apply'] = async (...changes) =>
  (await port.apply([{ shard: 1, epoch: EPOCH, changes }]))[0] ?? [];
export const world: StoreWorld = { ...real, port, apply };

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
    {
      type: 'saveUnmet',
      types: [{ jobTypeId: world.ids.type, unmet: null }],
      classes: [{ key: 'none', unmet: null }],
    },
    { type: 'editStrike', strikeId: 1, patch: { title: 'x' }, atMs: NOW },
    { type: 'markListing', strikeId: 1, mark: null },
  );
  const { executionId } = start;
  const asked = {
    joinToken: '',
    executionId,
    workspaceUuid: '00000000-0000-4000-8000-000000000002',
    path: 'own',
  };
  await reservePath(sql, { ...asked, proof: 'x', foundProof: '', size: 1, sha256: '' });
  const product = await makeProduct(world, { jobId: job.id, executionId, inputFileIds: [source.id] });
  const accepted = { isAccepted: true, data: { files: {}, json: {} }, reason: null, atMs: NOW };
  await apply(
    { type: 'moveJobs', moves: [makeEnd(job.id, { to: 'FAILED' })] },
    { type: 'endExecutions', ends: [makeExecutionEnd(executionId)] },
    { type: 'createProducts', products: [product] },
    { type: 'parseSources', sources: [makeParsed(source.id, { jobId: job.id, recipeIds: [recipe.id] })] },
    { type: 'processConditions', outcomes: [{ conditionId, ...accepted }] },
  );
  const queue = { ...makeQueue(job.id, ['FAILED'], 1), input: makeInput({ IN: [source.id] }) } as const;
  await apply(
    { type: 'createEvents', events: [makeEvent(await world.newId('event'))] },
    { type: 'moveJobs', moves: [queue as never] },
  );
  await arrivals(job.id);
  await scans();
  const revisions = new RevisionCache(sql);
  await loadRecipeTrees(sql, revisions, [recipe.id]);
  await loadJobs(sql, revisions, [job.id]);
  await findJobs(sql, [job.id]);
  await jobFacts(sql, [job.id]);
  await readExecutionFacts(sql, encryptionOf(Buffer.alloc(32, 1)), [executionId]);
  await findRecipes(sql, [recipe.id]);
  await findRecipeTypeRows(sql, [1]);
  await currentJobRevisions(sql, [1]);
  await fileInfos(sql, [source.id]);
  const piece = { executionId, stream: 'stdout', offset: 0, content: Buffer.from('x') };
  await saveLogs(sql, [{ ...piece, atMs: NOW, joinToken: '', nodeName: '' }]);
  await runningExecutions(sql, [job.id]);
  await dueJobs(sql, [1]);
  await dueRecipes(sql, [1], NOW);
  await loadNodes(sql, [world.ids.node]);
  await dueNodes(sql, [1]);
  await nodesReaching(sql, [world.ids.in]);
  await loadScheduler(sql);
  await queuedHeads(sql, { classKey: 'x', mode: 'FIFO', limit: 5, nowMs: NOW });
  await loadDiagnosticRuns(sql, new RevisionCache(sql), [1]);
  await dueDiagnosticRuns(sql, [1]);
  await sampleLoad(sql, NOW);
  await foldStarts(sql);
  await foldOutcomes(sql, NOW);
  await foldHours(sql);
  await figures();
  const page = { offset: 0, pageSize: 5 };
  await jobTypeStatus(sql, true, { startedMs: NOW - 1, endedMs: NOW }, page);
  await pendingJobTypes(sql, page);
  await runningJobTypes(sql, page);
  await systemFailures(sql, page);
  await batches(recipe.id, job.id, revisions);
}

/** A batch, reprocessing, and what owners of batches read. */
async function batches(recipeId: number, jobId: number, revisions: RevisionCache): Promise<void> {
  const ids = [await world.newId('batch'), await world.newId('batch'), await world.newId('event')] as const;
  const [batchId, nextId, eventId] = ids;
  await world.rows(
    `insert into dataset (id, definition, created) values (1000, '{}', now()) on conflict do nothing`,
  );
  const batch = {
    ...{ shard: 1, title: '', description: '', eventId, definition: { dataset: 1000 }, configuration: {} },
    ...{ recipeTypeId: world.ids.recipeType, recipeTypeRevId: world.ids.recipeRev, recipesEstimated: 1 },
    ...{ atMs: NOW, supersededBatchId: null },
  };
  const next = { ...batch, id: nextId, rootBatchId: batchId, supersededBatchId: batchId };
  const step = { from: 0, to: 1, skipped: 0, isDone: true, atMs: NOW };
  await apply(
    { type: 'createEvents', events: [makeEvent(eventId)] },
    { type: 'createBatches', batches: [{ ...batch, id: batchId, rootBatchId: batchId }] },
    { type: 'advanceBatch', batchId, ...step },
  );
  await apply(
    { type: 'supersedeBatches', batches: [{ batchId, atMs: NOW }] },
    { type: 'createBatches', batches: [next] },
    { type: 'editBatch', batchId, patch: { title: 'x' }, atMs: NOW },
  );
  await savedRecipe(world, { batchId });
  const live = { liveRecipeId: recipeId, liveBatchId: batchId };
  await apply(
    { type: 'supersedeRecipes', recipes: [{ recipeId, atMs: NOW }] },
    { type: 'shareJobs', jobs: [{ jobId, ...live, recipeIds: [recipeId], batchIds: [batchId], atMs: NOW }] },
    { type: 'supersedeJobs', jobs: [{ jobId, atMs: NOW }] },
    { type: 'unpublishProducts', jobs: [{ jobId, atMs: NOW }] },
  );
  const definition = { parameters: { files: [], json: [] }, global_parameters: { files: [], json: [] } };
  const [dataset] = await real.rows<{ id: number }>(
    `insert into dataset (definition, created) values ($1, now()) returning id`,
    [JSON.stringify({ ...definition, global_data: { files: {}, json: {} } })],
  );
  const datasetId = dataset?.id ?? 0;
  await real.rows(
    `insert into dataset_member (dataset_id, data, created) values ($1, '{"files": {}, "json": {}}', now())`,
    [datasetId],
  );
  const runs = await loadBatches(sql, revisions, [batchId, nextId]);
  await dueBatches(sql, [1]);
  for (const run of runs.values()) {
    const source = run.source.kind === 'batch' ? run.source : { ...run.source, datasetId };
    await batchPage(sql, { ...run, source, cursor: 0 });
  }
  await foldBatchCounts(sql);
}

/** What was counted by hour. */
async function figures(): Promise<void> {
  const range = { startedMs: NOW - 1, endedMs: NOW };
  for (const type of METRICS_TYPES) {
    const query = { type, columns: type.columns, range };
    await metricsPoints(sql, { ...query, choiceIds: [] }, 5);
    await metricsPoints(sql, { ...query, choiceIds: [1, 2] }, 5);
  }
  for (const useIngestTime of [true, false]) {
    await listIngestStatus(sql, { ...range, useIngestTime }, { offset: 0, pageSize: 5 });
  }
}

let strikeId = 0;

export function strikeArrivals(list: readonly Awaited<ReturnType<typeof makeArrival>>[]): Change {
  const ids = { jobTypeId: world.ids.type, jobTypeRevId: world.ids.rev };
  const template = { shard: 1, ...ids, priority: 1, maxTries: 1, timeoutS: 0 } as const;
  return { type: 'recordArrivals', owner: { kind: 'strike', key: strikeId }, template, arrivals: list };
}

async function arrivals(jobId: number): Promise<void> {
  strikeId = await world.newId('strike');
  await real.rows(
    `insert into strike (id, shard, name, title, configuration, workspace_id, job_id, created, last_modified)
     values ($1, 1, 's', 'S', '{}', $2, $3, now(), now())`,
    [strikeId, world.ids.in, jobId],
  );
  const first = await makeArrival(world, { status: 'TRANSFERRING', identity: null });
  await apply(strikeArrivals([first]));
  await apply(strikeArrivals([await makeArrival(world)]));
  const { ingestId } = first;
  await apply({ type: 'startIngests', ingests: [{ ingestId, atMs: NOW }] });
  await apply({ type: 'progressIngests', ingests: [{ ingestId, bytesTransferred: 1 }] });
  await apply({ type: 'endIngests', ingests: [makeIngestEnd(ingestId)] });
  await ensureBuiltins(real.db.sql, NOW);
  await strikesReading(sql, 'q');
  await loadStrikes(sql, [strikeId]);
  await dueStrikes(sql, [1]);
  await lostMonitors(sql, [1]);
  await deferredIngests(sql, { strikeId, afterId: 0, limit: 5 });
  await sourcesAt(sql, [{ workspaceId: world.ids.in, filePath: 'a' }]);
}

let scanKey = 0;

function scanArrivals(list: readonly Awaited<ReturnType<typeof makeArrival>>[]): Change {
  const ids = { jobTypeId: world.ids.type, jobTypeRevId: world.ids.rev };
  const template = { shard: 1, ...ids, priority: 1, maxTries: 1, timeoutS: 0 } as const;
  return { type: 'recordArrivals', owner: { kind: 'scan', key: scanKey }, template, arrivals: list };
}

async function scans(): Promise<void> {
  await apply({ type: 'editScan', scanId: 1, patch: { title: 'x' }, atMs: NOW });
  const fields = { title: 'S', description: '', workspaceId: world.ids.in, nowMs: NOW };
  scanKey = await createScan(real.db.sql, { ...fields, configuration: SCAN_CONFIGURATION });
  await apply(scanArrivals([await makeArrival(world)]));
  await loadScans(sql, [scanKey]);
  await dueScans(sql, [1]);
  await liveIngestJobs(sql, scanKey);
}

/** Tables whose size is history. */
export const GROWING = [
  'job',
  'job_exe',
  'recipe',
  'recipe_condition',
  'recipe_node',
  'file',
  'file_ancestry',
  'reserved_path',
  'ingest',
  'event',
  'hour_total',
  'job_outcome',
  'audit',
  'access_token',
  'login_session',
  'idempotency_key',
];

const ACCOUNT = {
  ...{ username: 'x', firstName: '', lastName: '', email: '', isStaff: false, isActive: true, nowMs: NOW },
  passwordHash: null,
};

async function access(): Promise<void> {
  const hash = Buffer.alloc(32);
  const [accountId, nowMs] = [await createAccount(real.db.sql, ACCOUNT), NOW];
  await createToken(real.db.sql, { accountId, name: 'x', hash, scope: 'read', expiresMs: null, nowMs });
  await findToken(sql, hash, NOW);
  await findSession(sql, hash, NOW, NOW);
  await findLogin(sql, 'x');
  await revokeOlderTokens(sql, accountId, 'x', 1, NOW);
  await removeEndedCredentials(sql, NOW);
  const who = { atMs: NOW, accountId, username: 'x', knownBy: 'token', tokenId: null, address: '' } as const;
  const [id = 0] = await beginAudit(sql, [
    { ...who, requestId: 'x', method: 'POST', route: '/v6/x/', path: '/v6/x/' },
  ]);
  await finishAudit(sql, [{ id, status: 200, recordId: null }]);
  await removeOldAudit(sql, NOW);
}

/** A request that names a job type. */
async function requests(): Promise<void> {
  const choice = {
    ...{ startedMs: null, endedMs: null, status: null, jobIds: [], jobTypeIds: [world.ids.type] },
    ...{ jobTypeNames: ['type-a'], batchIds: [], recipeIds: [], errorCategories: [], errorIds: [] },
    isSuperseded: null,
  };
  const id = await world.newId('job_request');
  const request = {
    id,
    shard: 1,
    action: 'cancel',
    choice,
    priority: null,
    revision: null,
    atMs: NOW,
  } as const;
  await apply({ type: 'createJobRequests', requests: [request] });
  const saved = (await loadJobRequests(sql, [id])).get(id);
  if (saved === undefined) throw new Error('the request is not there');
  await areRunsWhole(sql, saved);
  await chosenJobs(sql, saved, { fromId: 0, beforeId: null, isLiveOnly: true }, 10);
}

/** Answers of each kind of record. */
async function keys(): Promise<void> {
  const records = [
    { type: 'job', id: 1 },
    { type: 'recipe', id: 1 },
    { type: 'batch', id: 1 },
    null,
  ] as const;
  const answers = records.map((record, at) => {
    const key = { accountId: 0, key: `${at}`, fingerprint: '' };
    return { key, status: 201, location: null, warning: null, record };
  });
  await apply({ type: 'keepAnswers', answers });
  const name = { accountId: 0, key: 'x' };
  await claimKey(sql, name, 'me');
  await releaseKey(sql, name, 'me');
  await removeOldKeys(sql);
}

await everything();
await requests();
await keys();
await access();
