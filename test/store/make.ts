/** Builders of what actors ask to be saved: everything has a value, one field at a time is interesting. */
import type { NewEvent } from '../../src/domain/event.ts';
import type { NewProduct, NewSourceFile } from '../../src/domain/file/file.ts';
import type { ParsedSource } from '../../src/domain/file/parsed-source.ts';
import type { ArrivalRecord, IngestEnd } from '../../src/domain/ingest/ingest.ts';
import type {
  ExecutionEnd,
  JobInput,
  JobMove,
  JobStatus,
  NewJob,
  PlacedStart,
  Queueing,
} from '../../src/domain/job/job.ts';
import type { NewRecipe } from '../../src/domain/recipe/recipe.ts';
import { NOW, type StoreWorld } from './store-world.ts';

export function makeEvent(id: number): NewEvent {
  return { id, type: 'USER', occurredMs: NOW, description: { by: 'somebody' } };
}

export const SOURCE = {
  startedMs: null,
  endedMs: null,
  sensorClass: null,
  sensor: null,
  collection: null,
  task: null,
} as const;

export function makeInput(files: Record<string, number[]> = {}): JobInput {
  return { input: { files, json: {} }, inputFileSizeMib: 3, source: { ...SOURCE, startedMs: NOW - 1 } };
}

export function makeQueueing(over: Partial<Queueing> = {}): Queueing {
  return {
    exeNum: 1,
    priority: 100,
    maxTries: 3,
    classKey: null,
    resources: { cpus: 1 },
    atMs: NOW,
    ...over,
  };
}

export function makeJob(world: StoreWorld, over: Partial<NewJob> & Pick<NewJob, 'id' | 'eventId'>): NewJob {
  const status = over.status ?? 'QUEUED';
  return {
    shard: 1,
    owner: { kind: 'job', key: over.id },
    jobTypeId: world.ids.type,
    jobTypeRevId: world.ids.rev,
    recipeId: null,
    recipeNode: null,
    recipeIds: [],
    batchId: null,
    status,
    maxTries: 3,
    priority: 100,
    timeoutS: 60,
    configuration: null,
    queueing: status === 'QUEUED' ? makeQueueing() : null,
    input: status === 'QUEUED' ? makeInput() : null,
    atMs: NOW,
    ...over,
  };
}

/** A queued job with its event, saved. */
export async function savedJob(world: StoreWorld, over: Partial<NewJob> = {}): Promise<NewJob> {
  const job = makeJob(world, { id: await world.newId('job'), eventId: await world.newId('event'), ...over });
  await world.apply(
    { type: 'createEvents', events: [makeEvent(job.eventId)] },
    { type: 'createJobs', jobs: [job] },
  );
  return job;
}

export async function makeStart(
  world: StoreWorld,
  jobId: number,
  over: Partial<PlacedStart> = {},
): Promise<PlacedStart> {
  const executionId = await world.newId('job_exe');
  return {
    executionId,
    jobId,
    exeNum: 1,
    nodeId: world.ids.node,
    atMs: NOW + 1,
    maxScheduled: null,
    ...over,
  };
}

export function makeEnd(jobId: number, over: Partial<Extract<JobMove, { kind: 'end' }>> = {}): JobMove {
  return {
    kind: 'end',
    jobId,
    from: ['QUEUED', 'RUNNING'],
    exeNum: 1,
    to: 'COMPLETED',
    error: null,
    output: null,
    atMs: NOW + 2,
    ...over,
  };
}

export function makeQueue(
  jobId: number,
  from: readonly JobStatus[],
  exeNum: number,
  over: Partial<Queueing> = {},
): JobMove {
  const queueing = makeQueueing({ exeNum: exeNum + 1, atMs: NOW + 3, ...over });
  return { kind: 'queue', jobId, from, exeNum, queueing, input: null };
}

export function makeExecutionEnd(executionId: number, over: Partial<ExecutionEnd> = {}): ExecutionEnd {
  const main = {
    phase: 'main',
    startedMs: NOW + 1,
    endedMs: NOW + 2,
    exitCode: 0,
    isTimedOut: false,
  } as const;
  return {
    executionId,
    status: 'COMPLETED',
    error: null,
    output: null,
    phases: [main],
    atMs: NOW + 2,
    ...over,
  };
}

export function makeRecipe(
  world: StoreWorld,
  over: Partial<NewRecipe> & Pick<NewRecipe, 'id' | 'eventId'>,
): NewRecipe {
  return {
    shard: 1,
    rootId: over.id,
    parentId: null,
    parentNode: null,
    ancestorIds: [],
    recipeTypeId: world.ids.recipeType,
    recipeTypeRevId: world.ids.recipeRev,
    batchId: null,
    ingestId: null,
    supersededRecipeId: null,
    configuration: null,
    input: makeInput(),
    atMs: NOW,
    ...over,
  };
}

export async function savedRecipe(world: StoreWorld, over: Partial<NewRecipe> = {}): Promise<NewRecipe> {
  const recipe = makeRecipe(world, {
    id: await world.newId('recipe'),
    eventId: await world.newId('event'),
    ...over,
  });
  await world.apply(
    { type: 'createEvents', events: [makeEvent(recipe.eventId)] },
    { type: 'createRecipes', recipes: [recipe] },
  );
  return recipe;
}

export async function makeSource(
  world: StoreWorld,
  over: Partial<NewSourceFile> = {},
): Promise<NewSourceFile> {
  const id = over.id ?? (await world.newId('file'));
  return {
    id,
    uuid: `10000000-0000-4000-8000-${String(id).padStart(12, '0')}`,
    fileName: `f${id}.txt`,
    mediaType: 'text/plain',
    size: 5,
    sha256: 'a'.repeat(64),
    tags: ['t "1"', 'b\\2'],
    workspaceId: world.ids.in,
    filePath: `d/f${id}.txt`,
    atMs: NOW,
    ...over,
  };
}

export async function makeProduct(
  world: StoreWorld,
  over: Partial<NewProduct> & Pick<NewProduct, 'jobId' | 'executionId'>,
): Promise<NewProduct> {
  const id = over.id ?? (await world.newId('file'));
  return {
    id,
    uuid: `20000000-0000-4000-8000-${String(id).padStart(12, '0')}`,
    fileName: 'p.txt',
    mediaType: 'text/plain',
    size: 6,
    sha256: 'b'.repeat(64),
    workspaceUuid: '00000000-0000-4000-8000-000000000002',
    filePath: `p/${id}.txt`,
    jobTypeId: world.ids.type,
    jobOutput: 'OUT',
    recipeId: null,
    recipeNode: null,
    recipeTypeId: null,
    batchId: null,
    inputFileIds: [],
    metadata: {},
    footprint: null,
    dataStartedMs: null,
    dataEndedMs: null,
    sourceStartedMs: NOW - 1,
    sourceEndedMs: null,
    sourceSensorClass: null,
    sourceSensor: null,
    sourceCollection: null,
    sourceTask: null,
    atMs: NOW + 2,
    ...over,
  };
}

export async function makeArrival(
  world: StoreWorld,
  over: Partial<ArrivalRecord> = {},
): Promise<ArrivalRecord> {
  return {
    ingestId: await world.newId('ingest'),
    jobId: await world.newId('job'),
    eventId: await world.newId('event'),
    workspaceId: world.ids.in,
    filePath: 'x/a.txt',
    fileName: 'a.txt',
    mediaType: 'text/plain',
    status: 'TRANSFERRED',
    identity: 'content-1',
    seenIdentity: over.identity === null ? 'growing' : (over.identity ?? 'content-1'),
    size: 10,
    mtimeMs: 1_700_000_000_000.25,
    firstSeenMs: NOW - 5,
    tags: ['tag'],
    newWorkspaceId: null,
    newFilePath: null,
    reason: null,
    atMs: NOW,
    ...over,
  };
}

export function makeIngestEnd(ingestId: number, over: Partial<IngestEnd> = {}): IngestEnd {
  return {
    ingestId,
    status: 'ERRORED',
    sourceFileId: null,
    error: null,
    reason: 'because',
    bytesTransferred: null,
    finalPath: null,
    atMs: NOW + 4,
    ...over,
  };
}

/** What a job tells of a source file. */
export function makeParsed(fileId: number, over: Partial<ParsedSource> = {}): ParsedSource {
  return {
    ...{ fileId, jobId: 1_000_000, recipeIds: [] },
    ...{ dataStartedMs: NOW - 500, dataEndedMs: NOW - 400 },
    ...{ sensorClass: null, sensor: 'A1', collection: null, task: null },
    ...{ tags: ['new', 't "1"'], metadata: { a: 1 }, atMs: NOW + 9 },
    footprint: { geometry: 'POINT (1 2)', centerPoint: 'POINT (1 2)', countries: ['FRA'] },
    ...over,
  };
}
