/** The flow of files as a graph: definitions, and the counters on them. */

import { flowFinders, flowJobTypes, flowRecipeTypes, flowWorkspaces } from '../../store/flow/definitions.ts';
import {
  type HourRange,
  hourSums,
  ingestsByStatus,
  jobsByStatus,
  liveRecipes,
  type ProductCount,
  productCounts,
} from '../../store/flow/figures.ts';
import type { Sql } from '../../store/sql/sql.ts';
import type { FlowEdge, FlowNode } from './schema.ts';

// limit: nodes of each kind, and rules of one strike or scan.
const FLOW_BOUNDS = { strikes: 200, scans: 50, recipeTypes: 200, jobTypes: 500, rules: 20 };
type Bounds = typeof FLOW_BOUNDS;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ARRIVING = ['TRANSFERRING', 'TRANSFERRED', 'INGESTING'] as const;
const LIVE = ['PENDING', 'BLOCKED', 'QUEUED', 'RUNNING'] as const;

export interface Flow {
  readonly started: string;
  readonly ended: string;
  readonly nodes: FlowNode[];
  readonly edges: FlowEdge[];
  readonly is_cut: boolean;
}

const key = (kind: FlowNode['kind'], id: number): string => `${kind}-${id}`;

function sumOf<Name extends string>(
  counts: ReadonlyMap<Name, number> | undefined,
  names: readonly NoInfer<Name>[],
): number {
  return names.reduce((sum, name) => sum + (counts?.get(name) ?? 0), 0);
}

/** Counts whole hours, from the hour in which `asked` begins to the hour in which it ends. */
export async function flowOf(sql: Sql, asked: HourRange, bounds: Bounds = FLOW_BOUNDS): Promise<Flow> {
  const finding = await readFinders(sql, asked, bounds);
  const running = await readTypes(sql, asked, bounds, finding);
  const startedMs = Math.floor(asked.startedMs / HOUR_MS) * HOUR_MS;
  const hours = Math.max(asked.endedMs - startedMs, MINUTE_MS) / HOUR_MS;
  const rate = (count: number): number => Math.round((count / hours) * 100) / 100;
  return {
    started: new Date(startedMs).toISOString(),
    ended: new Date(asked.endedMs).toISOString(),
    nodes: [...finderNodes(finding), ...typeNodes(running)],
    edges: [...finderEdges(finding, running, rate), ...typeEdges(running, rate)],
    is_cut: finding.isCut || running.isCut,
  };
}

type Finding = Awaited<ReturnType<typeof readFinders>>;
type Running = Awaited<ReturnType<typeof readTypes>>;
type Rate = (count: number) => number;

/** Strikes and scans, their workspaces, and the counters of their ingests. */
async function readFinders(sql: Sql, asked: HourRange, bounds: Bounds) {
  const found = await flowFinders(sql, bounds);
  const strikes = found.filter(({ kind }) => kind === 'strike').slice(0, bounds.strikes);
  const scans = found.filter(({ kind }) => kind === 'scan').slice(0, bounds.scans);
  const finders = [...strikes, ...scans];
  const [strikeIds, scanIds] = [strikes.map(({ id }) => id), scans.map(({ id }) => id)];
  const [workspaces, strikeHours, scanHours, strikesNow, scansNow] = await Promise.all([
    flowWorkspaces(sql, [...new Set(finders.map(({ workspaceId }) => workspaceId))]),
    hourSums(sql, 'ingests', strikeIds, ['ingested', 'errored'], asked),
    hourSums(sql, 'scan-ingests', scanIds, ['ingested', 'errored'], asked),
    ingestsByStatus(sql, 'strike', strikeIds),
    ingestsByStatus(sql, 'scan', scanIds),
  ]);
  const hours = { strike: strikeHours, scan: scanHours };
  const now = { strike: strikesNow, scan: scansNow };
  return { finders, workspaces, hours, now, isCut: found.length > finders.length };
}

/** The recipe types that strikes and scans start, the job types that these run, and the counters of both. */
async function readTypes(sql: Sql, asked: HourRange, bounds: Bounds, { finders }: Finding) {
  const live = await liveRecipes(sql);
  const names = [...new Set(finders.flatMap(({ recipe }) => recipe ?? []))];
  const foundRecipes = await flowRecipeTypes(sql, names, [...live.keys()], bounds.recipeTypes + 1);
  const recipeTypes = foundRecipes.slice(0, bounds.recipeTypes);
  const recipeTypeIds = recipeTypes.map(({ id }) => id);
  const [foundJobs, products] = await Promise.all([
    flowJobTypes(sql, recipeTypeIds, bounds.jobTypes + 1),
    productCounts(sql, recipeTypeIds),
  ]);
  const jobTypes = foundJobs.slice(0, bounds.jobTypes);
  const jobTypeIds = jobTypes.map(({ id }) => id);
  const [hours, now] = await Promise.all([
    hourSums(sql, 'job-types', jobTypeIds, ['completed', 'failed'], asked),
    jobsByStatus(sql, jobTypeIds),
  ]);
  const isCut = foundRecipes.length > recipeTypes.length || foundJobs.length > jobTypes.length;
  return { live, recipeTypes, jobTypes, products: productsBy(products), hours, now, isCut };
}

/** By job type, and then by recipe type. */
function productsBy(products: readonly ProductCount[]): ReadonlyMap<number, ReadonlyMap<number, number>> {
  const found = new Map<number, Map<number, number>>();
  for (const { jobTypeId, recipeTypeId, count } of products) {
    const counts = found.get(jobTypeId) ?? new Map<number, number>();
    found.set(jobTypeId, counts.set(recipeTypeId, count));
  }
  return found;
}

/** The fields of a node for which nothing is counted. */
const PLAIN = { version: null, live: 0, failed: 0, files: 0 } as const;

function finderNodes({ workspaces, finders }: Finding): readonly FlowNode[] {
  return [
    ...workspaces.map(({ id, name, title, isActive }) => {
      const kind = 'workspace' as const;
      return { ...PLAIN, key: key(kind, id), kind, id, name, title, is_active: isActive, patterns: [] };
    }),
    ...finders.map(({ kind, id, name, title, isPaused, jobStatus, patterns }) => {
      const isUnderWay = jobStatus === 'RUNNING' || jobStatus === 'QUEUED';
      const isActive = kind === 'scan' ? isUnderWay : !isPaused;
      const node = { ...PLAIN, key: key(kind, id), kind, id, name, title };
      return { ...node, is_active: isActive, patterns: [...patterns] };
    }),
  ];
}

function typeNodes({ live, recipeTypes, jobTypes, products, now }: Running): readonly FlowNode[] {
  return [
    ...recipeTypes.map(({ id, name, title, isActive }) => {
      const kind = 'recipe_type' as const;
      const node = { ...PLAIN, key: key(kind, id), kind, id, name, title, is_active: isActive };
      return { ...node, patterns: [], live: live.get(id) ?? 0 };
    }),
    ...jobTypes.map(({ id, name, version, title, isActive }) => {
      const kind = 'job_type' as const;
      const node = { key: key(kind, id), kind, id, name, version, title, is_active: isActive, patterns: [] };
      const files = [...(products.get(id)?.values() ?? [])].reduce((sum, count) => sum + count, 0);
      return { ...node, live: sumOf(now.get(id), LIVE), failed: sumOf(now.get(id), ['FAILED']), files };
    }),
  ];
}

/** Edges from workspaces to strikes and scans, and from these to the recipe types that they start. */
function finderEdges(
  { finders, hours, now }: Finding,
  { recipeTypes }: Running,
  rate: Rate,
): readonly FlowEdge[] {
  const idOfRecipe = new Map(recipeTypes.map(({ name, id }) => [name, id]));
  return finders.flatMap(({ kind, id, workspaceId, recipe }): readonly FlowEdge[] => {
    const [ended, present] = [hours[kind].get(id), now[kind].get(id)];
    const ingested = sumOf(ended, ['ingested']);
    const same = { done: ingested, per_hour: rate(ingested), files: 0 };
    const arriving = {
      ...{ from: key('workspace', workspaceId), to: key(kind, id), ...same },
      ...{ live: sumOf(present, ARRIVING), waiting: sumOf(present, ['DEFERRED']) },
      failed: sumOf(ended, ['errored']),
    };
    const recipeTypeId = idOfRecipe.get(recipe ?? '');
    if (recipeTypeId === undefined) return [arriving];
    const to = key('recipe_type', recipeTypeId);
    return [arriving, { from: key(kind, id), to, ...same, live: 0, waiting: 0, failed: 0 }];
  });
}

/** Edges from recipe types to the job types that they run. */
function typeEdges({ jobTypes, products, hours, now }: Running, rate: Rate): readonly FlowEdge[] {
  return jobTypes.flatMap(({ id, recipeTypeIds }) =>
    recipeTypeIds.map((recipeTypeId) => {
      const done = sumOf(hours.get(id), ['completed']);
      return {
        ...{ from: key('recipe_type', recipeTypeId), to: key('job_type', id) },
        ...{ live: sumOf(now.get(id), LIVE), waiting: 0, done, per_hour: rate(done) },
        failed: sumOf(hours.get(id), ['failed']),
        files: products.get(id)?.get(recipeTypeId) ?? 0,
      };
    }),
  );
}
