/**
 * Answers of creates: the record as it was committed. A job is answered from memory. Recipes and batches are read after
 * the commit, when a node may already run their jobs. Therefore values that the system changes are reset to the
 * committed ones; values that only users change are shown as read. The version is always that of the first write. If
 * the same commit wrote more, a follower gets a change that the answer already shows, which does no harm.
 */
import type { NewEvent } from '../../domain/event.ts';
import type { FileInfo } from '../../domain/file/file.ts';
import { type DataDocument, JOB_STATUSES, type NewJob, type SourceInfo } from '../../domain/job/job.ts';
import { recipeStateOf } from '../../domain/recipe/graph/recipe-state.ts';
import type { NewRecipe } from '../../domain/recipe/recipe.ts';
import type { BegunNode, RecipeBeginning } from '../../domain/recipe/recipe-beginning.ts';
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
    event: {
      ...{ id: event.id, type: event.type, rule: null },
      ...{ occurred: instantOf(event.occurredMs), description: event.description },
    },
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
    state: recipeStateOf(begun.counts, begun.completedMs !== null),
    is_halted: false, // nothing of it has failed or was canceled yet
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
