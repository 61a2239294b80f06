/**
 * Answers of creates: the record as it was committed. The record is read after the commit, when a node may already run
 * it. Therefore values that the system changes are reset to the committed ones; values that only users change are shown
 * as read. The version is always that of the first write. If the same commit wrote more, a follower gets a change that
 * the answer already shows, which does no harm.
 */
import { JOB_STATUSES, type NewJob, type SourceInfo } from '../../domain/job/job.ts';
import type { NewRecipe } from '../../domain/recipe/recipe.ts';
import type { BegunNode, RecipeBeginning } from '../../domain/recipe/recipe-beginning.ts';
import { actionsOnNewJob } from '../../store/job-request/actions.ts';
import type { BatchDetailsRecord } from '../batches/schema.ts';
import type { JobDetailsRecord } from '../jobs/schema.ts';
import type { RecipeDetailsRecord } from '../recipes/schema.ts';

function instantOf(ms: number): string {
  return new Date(ms).toISOString();
}

function orNull(ms: number | null): string | null {
  return ms === null ? null : instantOf(ms);
}

/** The origin of the input's data as committed: a job of the recipe may change it when it ends. */
function sourceAsCreated(source: SourceInfo | undefined) {
  return {
    source_started: orNull(source?.startedMs ?? null),
    source_ended: orNull(source?.endedMs ?? null),
    source_sensor_class: source?.sensorClass ?? null,
    source_sensor: source?.sensor ?? null,
    source_collection: source?.collection ?? null,
    source_task: source?.task ?? null,
  };
}

/** For a job without a recipe, which the commit that creates it queues. */
export function jobAsCreated(
  found: Omit<JobDetailsRecord, 'execution'>,
  { queueing, input, status, atMs }: NewJob,
): JobDetailsRecord {
  const created = instantOf(atMs);
  return {
    ...found,
    object_version: 1,
    status,
    ...{ node: null, error: null, num_exes: queueing?.exeNum ?? 0, execution: null },
    ...sourceAsCreated(input?.source),
    ...{ queued: queueing === null ? null : instantOf(queueing.atMs), started: null, ended: null },
    ...{ last_status_change: created, last_modified: created },
    actions: actionsOnNewJob(status),
    output: { files: {}, json: {} },
  };
}

/** `begun` is undefined if the recipe existed already: it is then answered as read. */
export function recipeAsCreated(
  found: RecipeDetailsRecord,
  recipe: NewRecipe,
  begun: RecipeBeginning | undefined,
): RecipeDetailsRecord {
  if (begun === undefined) return found;
  const nodes = begun.nodes.flatMap((node) => {
    const read = found.details.nodes[node.name];
    return read === undefined ? [] : [[node.name, nodeAsCreated(read, node)] as const];
  });
  return {
    ...found,
    object_version: 1,
    ...{ is_superseded: false, superseded_by_recipe: null, superseded: null },
    ...sourceAsCreated(recipe.input?.source),
    ...begun.counts,
    is_completed: begun.completedMs !== null,
    completed: orNull(begun.completedMs),
    last_modified: instantOf(begun.modifiedMs),
    details: { ...found.details, nodes: Object.fromEntries(nodes) },
  };
}

type NodeRecord = RecipeDetailsRecord['details']['nodes'][string];

function nodeAsCreated(read: NodeRecord, begun: BegunNode): NodeRecord {
  return { ...read, node_type: { ...read.node_type, ...stateOf(begun) } } as NodeRecord;
}

function stateOf(begun: BegunNode): object {
  switch (begun.kind) {
    case 'job':
      return { status: begun.status };
    case 'recipe':
      return { is_completed: begun.isCompleted, ...begun.counts };
    case 'condition':
      return {
        object_version: 1,
        is_processed: begun.isProcessed,
        is_accepted: begun.isAccepted,
        reason: begun.reason,
      };
  }
}

const JOB_COUNTS = ['jobs_total', ...JOB_STATUSES.map((status) => `jobs_${status.toLowerCase()}`)];
const BATCH_COUNTS = [...JOB_COUNTS, 'recipes_total', 'recipes_completed', 'recipes_skipped'];
const NO_COUNTS = Object.fromEntries(BATCH_COUNTS.map((name) => [name, 0]));

/** For a batch, whose recipes are created by later commits. */
export function batchAsCreated(found: BatchDetailsRecord): BatchDetailsRecord {
  const metrics = Object.entries(found.job_metrics).map(([node, metric]) => {
    const figures = Object.keys(metric).map((name) => [name, JOB_COUNTS.includes(name) ? 0 : null]);
    return [node, Object.fromEntries(figures)];
  });
  return {
    ...found,
    object_version: 1,
    ...NO_COUNTS,
    ...{
      status: 'CREATING',
      is_superseded: false,
      superseded: null,
      is_creation_done: false,
      last_modified: found.created,
    },
    job_metrics: Object.fromEntries(metrics),
  };
}
