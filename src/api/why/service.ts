/** Explains why jobs and recipes are not completed. It passes rows to the code that makes the decisions. */
import { type Cause, cause, readRecipe, subject } from '../../domain/cause.ts';
import { isWaiting } from '../../domain/job/job-machine.ts';
import { type JobFacts, ownCauses, systemCauses, triedBefore } from '../../domain/job/why.ts';
import type { RecipeTree } from '../../domain/recipe/recipe.ts';
import { type HeldNode, heldNodes } from '../../domain/recipe/why.ts';
import { stateOf } from '../../domain/scheduling/scheduler-state.ts';
import { waitingCauses } from '../../domain/scheduling/waiting.ts';
import type { RevisionCache } from '../../store/catalog/revision-cache.ts';
import { conditionNotes, jobFacts, type RecipePlace, recipePlace } from '../../store/job/why.ts';
import { loadRecipeTrees } from '../../store/recipe/load.ts';
import { waitingSnapshot } from '../../store/scheduler/waiting.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { recordOf } from './cause.ts';

export interface WhyParts {
  readonly sql: Sql;
  readonly revisions: RevisionCache;
}

// limit: nodes of a recipe whose causes are collected.
const HELD_MAX = 100;

/** Undefined when there is no such job. */
export async function whyOfJob(parts: WhyParts, id: number, nowMs: number) {
  const job = (await jobFacts(parts.sql, [id])).get(id);
  if (job === undefined) return undefined;
  const causes =
    isWaiting(job.status) && job.recipeId !== null
      ? await causesInRecipe(parts, job, job.recipeId)
      : ((await causesOf(parts.sql, [job], nowMs)).get(id) ?? []);
  return { id, status: job.status, causes: causes.map(recordOf) };
}

async function causesInRecipe(parts: WhyParts, job: JobFacts, recipeId: number): Promise<readonly Cause[]> {
  const place = await recipePlace(parts.sql, recipeId);
  const tree = place && (await treeOf(parts, place));
  if (tree === undefined) return [PURGED];
  const held = heldNodes(tree, recipeId, await notesOf(parts.sql, tree));
  return (held.find(({ jobId }) => jobId === job.id)?.causes ?? []).map((one) => since(one, job));
}

/** Undefined when there is no such recipe. */
export async function whyOfRecipe(parts: WhyParts, id: number, nowMs: number) {
  const place = await recipePlace(parts.sql, id);
  if (place === undefined) return undefined;
  const answer = (heldCount: number, causes: readonly Cause[]) => {
    return { id, is_completed: place.isCompleted, held_count: heldCount, causes: causes.map(recordOf) };
  };
  if (place.isSuperseded) return answer(0, [supersededBy(place)]);
  const tree = await treeOf(parts, place);
  if (tree === undefined) return answer(0, [PURGED]);
  const held = heldNodes(tree, id, await notesOf(parts.sql, tree));
  const shown = held.slice(0, HELD_MAX);
  const jobIds = shown.flatMap(({ jobId }) => (jobId === null ? [] : [jobId]));
  const facts = await jobFacts(parts.sql, jobIds);
  const letGo = shown.flatMap(({ jobId, causes }) =>
    causes.length > 0 ? [] : (facts.get(jobId ?? 0) ?? []),
  );
  const byJob = await causesOf(parts.sql, letGo, nowMs);
  return answer(
    held.length,
    shown.flatMap((one) => causesAt(one, facts, byJob)),
  );
}

/** The causes of a node, with the node and its job as first subjects. */
function causesAt(
  { jobId, node, recipeId, causes }: HeldNode,
  facts: ReadonlyMap<number, JobFacts>,
  byJob: ReadonlyMap<number, readonly Cause[]>,
): readonly Cause[] {
  const job = facts.get(jobId ?? 0);
  if (job === undefined) return causes;
  if (causes.length > 0) return causes.map((one) => since(one, job));
  const about = [subject('recipe_node', null, node), subject('job', job.id), subject('recipe', recipeId)];
  return (byJob.get(job.id) ?? []).map((one) => ({ ...one, subjects: [...about, ...one.subjects] }));
}

/** A cause without a time of its own holds since the job got its status. */
function since(one: Cause, { sinceMs }: JobFacts): Cause {
  return { ...one, sinceMs: one.sinceMs ?? sinceMs };
}

/** Causes by job, for jobs that their recipes have released: they wait for a node, run, or have ended. */
async function causesOf(
  sql: Sql,
  jobs: readonly JobFacts[],
  nowMs: number,
): Promise<ReadonlyMap<number, readonly Cause[]>> {
  const queued = jobs.filter(({ status, systemWork }) => status === 'QUEUED' && systemWork === null);
  const snapshot =
    queued.length === 0
      ? undefined
      : await waitingSnapshot(
          sql,
          queued.map(({ id }) => id),
        );
  const state = snapshot && stateOf(snapshot.scheduler);
  const causesOfOne = (job: JobFacts): readonly Cause[] => {
    if (job.status !== 'QUEUED') return ownCauses(job, nowMs);
    if (job.systemWork !== null) return [...systemCauses(job), ...triedBefore(job)];
    const waiting = snapshot?.waiting.get(job.id);
    // The job was placed meanwhile.
    if (waiting === undefined || snapshot === undefined || state === undefined) return [];
    return [...waitingCauses(state, waiting, snapshot.cluster, nowMs), ...triedBefore(job)];
  };
  return new Map(jobs.map((job) => [job.id, causesOfOne(job)]));
}

async function treeOf(
  { sql, revisions }: WhyParts,
  { chainId }: RecipePlace,
): Promise<RecipeTree | undefined> {
  return (await loadRecipeTrees(sql, revisions, [chainId])).get(chainId);
}

function notesOf(sql: Sql, tree: RecipeTree) {
  return conditionNotes(sql, [...tree.recipes.keys()]);
}

const PURGED = cause('purged', { reason: 'a purge removes it, so nothing of it continues' });

function supersededBy({ supersededMs, supersededBy: id }: RecipePlace): Cause {
  return cause('superseded', {
    reason:
      id === null ? 'it was reprocessed' : `it was reprocessed: the recipe ${id} continues in its place`,
    sinceMs: supersededMs,
    subjects: id === null ? [] : [subject('recipe', id)],
    ...(id === null ? {} : { help: 'The causes of that recipe say the rest.', action: readRecipe(id) }),
  });
}
