/** The flow of files as a graph: definitions, and the counters on them. */

import {
  type FlowFinder,
  flowFinders,
  flowJobTypes,
  flowRecipeTypes,
  flowWorkspaces,
} from '../../store/flow/definitions.ts';
import {
  type HourRange,
  type HourSums,
  hourSums,
  ingestsByStatus,
  jobsByStatus,
  liveRecipes,
  productCounts,
} from '../../store/flow/figures.ts';
import type { Sql } from '../../store/sql/sql.ts';
import type { FlowEdge, FlowNode } from './schema.ts';

/** Nodes of each kind at most. */
export const FLOW_BOUNDS = { strikes: 200, scans: 50, recipeTypes: 200, jobTypes: 500, rules: 20 } as const;

const HOUR_MS = 3_600_000;
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

/** `asked`: whole hours are counted, from that of its start to that of its end. */
export async function flowOf(sql: Sql, asked: HourRange, bounds = FLOW_BOUNDS): Promise<Flow> {
  const [found, live] = await Promise.all([flowFinders(sql, bounds), liveRecipes(sql)]);
  const strikes = found.filter(({ kind }) => kind === 'strike').slice(0, bounds.strikes);
  const scans = found.filter(({ kind }) => kind === 'scan').slice(0, bounds.scans);
  const finders = [...strikes, ...scans];
  const [idsOfStrikes, idsOfScans] = [strikes.map(({ id }) => id), scans.map(({ id }) => id)];
  const names = [...new Set(finders.flatMap(({ recipe }) => recipe ?? []))];
  const measures = ['ingested', 'errored', 'deferred', 'duplicate'];
  const [workspaces, foundTypes, strikeHours, scanHours, strikeNow, scanNow] = await Promise.all([
    flowWorkspaces(sql, [...new Set(finders.map(({ workspaceId }) => workspaceId))]),
    flowRecipeTypes(sql, names, [...live.keys()], bounds.recipeTypes + 1),
    hourSums(sql, 'ingests', idsOfStrikes, measures, asked),
    hourSums(sql, 'scan-ingests', idsOfScans, measures, asked),
    ingestsByStatus(sql, 'strike', idsOfStrikes),
    ingestsByStatus(sql, 'scan', idsOfScans),
  ]);
  const recipeTypes = foundTypes.slice(0, bounds.recipeTypes);
  const recipeTypeIds = recipeTypes.map(({ id }) => id);
  const [foundJobTypes, products] = await Promise.all([
    flowJobTypes(sql, recipeTypeIds, bounds.jobTypes + 1),
    productCounts(sql, recipeTypeIds),
  ]);
  const jobTypes = foundJobTypes.slice(0, bounds.jobTypes);
  const jobTypeIds = jobTypes.map(({ id }) => id);
  const [jobHours, jobsNow] = await Promise.all([
    hourSums(sql, 'job-types', jobTypeIds, ['completed', 'failed'], asked),
    jobsByStatus(sql, jobTypeIds),
  ]);
  const startedMs = Math.floor(asked.startedMs / HOUR_MS) * HOUR_MS;
  const hours = Math.max(asked.endedMs - startedMs, 60_000) / HOUR_MS;
  const rate = (count: number): number => Math.round((count / hours) * 100) / 100;

  const idOfRecipe = new Map(recipeTypes.map(({ name, id }) => [name, id]));
  const finderEdges = finders.flatMap((finder): FlowEdge[] => {
    const [sums, now] = finder.kind === 'strike' ? [strikeHours, strikeNow] : [scanHours, scanNow];
    return edgesOfFinder(finder, {
      sums,
      now: now.get(finder.id),
      recipeTypeId: idOfRecipe.get(finder.recipe ?? ''),
      rate,
    });
  });
  const made = new Map(products.map((one) => [`${one.recipeTypeId} ${one.jobTypeId}`, one.count]));
  const nodes: FlowNode[] = [
    ...workspaces.map(({ id, name, title, isActive }) => ({
      ...{ key: key('workspace', id), kind: 'workspace' as const, id, name, version: null, title },
      ...{ is_active: isActive, patterns: [], live: 0, failed: 0, files: 0 },
    })),
    ...finders.map(({ kind, id, name, title, isPaused, jobStatus, patterns }) => ({
      ...{ key: key(kind, id), kind, id, name, version: null, title, patterns: [...patterns] },
      is_active: kind === 'scan' ? jobStatus === 'RUNNING' || jobStatus === 'QUEUED' : !isPaused,
      ...{ live: 0, failed: 0, files: 0 },
    })),
    ...recipeTypes.map(({ id, name, title, isActive }) => ({
      ...{ key: key('recipe_type', id), kind: 'recipe_type' as const, id, name, version: null, title },
      ...{ is_active: isActive, patterns: [], live: live.get(id) ?? 0, failed: 0, files: 0 },
    })),
    ...jobTypes.map(({ id, name, version, title, isActive }) => ({
      ...{ key: key('job_type', id), kind: 'job_type' as const, id, name, version, title },
      ...{ is_active: isActive, patterns: [], live: sumOf(jobsNow.get(id), LIVE) },
      failed: sumOf(jobsNow.get(id), ['FAILED']),
      files: products.reduce((sum, one) => sum + (one.jobTypeId === id ? one.count : 0), 0),
    })),
  ];
  const edges: FlowEdge[] = [
    ...finderEdges,
    ...jobTypes.flatMap(({ id, recipeTypeIds: within }) =>
      within.map((recipeTypeId) => {
        const done = sumOf(jobHours.get(id), ['completed']);
        return {
          ...{ from: key('recipe_type', recipeTypeId), to: key('job_type', id) },
          ...{ live: sumOf(jobsNow.get(id), LIVE), waiting: 0, done, per_hour: rate(done) },
          failed: sumOf(jobHours.get(id), ['failed']),
          files: made.get(`${recipeTypeId} ${id}`) ?? 0,
        };
      }),
    ),
  ];
  const isCut =
    found.length > finders.length ||
    foundTypes.length > recipeTypes.length ||
    foundJobTypes.length > jobTypes.length;
  return {
    started: new Date(startedMs).toISOString(),
    ended: new Date(asked.endedMs).toISOString(),
    ...{ nodes, edges, is_cut: isCut },
  };
}

interface FinderFigures {
  readonly sums: HourSums;
  readonly now: ReadonlyMap<string, number> | undefined;
  readonly recipeTypeId: number | undefined;
  readonly rate: (count: number) => number;
}

/** From its workspace to it, and from it to what it starts. */
function edgesOfFinder(
  { kind, id, workspaceId }: FlowFinder,
  { sums, now, recipeTypeId, rate }: FinderFigures,
): FlowEdge[] {
  const ingested = sumOf(sums.get(id), ['ingested']);
  const arriving = {
    ...{ from: key('workspace', workspaceId), to: key(kind, id), live: sumOf(now, ARRIVING) },
    ...{ waiting: sumOf(now, ['DEFERRED']), done: ingested, per_hour: rate(ingested), files: 0 },
    failed: sumOf(sums.get(id), ['errored']),
  };
  if (recipeTypeId === undefined) return [arriving];
  const starting = {
    ...{ from: key(kind, id), to: key('recipe_type', recipeTypeId), live: 0, waiting: 0 },
    ...{ done: ingested, per_hour: rate(ingested), failed: 0, files: 0 },
  };
  return [arriving, starting];
}
