/** What must hold once all faults are over and nothing is left to do; and what is still left. */
import { identityOf } from '../disks.ts';
import type { People } from '../people.ts';
import { wantedOf } from '../requests/scan-requests.ts';
import { isBucket, MOUNTS, workspaceUuid } from '../scenario.ts';
import type { Drop } from '../sent.ts';
import type { IngestRow, JobRow } from '../store/tables.ts';
import type { World } from '../world.ts';
import { checkBatches, checkChains, openBatch } from './batch-laws.ts';
import { Broken } from './broken.ts';
import { openPurge, type PurgeLaws } from './purge-laws.ts';
import { checkRequests, openRequest } from './request-laws.ts';

const DONE: readonly JobRow['status'][] = ['COMPLETED', 'FAILED', 'CANCELED', 'BLOCKED'];

/** Why the world is not at rest, as a sentence; undefined when it is. */
export function restlessness(world: World): string | undefined {
  return (
    openLimit(world) ??
    openStrike(world) ??
    openScan(world) ??
    openBatch(world) ??
    openPurge(world) ??
    openRequest(world) ??
    openRows(world) ??
    openWork(world) ??
    openFile(world) ??
    world.changeReaders.open
  );
}

function openLimit({ store }: World): string | undefined {
  const [limited] = store.tables.jobTypes.where((one) => one.isPaused || one.maxScheduled !== null);
  return limited === undefined ? undefined : `job type ${limited.id} is paused or limited`;
}

function openStrike(world: World): string | undefined {
  const { tables } = world.store;
  if (tables.settings.at(1).isPaused) return 'the scheduler is paused';
  for (const node of tables.nodes.rows.values()) {
    if (node.id === world.lostNodeId) continue;
    if (!node.isOnline || node.isPaused || !node.isActive) return `node ${node.id} takes no work`;
    for (const workspaceId of MOUNTS[node.id] ?? []) {
      if (tables.reach.get(`${node.id}/${workspaceId}`)?.isReachable !== true)
        return `node ${node.id} is not known to reach workspace ${workspaceId}`;
    }
  }
  for (const strike of tables.strikes.rows.values()) {
    if (strike.isPaused) return `strike ${strike.id} is paused`;
    const running = tables.executions.where((one) => one.jobId === strike.jobId && one.status === 'RUNNING');
    if (running.length !== 1) return `strike ${strike.id} has ${running.length} monitors by its rows`;
    const agent = world.agents.get(running[0]?.nodeId ?? 0);
    const isWatched = agent?.watches.holds().includes(running[0]?.id ?? 0);
    if (!isBucket(strike.workspaceId) && !isWatched) return `nobody watches for strike ${strike.id}`;
  }
  for (const { size } of world.queues.values())
    if (size > 0) return `${size} notifications are not done with`;
  return undefined;
}

function openScan(world: World): string | undefined {
  for (const scan of world.store.tables.scans.rows.values()) {
    if (scan.run !== null) return `scan ${scan.id} is at ${scan.run} after ${scan.cursor}: ${scan.reason}`;
    if (scan.waiting.length > 0) return `scan ${scan.id} has ${scan.waiting} waiting`;
    if (scan.cancelThrough !== null) return `scan ${scan.id} is being canceled`;
    const mode = wantedOf(world, scan);
    if (mode !== undefined) return `scan ${scan.id} has not had its last ${mode}`;
  }
  return undefined;
}

function openRows(world: World): string | undefined {
  const { tables } = world.store;
  const monitors = new Set([...tables.strikes.rows.values()].map((one) => one.jobId));
  const scans = new Set([...tables.scans.rows.values()].flatMap((one) => [one.jobId, one.dryRunJobId]));
  for (const job of tables.jobs.rows.values()) {
    const isIdle = scans.has(job.id) && job.status === 'PENDING';
    if (!monitors.has(job.id) && !isIdle && !DONE.includes(job.status))
      return `job ${job.id} of ${job.owner.kind}/${job.owner.key} is ${job.status} at ${job.exeNum}`;
  }
  for (const execution of tables.executions.rows.values()) {
    if (execution.status === 'RUNNING' && !monitors.has(execution.jobId))
      return `execution ${execution.id} of job ${execution.jobId} is RUNNING on node ${execution.nodeId}`;
  }
  for (const ingest of tables.ingests.rows.values()) {
    if (['TRANSFERRING', 'TRANSFERRED', 'INGESTING'].includes(ingest.status))
      return `ingest ${ingest.id} is ${ingest.status}`;
  }
  for (const { id, counts, isCompleted, isSuperseded, parentId } of tables.recipes.rows.values()) {
    const isTroubled = (['FAILED', 'CANCELED', 'BLOCKED'] as const).some(
      (status) => (counts[status] ?? 0) > 0,
    );
    if (!isCompleted && !isTroubled && !isSuperseded && parentId === null)
      return `recipe ${id} is not completed`;
  }
  return undefined;
}

function openWork(world: World): string | undefined {
  const { tables } = world.store;
  for (const host of world.hosts) {
    if (host.spool.size > 0) return `the agent of node ${host.nodeId} has reports that nobody acknowledged`;
    const [task] = host.tasks.keys();
    if (task !== undefined) return `the agent of node ${host.nodeId} holds execution ${task}`;
    const [ingest] = host.ingests.keys();
    if (ingest !== undefined) return `the agent of node ${host.nodeId} holds ingest execution ${ingest}`;
  }
  for (const agent of world.agents.values()) {
    if (agent.watches.isWaiting) return `nobody acknowledges the files that node ${agent.host.nodeId} saw`;
    const [listing] = agent.listings.holds();
    const isOfStrike = tables.strikes.where(
      (one) => one.jobId === tables.executions.get(listing ?? 0)?.jobId,
    );
    if (listing !== undefined && isOfStrike.length === 0)
      return `the agent of node ${agent.host.nodeId} lists for execution ${listing}`;
    for (const { executionId } of agent.watches.orders) {
      if (tables.executions.get(executionId)?.status !== 'RUNNING')
        return `the agent of node ${agent.host.nodeId} watches for execution ${executionId}, which has ended`;
    }
  }
  return undefined;
}

/** Every file that a sender left is known. */
function openFile(world: World): string | undefined {
  for (const drop of world.drops) {
    const isWanted = !drop.isReplaced && !world.isPurged(drop);
    if (isWanted && ingestsOf(world, drop).length === 0) return `nobody saw ${drop.path}`;
  }
  return undefined;
}

function ingestsOf(world: World, drop: Drop): IngestRow[] {
  return world.store.tables.ingests.where(
    (one) =>
      one.workspaceId === drop.workspaceId && one.filePath === drop.path && one.arrival === drop.identity,
  );
}

/** Throws when a law does not hold. */
export function checkRest(world: World, people: People, purges: PurgeLaws): void {
  const fail = (law: string, what: string): never => {
    throw new Broken(law, what, world.time.nowMs);
  };
  for (const drop of world.drops) {
    if (!world.isPurged(drop)) checkDrop(world, drop, fail);
    else if (ingestsOf(world, drop).some((one) => one.status !== 'DUPLICATE' && one.status !== 'ERRORED'))
      fail('what was purged does not come again', `${drop.path} ${drop.identity}`);
  }
  checkCounts(world, fail);
  checkRecipes(world, fail);
  checkChains(world, fail);
  checkBatches(world, purges.shrunkenBatches, fail);
  purges.checkRest(world, fail);
  checkRequests(world, fail);
  checkProducts(world, fail);
  for (const id of people.acceptedJobs) {
    if (world.store.tables.jobs.get(id) === undefined && !purges.hasTaken(id))
      fail('what was answered is kept', `job ${id}`);
  }
  for (const id of people.acceptedRecipes) {
    if (world.store.tables.recipes.get(id) === undefined && !purges.hasTakenRecipe(id))
      fail('what was answered is kept', `recipe ${id}`);
  }
  for (const id of people.acceptedBatches) {
    if (world.store.tables.batches.get(id) === undefined) fail('what was answered is kept', `batch ${id}`);
  }
}

type Fail = (law: string, what: string) => never;

function checkDrop(world: World, drop: Drop, fail: Fail): void {
  const ingests = ingestsOf(world, drop);
  const most = drop.isReplaced ? ingests.length <= 1 : ingests.length === 1;
  const wrong = most
    ? drop.isReplaced
      ? undefined
      : wrongOf(world, drop, ingests[0])
    : `${ingests.length} ingests`;
  if (wrong !== undefined)
    fail('each file is recorded exactly once', `${drop.path} ${drop.identity}: ${wrong}`);
}

/** What is wrong with the record of a file that nobody replaced. */
function wrongOf(world: World, drop: Drop, ingest: IngestRow | undefined): string | undefined {
  const { tables } = world.store;
  if (ingest?.status !== 'INGESTED') return `${ingest?.status}, ${ingest?.reason}`;
  const file = tables.files.get(ingest.sourceFileId ?? 0);
  // Which of two contents of one path is newer is told by when they arrived, on the clocks of coordinators.
  const isRepeated = world.drops.filter((one) => one.path === drop.path).length > 1;
  if (file?.isSuperseded === true && isRepeated && world.areClocksApart) return undefined;
  if (file === undefined || file.isSuperseded || file.sha256 !== drop.sha256)
    return `its file is ${JSON.stringify(file)}`;
  const there = world.disks.directory(workspaceUuid(file.workspaceId)).files.get(file.filePath);
  if (there?.sha256.split('#')[0] !== drop.sha256) return `its content is not at ${file.filePath}`;
  const source = world.disks.directory(workspaceUuid(drop.workspaceId)).files.get(drop.path);
  const isMoved = file.workspaceId !== drop.workspaceId;
  const isLeft = source !== undefined && world.hosts.some((host) => host.abandonedInodes.has(source.inode));
  return isMoved && source !== undefined && !isLeft && identityOf(source) === drop.identity
    ? 'it was moved and is still there'
    : undefined;
}

/** The last dry run of a scan has counted what is there. */
function checkCounts({ store, disks }: World, fail: Fail): void {
  for (const { id, counts, workspaceId } of store.tables.scans.rows.values()) {
    const { size } = disks.directory(workspaceUuid(workspaceId)).files;
    const [byRule] = counts?.by_rule ?? [];
    if (counts?.matched !== size || byRule !== size || counts.unmatched !== 0)
      fail('a scan counts each file once', `scan ${id}: ${JSON.stringify(counts)} of ${size}`);
  }
}

function checkRecipes(world: World, fail: Fail): void {
  const { tables } = world.store;
  for (const ingest of tables.ingests.rows.values()) {
    const started = tables.recipes.where((one) => one.ingestId === ingest.id && one.parentId === null);
    const wanted = ingest.status === 'INGESTED' ? 1 : 0;
    if (started.length !== wanted)
      fail('each recipe is started exactly once a file', `ingest ${ingest.id}: ${started.length}`);
  }
}

/** What rows say of products is there; each execution's once; nothing of executions that did not count. */
function checkProducts(world: World, fail: Fail): void {
  const { tables } = world.store;
  for (const file of tables.files.rows.values()) {
    if (file.fileType !== 'PRODUCT' || file.executionId === null) continue;
    const { files } = world.disks.directory(workspaceUuid(file.workspaceId));
    if (files.get(file.filePath) === undefined) fail('products are where rows say', `${file.filePath}`);
    const execution = tables.executions.at(file.executionId);
    if (execution.status !== 'COMPLETED')
      fail('products come from what completed', `execution ${execution.id}`);
  }
  for (const job of tables.jobs.rows.values()) {
    // A scan's own jobs complete once a run.
    if (tables.scans.where((one) => one.jobId === job.id || one.dryRunJobId === job.id).length > 0) continue;
    const completed = tables.executions.where((one) => one.jobId === job.id && one.status === 'COMPLETED');
    if (completed.length > 1) fail('no two executions of a job complete', `job ${job.id}`);
  }
}
