/** Batches: reads them from the store, checks requests, and has actors create them. */
import { type BatchMessage, batchAddress } from '../../actors/batch/batch.messages.ts';
import {
  type BatchConfiguration,
  type BatchDefinition,
  forcedOf,
  validateBatchConfiguration,
  validateBatchDefinition,
} from '../../domain/batch/batch-documents.ts';
import { recipesOfOne, validateBatchInput } from '../../domain/batch/batch-input.ts';
import { INT4_MAX } from '../../domain/document/fields.ts';
import { isAbsent } from '../../domain/document/json-value.ts';
import { AppError } from '../../domain/errors.ts';
import { checkForcedNodes, NOTHING_FORCED } from '../../domain/recipe/forced-nodes.ts';
import { changesAnything, type RecipeDiff } from '../../domain/recipe/recipe-diff.ts';
import { inputOf } from '../../domain/recipe/recipe-graph.ts';
import { diffRevisions } from '../../domain/recipe/reprocess.ts';
import type { RecipeTypeRevision } from '../../domain/recipe/type-revisions.ts';
import { IssueList, type Problem } from '../../domain/validation.ts';
import type { Asker, RawBody } from '../../http/route.ts';
import { shardOf } from '../../kernel/mod.ts';
import { type CurrentBatch, countMembers, currentBatch, findBatch } from '../../store/batch/list.ts';
import { findRecipeTypeRows, type RecipeTypeRow } from '../../store/catalog/facts.ts';
import { findDatasetDefinition } from '../../store/dataset/list.ts';
import type { ReprocessParts } from '../recipes/reprocess.ts';
import { batchAsCreated } from '../shared/as-created.ts';
import { existing } from '../shared/existing.ts';
import { answerByKey } from '../shared/idempotency.ts';
import { ASK_DEADLINE_MS, FIRST_ASK, freshId, refuseProblems, userEvent } from '../shared/requests.ts';
import { estimateOf, workOf } from '../shared/work-estimate.ts';
import {
  type BatchCreateBody,
  type BatchEditBody,
  type BatchEffects,
  type BatchFindings,
  batchPath,
} from './schema.ts';

/** The parts of a request for a batch. An invalid part is empty, null or undefined. */
interface CheckedBatch {
  readonly type: RecipeTypeRow | undefined;
  readonly definition: BatchDefinition;
  readonly configuration: BatchConfiguration;
  readonly estimated: number | null;
  /** Undefined also if the recipes are those of a previous batch. */
  readonly revision: RecipeTypeRevision | undefined;
  readonly previous: { readonly batch: CurrentBatch; readonly diff: RecipeDiff } | undefined;
}

/** Creates a batch. Resolves once it is committed, with the batch as committed. Throws INVALID_REQUEST. */
export async function addBatch(parts: ReprocessParts, body: BatchCreateBody, asker: Asker) {
  const issues = new IssueList();
  const { type, definition, configuration, estimated, previous } = await check(parts, { ...body }, issues);
  refuseProblems(issues);
  if (type === undefined) throw new AppError('UNKNOWN_REFERENCE', 'there is no such recipe type');
  const event = await userEvent(parts.ids, asker);
  const id = await freshId(parts.ids, 'batch');
  const address = batchAddress(id);
  const message: BatchMessage = {
    type: 'begin',
    event,
    batch: {
      id,
      shard: shardOf(address.kind, address.key),
      title: body.title ?? '',
      description: body.description ?? '',
      recipeTypeId: type.id,
      recipeTypeRevId: type.revId,
      eventId: event.id,
      definition,
      configuration,
      rootBatchId: definition.previous_batch?.root_batch_id ?? id,
      supersededBatchId: previous?.batch.id ?? null,
      recipesEstimated: estimated ?? 0,
      atMs: asker.nowMs,
    },
    ...answerByKey(
      asker,
      { status: 201, location: batchPath(id), warnings: issues.warnings },
      { type: 'batch', id },
    ),
  };
  await parts.system.ask(address, message, FIRST_ASK);
  const found = existing(await findBatch(parts.sql, id), 'batch', id);
  return { record: batchAsCreated(found), warnings: issues.warnings };
}

/** Resolves with warnings. Throws NOT_FOUND or INVALID_REQUEST. */
export async function changeBatch(
  parts: ReprocessParts,
  id: number,
  body: BatchEditBody,
): Promise<readonly Problem[]> {
  existing(await findBatch(parts.sql, id), 'batch', id);
  const { title, description } = body;
  const issues = new IssueList();
  const checked = validateBatchConfiguration(body.configuration);
  issues.include('configuration', { errors: checked.ok ? [] : checked.errors, warnings: checked.warnings });
  refuseProblems(issues);
  const patch = {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(body.configuration === undefined || !checked.ok ? {} : { configuration: checked.value }),
  };
  if (Object.keys(patch).length > 0) {
    const message: BatchMessage = { type: 'edit', patch };
    await parts.system.ask(batchAddress(id), message, { deadlineMs: ASK_DEADLINE_MS });
  }
  return issues.warnings;
}

export async function checkBatch(parts: ReprocessParts, raw: RawBody): Promise<BatchFindings> {
  const issues = new IssueList();
  const checked = await check(parts, raw, issues);
  return { ...findings(checked, issues), effects: await effectsOf(parts, checked) };
}

/** The problems of the documents in a body, which may have any form. */
export async function batchDocumentProblems(
  raw: RawBody,
  parts: ReprocessParts,
): Promise<readonly Problem[]> {
  const issues = new IssueList();
  await check(parts, raw, issues);
  return issues.errors;
}

export function batchConfigurationProblems({ configuration }: RawBody): readonly Problem[] {
  const checked = validateBatchConfiguration(configuration);
  const issues = new IssueList();
  issues.include('configuration', { errors: checked.ok ? [] : checked.errors });
  return issues.errors;
}

/** Adds every problem to `issues`, with its path in the body. */
async function check(parts: ReprocessParts, raw: RawBody, issues: IssueList): Promise<CheckedBatch> {
  const outer = typeof raw.supersedes === 'boolean' ? raw.supersedes : undefined;
  const read = isAbsent(raw.definition) ? undefined : validateBatchDefinition(raw.definition, outer);
  if (read !== undefined) {
    issues.include('definition', { errors: read.ok ? [] : read.errors, warnings: read.warnings });
  }
  const configured = validateBatchConfiguration(raw.configuration);
  issues.include('configuration', {
    errors: configured.ok ? [] : configured.errors,
    warnings: configured.warnings,
  });
  const definition = read?.ok === true ? read.value : {};
  const configuration = configured.ok ? configured.value : {};
  const type = await usableType(parts, raw.recipe_type_id, issues);
  const nothing = {
    type,
    definition,
    configuration,
    estimated: null,
    previous: undefined,
    revision: undefined,
  };
  const revision =
    type === undefined ? undefined : (await parts.revisions.recipeRevisions([type.revId])).get(type.revId);
  if (revision === undefined || read?.ok !== true || !configured.ok) return nothing;
  const prefix = definition.previous_batch?.forced_nodes === undefined ? '' : 'previous_batch.';
  const forced = checkForcedNodes(forcedOf(definition) ?? NOTHING_FORCED, revision);
  issues.include(`definition.${prefix}forced_nodes`, {
    errors: forced.ok ? [] : forced.errors,
    warnings: forced.warnings,
  });
  if (definition.previous_batch !== undefined) {
    const previous = await checkPrevious(parts, definition, revision, issues);
    return { ...nothing, estimated: previous?.batch.recipesTotal ?? null, previous };
  }
  const estimated = await checkDataset(parts, definition, configuration, revision, issues);
  return { ...nothing, estimated, revision };
}

async function usableType(
  { sql }: ReprocessParts,
  id: unknown,
  issues: IssueList,
): Promise<RecipeTypeRow | undefined> {
  if (!Number.isSafeInteger(id) || (id as number) < 1) return undefined;
  const type = (await findRecipeTypeRows(sql, [id as number])).get(id as number);
  const path = 'recipe_type_id';
  if (type === undefined) issues.error('UNKNOWN_REFERENCE', path, `there is no recipe type ${String(id)}`);
  else if (!type.isActive) {
    issues.error('DEPRECATED_RECIPE_TYPE', path, `the recipe type '${type.name}' is deprecated`);
  }
  return type;
}

async function checkPrevious(
  { sql, revisions }: ReprocessParts,
  definition: BatchDefinition,
  revision: RecipeTypeRevision,
  issues: IssueList,
): Promise<CheckedBatch['previous']> {
  const rootId = definition.previous_batch?.root_batch_id ?? 0;
  const path = 'definition.previous_batch.root_batch_id';
  const batch = await currentBatch(sql, rootId);
  if (batch === undefined) {
    issues.error('PREV_BATCH_NOT_FOUND', path, `there is no current batch of the chain ${rootId}`);
    return undefined;
  }
  if (batch.recipeTypeId !== revision.recipeTypeId) {
    issues.error('MISMATCHED_RECIPE_TYPE', path, `the batch ${batch.id} is of another recipe type`);
    return undefined;
  }
  if (!batch.isCreationDone) {
    const text = `the batch ${batch.id} does not have all its recipes yet`;
    issues.error('PREV_BATCH_STILL_CREATING', path, text);
  }
  const old = (await revisions.recipeRevisions([batch.recipeTypeRevId])).get(batch.recipeTypeRevId);
  if (old === undefined) return undefined;
  const diff = diffRevisions(old, revision, forcedOf(definition) ?? NOTHING_FORCED);
  if (!diff.can_be_reprocessed) {
    const reasons = diff.reasons.map((reason) => reason.description).join('; ');
    const text = `recipes of the batch ${batch.id} cannot be reprocessed: ${reasons}`;
    issues.error('PREV_BATCH_NO_REPROCESS', path, text);
  } else if (!changesAnything(diff)) {
    const text = 'nothing has changed and nothing is forced: every job would be kept';
    issues.warning('NOTHING_TO_REPROCESS', path, text);
  }
  if (batch.isCreationDone && batch.recipesTotal === 0) {
    issues.error('NO_RECIPES', path, `the batch ${batch.id} has no recipes`);
  }
  return { batch, diff };
}

async function checkDataset(
  { sql }: ReprocessParts,
  definition: BatchDefinition,
  configuration: BatchConfiguration,
  revision: RecipeTypeRevision,
  issues: IssueList,
): Promise<number | null> {
  const { dataset: id } = definition;
  if (id === undefined) {
    issues.error('NO_RECIPES', 'definition.dataset', `'dataset' or 'previous_batch' is required`);
    return null;
  }
  const dataset = await findDatasetDefinition(sql, id);
  if (dataset === undefined) {
    issues.error('UNKNOWN_REFERENCE', 'definition.dataset', `there is no dataset ${id}`);
    return null;
  }
  issues.include('', errorsOf(validateBatchInput(dataset, inputOf(revision), configuration.inputMap ?? [])));
  const estimated = (await countMembers(sql, id)) * recipesOfOne(revision);
  if (estimated === 0) issues.error('NO_RECIPES', 'definition.dataset', `the dataset ${id} has no members`);
  return Math.min(estimated, INT4_MAX);
}

function errorsOf(checked: ReturnType<typeof validateBatchInput>) {
  return { errors: checked.ok ? [] : checked.errors, warnings: checked.warnings };
}

/** An upper limit of what the batch would create, because conditions may exclude jobs. */
async function effectsOf(
  { sql }: ReprocessParts,
  { estimated, revision }: CheckedBatch,
): Promise<BatchEffects> {
  if (revision === undefined || estimated === null) {
    return { recipes: estimated, jobs: null, processor_hours: null, jobs_without_figures: null };
  }
  const work = workOf(revision);
  return { ...(await estimateOf(sql, work, estimated / work.recipes)), recipes: estimated };
}

function findings(
  { type, estimated, previous }: CheckedBatch,
  issues: IssueList,
): Omit<BatchFindings, 'effects'> {
  const { errors, warnings } = issues;
  const summary =
    type === undefined
      ? null
      : {
          ...{ id: type.id, name: type.name, title: type.title, description: type.description },
          revision_num: type.revisionNum,
        };
  if (previous === undefined || type === undefined) {
    return { errors, warnings, recipes_estimated: estimated, recipe_type: summary };
  }
  const { batch, diff } = previous;
  const revision = {
    id: batch.recipeTypeRevId,
    recipe_type: { id: type.id },
    revision_num: batch.revisionNum,
  };
  const prevBatch = { recipe_type_rev: revision, diff: { ...diff } };
  return { errors, warnings, recipes_estimated: estimated, recipe_type: summary, prev_batch: prevBatch };
}
