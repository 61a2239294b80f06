/**
 * Answers of creates: the record as it was committed. Jobs and recipes are answered from memory. A batch is read after
 * the commit, when a node may already run its jobs. Therefore values that the system changes are reset to the
 * committed ones; values that only users change are shown as read. The version is always that of the first write. If
 * the same commit wrote more, a follower gets a change that the answer already shows, which does no harm.
 */
import type { NewEvent } from '../../domain/event.ts';
import type { FileInfo } from '../../domain/file/file.ts';
import { type DataDocument, JOB_STATUSES, type NewJob, type SourceInfo } from '../../domain/job/job.ts';
import { recipeStateOf } from '../../domain/recipe/graph/recipe-state.ts';
import type { NewRecipe } from '../../domain/recipe/recipe.ts';
import type { BegunNode, RecipeBeginning } from '../../domain/recipe/recipe-beginning.ts';
import type { NodeType, RecipeDefinition, RecipeNode } from '../../domain/recipe/recipe-definition.ts';
import type { CurrentJobRevision } from '../../store/catalog/facts.ts';
import { actionsOnNewJob } from '../../store/job-request/actions.ts';
import type { BatchDetailsRecord } from '../batches/schema.ts';
import type { JobDetailsRecord } from '../jobs/schema.ts';
import type { RecipeDetailsRecord } from '../recipes/schema.ts';
import { existing } from './existing.ts';

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

function eventAsCreated({ id, type, occurredMs, description }: NewEvent) {
  return { id, type, rule: null, occurred: instantOf(occurredMs), description };
}

/** A job without a recipe, and what its request has read. */
export interface CreatedJob {
  readonly job: NewJob;
  readonly event: NewEvent;
  readonly revision: CurrentJobRevision;
  readonly data: DataDocument;
  /** Contains every file of the data. */
  readonly files: ReadonlyMap<number, FileInfo>;
  /** What it waits for; null: nothing is known to be missing. */
  readonly reason: string | null;
}

/** What `GET /v6/jobs/{id}/` would answer if nothing had happened since the commit that queued the job. */
export function jobAsCreated({ job, event, revision, data, files, reason }: CreatedJob): JobDetailsRecord {
  const created = instantOf(job.atMs);
  return {
    id: job.id,
    object_version: 1,
    job_type: revision.summary,
    job_type_rev: {
      id: revision.jobTypeRevId,
      job_type: { id: revision.jobTypeId },
      revision_num: revision.revisionNum,
      container_image: revision.containerImage,
      created: revision.revisionCreated,
      manifest: { ...revision.manifest },
    },
    event: eventAsCreated(event),
    ...{ recipe: null, batch: null, is_superseded: false, superseded_job: null, superseded_by_job: null },
    ...{ status: job.status, node: null, error: null, reason, num_exes: job.queueing?.exeNum ?? 0 },
    input_file_size: job.input?.inputFileSizeMib ?? null,
    input_files: fileNamesOf(data, files),
    ...sourceAsCreated(job.input?.source),
    created,
    ...{ queued: orNull(job.queueing?.atMs ?? null), started: null, ended: null },
    ...{ last_status_change: created, superseded: null, last_modified: created },
    actions: actionsOnNewJob(job.status, revision.isDeleted),
    resources: { resources: { ...job.queueing?.resources } },
    max_tries: job.maxTries,
    timeout: job.timeoutS,
    execution: null,
    input: dataRecord(data),
    output: { files: {}, json: {} },
    configuration: { ...(job.configuration ?? revision.configuration), priority: job.priority },
  };
}

function dataRecord({ files, json }: DataDocument): JobDetailsRecord['input'] {
  const lists = Object.entries(files).map(([name, ids]): [string, number[]] => [name, [...ids]]);
  return { files: Object.fromEntries(lists), json };
}

/** By input, each file once, in the order of their ids. */
function fileNamesOf(
  { files: given }: DataDocument,
  files: CreatedJob['files'],
): JobDetailsRecord['input_files'] {
  const inputs = Object.entries(given).filter(([, ids]) => ids.length > 0);
  const namesOf = (ids: readonly number[]): string[] =>
    [...new Set(ids)].sort((a, b) => a - b).map((id) => existing(files.get(id), 'file', id).fileName);
  return Object.fromEntries(inputs.map(([name, ids]) => [name, namesOf(ids)]));
}

/** A root recipe, and what its request has read. */
export interface CreatedRecipe {
  readonly recipe: NewRecipe;
  readonly event: NewEvent;
  /** What all recipes of its revision show. */
  readonly revision: Pick<
    RecipeDetailsRecord,
    'recipe_type' | 'recipe_type_rev' | 'job_types' | 'sub_recipe_types'
  >;
  readonly definition: RecipeDefinition;
  readonly begun: RecipeBeginning;
}

/**
 * What `GET /v6/recipes/{id}/` would answer if nothing had happened since the commit that created the recipe. Undefined
 * if its owner, a coordinator of the previous version, did not say which nodes it created.
 */
export function recipeAsCreated(created: CreatedRecipe): RecipeDetailsRecord | undefined {
  const { recipe, event, revision, definition, begun } = created;
  const nodes: [string, NodeRecord][] = [];
  for (const node of begun.nodes.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const record = nodeAsCreated(node, definition.nodes[node.name]);
    if (record === undefined) return undefined;
    nodes.push([node.name, record]);
  }
  const { job_types, sub_recipe_types } = revision;
  const isCompleted = begun.completedMs !== null;
  return {
    ...{ id: recipe.id, object_version: 1 },
    ...{ recipe_type: revision.recipe_type, recipe_type_rev: revision.recipe_type_rev },
    event: eventAsCreated(event),
    ...{
      recipe: null,
      batch: null,
      is_superseded: false,
      superseded_recipe: null,
      superseded_by_recipe: null,
    },
    input: dataRecord(recipe.input?.input ?? { files: {}, json: {} }),
    configuration: recipe.configuration,
    input_file_size: recipe.input?.inputFileSizeMib ?? null,
    ...sourceAsCreated(recipe.input?.source),
    ...(begun.counts as Counts),
    is_completed: isCompleted,
    state: recipeStateOf(begun.counts, isCompleted),
    is_halted: false, // nothing of it has failed or was canceled yet
    created: instantOf(recipe.atMs),
    ...{ completed: orNull(begun.completedMs), superseded: null, last_modified: instantOf(begun.modifiedMs) },
    details: { nodes: Object.fromEntries(nodes), job_types, sub_recipe_types },
    ...{ job_types, sub_recipe_types },
  };
}

type NodeRecord = RecipeDetailsRecord['details']['nodes'][string];
type Counts = Pick<
  RecipeDetailsRecord,
  Extract<keyof RecipeDetailsRecord, `jobs_${string}` | `sub_recipes_${string}`>
>;

function nodeAsCreated(begun: BegunNode, node: RecipeNode | undefined): NodeRecord | undefined {
  if (begun.id === undefined || node === undefined) return undefined;
  const dependencies = node.dependencies.map(({ name }) => ({ name }));
  return { dependencies, node_type: nodeTypeOf(begun, begun.id, node.node_type) as NodeRecord['node_type'] };
}

/** Which job or recipe type it uses, its id, and its state. */
function nodeTypeOf(begun: BegunNode, id: number, type: NodeType): object {
  switch (begun.kind) {
    case 'job':
      return { ...type, job_id: id, status: begun.status };
    case 'recipe':
      return { ...type, recipe_id: id, is_completed: begun.isCompleted, ...begun.counts };
    case 'condition':
      return {
        ...{ node_type: 'condition', condition_id: id, object_version: 1 },
        ...{ is_processed: begun.isProcessed, is_accepted: begun.isAccepted, reason: begun.reason },
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
