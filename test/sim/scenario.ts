/** The installation that every simulation starts with: workspaces, nodes, types, strikes. */

import type { RecipeTypeRevision } from '../../src/domain/recipe/type-revisions.ts';
import type { ScanConfiguration } from '../../src/domain/scan/scan-config.ts';
import type { StrikeConfiguration } from '../../src/domain/strike/strike-config.ts';
import { shardOf } from '../../src/kernel/mod.ts';
import { fileInput, makeManifest, makeRecipeRevision } from '../support/worlds/type-revisions.ts';
import type { Revisions } from './store/load/tree-loads.ts';
import type { JobRow, Tables } from './store/tables.ts';

export const NODES = [1, 2, 3] as const;
export const SLOTS = ['slot-1', 'slot-2', 'slot-3'] as const;
/** What a host gives to jobs when nothing limits it. */
export const RESOURCES = { cpus: 4, mem: 2_048, disk: 10_000, gpus: 0 } as const;
/** Most tasks of job types with this name end soon, in some seeds. */
export const SHORT_TYPE = 'short';
export const EXECUTOR = 'process:default';

const SHORT_TASKS_EVERY = 3;
/** Five seeds of thirty, from none of which on a mutant is looked for that has nothing to do with claims. */
const UNABLE = { every: 30, from: 24, to: 28 } as const;

/** With short tasks, few jobs fit, so that others wait for room. */
export function taskTraitsOf(seed: number) {
  const hasShortTasks = seed % SHORT_TASKS_EVERY === 0;
  return { hasShortTasks, resources: { ...RESOURCES, ...(hasShortTasks && { cpus: 2 }) } };
}

/** Whether the first node claims workspaces whose markers it may not write. */
export function isFirstUnableToMark(seed: number): boolean {
  const place = seed % UNABLE.every;
  return place >= UNABLE.from && place <= UNABLE.to;
}

export const WORKSPACE = {
  ...{ in: 1, products: 2, drop: 3, archive: 4 },
  /** An object store; those that follow are scanned. */
  ...{ bucket: 5, shelf: 6, heap: 7 },
  /** An object store that is not listed once a day: it is as good as its notifications, of which it loses none. */
  pail: 8,
} as const;
export const STRIKE = { stays: 1, moves: 2, bucket: 3, pail: 4 } as const;
export const SCAN = { stays: 1, moves: 2 } as const;

/** Which workspaces each host mounts. */
export const MOUNTS: Readonly<Record<number, readonly number[]>> = {
  1: [1, 2, 3, 4, 5, 6, 7, 8],
  2: [1, 2, 3, 4, 5, 6, 7, 8],
  3: [2, 4],
};

function asks(cpus: number) {
  const resources = {
    scalar: [
      { name: 'cpus', value: cpus },
      { name: 'mem', value: 256 },
    ],
  };
  return { manifest: makeManifest({ resources } as never) };
}

const SRC = { files: [fileInput('SRC', { required: true })], json: [] };
const DATA = { files: [fileInput('DATA')], json: [] };

const INNER = makeRecipeRevision(
  {
    D: { job: { ...asks(0.5), jobTypeName: SHORT_TYPE }, input: { IN: '@SRC' } },
    E: { job: asks(1), after: ['D'], input: { IN: 'D.OUT' } },
  },
  { files: [fileInput('SRC')], json: [] },
);

/** Jobs one after the other, a condition with something behind both its answers, and a recipe inside. */
export const RECIPE_REVISION = makeRecipeRevision(
  {
    A: { job: { ...asks(1), jobTypeName: SHORT_TYPE }, input: { IN: '@SRC' } },
    B: { job: asks(2), after: ['A'], input: { IN: 'A.OUT' } },
    C: { condition: DATA, after: ['A'], input: { DATA: 'A.OUT' } },
    YES: { job: asks(1), after: [{ name: 'C', acceptance: true }], input: { IN: 'C.DATA' } },
    NO: { job: asks(1), after: [{ name: 'C', acceptance: false }] },
    S: { sub: INNER, after: ['B'], input: { SRC: 'B.OUT' } },
  },
  SRC,
);

export const JOB_REVISION = [...INNER.jobs.values()][0] as NonNullable<ReturnType<typeof INNER.jobs.get>>;

/** The next revision lacks a node. */
export const NEXT_REVISION = without(RECIPE_REVISION, 'NO');

function without(revision: RecipeTypeRevision, name: string): RecipeTypeRevision {
  const { definition, jobs, recipeTypeRevId, revisionNum } = revision;
  const { nodes, ...rest } = definition;
  const { [name]: _, ...left } = nodes;
  return {
    ...revision,
    recipeTypeRevId: recipeTypeRevId + 10_000,
    revisionNum: revisionNum + 1,
    definition: { ...rest, nodes: left },
    jobs: new Map([...jobs].filter(([node]) => node !== name)),
  };
}

/** All of it waits for a condition: nothing but its owner continues with it. */
export const GATED_REVISION = makeRecipeRevision(
  {
    GATE: { condition: DATA, input: { DATA: '@SRC' } },
    F: { job: asks(1), after: [{ name: 'GATE', acceptance: true }], input: { IN: '@SRC' } },
  },
  SRC,
);

const ALL_REVISIONS = [RECIPE_REVISION, INNER, NEXT_REVISION, GATED_REVISION];

/** The revision that a strike's rule starts when it names the type. */
export function revisionOf(recipeTypeName: string): RecipeTypeRevision | null {
  return [RECIPE_REVISION, GATED_REVISION].find((one) => one.recipeTypeName === recipeTypeName) ?? null;
}

export const REVISIONS: Revisions = {
  recipes: new Map(ALL_REVISIONS.map((revision) => [revision.recipeTypeRevId, revision])),
  jobs: new Map(
    ALL_REVISIONS.flatMap((revision) => [...revision.jobs.values()]).map((revision) => [
      revision.jobTypeRevId,
      revision,
    ]),
  ),
};

/** The type of ingest jobs. */
export const INGEST_TYPE = { jobTypeId: 2, jobTypeRevId: 2, maxTries: 10 } as const;

const rule = { filename_regex: '.*\\.txt$', data_types: ['text'] };
const recipe = { name: RECIPE_REVISION.recipeTypeName };
const gated = { name: GATED_REVISION.recipeTypeName };
const monitor = { type: 'dir-watcher' } as const;

const moved = { ...rule, new_workspace: 'archive' };

export const CONFIGURATIONS: Readonly<Record<number, StrikeConfiguration>> = {
  [STRIKE.stays]: { workspace: 'in', monitor, files_to_ingest: [rule], recipe },
  [STRIKE.moves]: {
    workspace: 'drop',
    monitor,
    files_to_ingest: [{ ...moved, new_file_path: 'kept' }],
    recipe,
  },
  [STRIKE.bucket]: {
    workspace: 'bucket',
    monitor: { type: 'objstore', queue_name: 'arrivals', list_every_ms: 20_000 },
    files_to_ingest: [rule],
    recipe,
  },
  [STRIKE.pail]: {
    workspace: 'pail',
    monitor: { type: 'objstore', queue_name: 'drips', list_every_ms: 86_400_000 },
    files_to_ingest: [rule],
    recipe: gated,
  },
};

const scanner = { type: 'dir' } as const;

export const SCANS: Readonly<Record<number, ScanConfiguration>> = {
  [SCAN.stays]: { workspace: 'shelf', scanner, recursive: true, files_to_ingest: [rule], recipe },
  [SCAN.moves]: {
    workspace: 'heap',
    scanner,
    recursive: true,
    files_to_ingest: [{ ...moved, new_file_path: 'found' }],
    recipe: gated,
  },
};

export function workspaceUuid(id: number): string {
  return `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`;
}

export function isBucket(workspaceId: number): boolean {
  return workspaceId === WORKSPACE.bucket || workspaceId === WORKSPACE.pail;
}

/** First rows. Ids that are handed out later begin above them. */
export function prepare(tables: Tables): void {
  const settings = {
    isPaused: false,
    queueMode: 'FIFO',
    messageHandlerCount: 2,
    loggingLevel: 'INFO',
  } as const;
  tables.settings.put({ id: 1, ...settings });
  for (const [name, id] of Object.entries(WORKSPACE)) {
    const broker = isBucket(id) ? { type: 'objstore', bucket_name: name } : { type: 'host', host_path: name };
    const configuration = { broker };
    const uuid = workspaceUuid(id);
    tables.workspaces.put({ id, uuid, name, configuration, isActive: true, claimedNodeId: null });
  }
  for (const id of NODES) {
    tables.nodes.put({
      ...{ id, shard: shardOf('node', String(id)), hostname: `host-${id}`, agentId: null, bootId: null },
      ...{
        pauseReason: null,
        isPaused: false,
        isActive: true,
        isOnline: false,
        resources: {},
        executors: [],
        takesWorkAhead: false,
        errors: [],
        host: null,
      },
      warnings: [],
    });
  }
  for (const { jobTypeId: id } of REVISIONS.jobs.values())
    tables.jobTypes.put({ id, isPaused: false, maxScheduled: null });
  for (const id of Object.values(STRIKE)) prepareStrike(tables, id);
  for (const id of Object.values(SCAN)) prepareScan(tables, id);
  tables.commit();
}

function workspaceIdOf(name: string): number {
  return WORKSPACE[name as keyof typeof WORKSPACE];
}

function prepareStrike(tables: Tables, id: number): void {
  const shard = shardOf('strike', String(id));
  const configuration = CONFIGURATIONS[id] as StrikeConfiguration;
  const jobId = 100 + id;
  const workspaceId = workspaceIdOf(configuration.workspace);
  tables.strikes.put({
    ...{
      id,
      shard,
      title: '',
      description: '',
      workspaceId,
      isPaused: false,
      deferredCursor: null,
      listing: null,
      jobId,
    },
    configuration: { ...configuration },
  });
  tables.jobs.put(systemJob(jobId, { kind: 'strike', key: id }, { status: 'QUEUED', exeNum: 1 }));
}

/** As src/store/scan/edit.ts makes them. */
function prepareScan(tables: Tables, id: number): void {
  const shard = shardOf('scan', String(id));
  const configuration = SCANS[id] as ScanConfiguration;
  const [jobId, dryRunJobId] = [200 + id, 300 + id];
  const workspaceId = workspaceIdOf(configuration.workspace);
  tables.scans.put({
    ...{ id, shard, title: '', description: '', workspaceId, jobId, dryRunJobId, run: null, cursor: '' },
    ...{ counts: null, previousCounts: null, cancelThrough: null, reason: null, waiting: [] },
    configuration: { ...configuration },
  });
  for (const own of [jobId, dryRunJobId])
    tables.jobs.put(systemJob(own, { kind: 'scan', key: id }, { status: 'PENDING', exeNum: 0 }));
}

function systemJob(
  id: number,
  owner: JobRow['owner'],
  { status, exeNum }: Pick<JobRow, 'status' | 'exeNum'>,
): JobRow {
  return {
    ...{
      id,
      shard: shardOf(owner.kind, String(owner.key)),
      owner,
      jobTypeId: 1,
      jobTypeRevId: 1,
      eventId: 1,
    },
    ...{ recipeId: null, recipeNode: null, recipeIds: [], batchId: null, batchIds: [], status, exeNum },
    ...{ maxTries: 0, priority: 5, timeoutS: 0, configuration: null, atMs: 0, nodeId: null },
    ...{ error: null, classKey: null, resources: {}, queuedMs: 0, notBeforeMs: null, input: null },
    ...{ startedMs: null, endedMs: null, changedMs: 0, liveRecipeId: null, liveBatchId: null },
    ...{ output: null, isSuperseded: false, requestPosition: null },
  };
}

export const FIRST_ID = 1_000;
