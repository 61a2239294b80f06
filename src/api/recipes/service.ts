/** Recipes: reads them from the store, and starts them through the actors that will own them. */
import { type RecipeMessage, recipeAddress } from '../../actors/recipe/recipe.messages.ts';
import { type JobConfigurationPart, splitSecrets } from '../../domain/job/job-config.ts';
import { validateRecipeConfiguration } from '../../domain/job/job-config-check.ts';
import { jobInputOf } from '../../domain/job/queueing.ts';
import type { NewRecipe } from '../../domain/recipe/recipe.ts';
import { IssueList, type Problem } from '../../domain/validation.ts';
import type { Asker } from '../../http/route.ts';
import { shardOf } from '../../kernel/mod.ts';
import { dataLoader } from '../../lib/data-loader.ts';
import {
  findRecipeTypeRows,
  manifestsOfRecipe,
  type RecipeTypeRow,
  workspaceCatalog,
} from '../../store/catalog/facts.ts';
import { findRecipeRevisions, findRecipes } from '../../store/recipe/list.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { checkInput } from '../jobs/input-data.ts';
import { type WorkParts, warnOfSecrets } from '../jobs/service.ts';
import { recipeAsCreated } from '../shared/as-created.ts';
import { existing } from '../shared/existing.ts';
import { answerByKey } from '../shared/idempotency.ts';
import {
  FIRST_ASK,
  freshId,
  refuseProblems,
  tracedEvent,
  unknownReference,
  workDocumentProblems,
} from '../shared/requests.ts';
import { type RecipeCreateBody, type RecipeDetailsRecord, recipePath } from './schema.ts';

/** The parts for starting recipes. */
export interface StartParts extends WorkParts {
  readonly recipeReads: RecipeReads;
}

/** Reads that concurrent requests share. */
export type RecipeReads = ReturnType<typeof recipeReads>;

export function recipeReads(sql: Sql) {
  return {
    details: dataLoader((ids: readonly number[]) => findRecipes(sql, ids), { lanes: 1 }),
    revision: dataLoader((ids: readonly number[]) => findRecipeRevisions(sql, ids), { lanes: 1 }),
    type: dataLoader((ids: readonly number[]) => findRecipeTypeRows(sql, ids), { lanes: 1 }),
  };
}

/**
 * Starts a recipe; resolves once it is committed, with the recipe as committed. Throws UNKNOWN_REFERENCE or
 * INVALID_REQUEST.
 */
export async function startRecipe(
  { sql, ids, system, recipeReads: reads }: StartParts,
  body: RecipeCreateBody,
  asker: Asker,
): Promise<{ readonly record: RecipeDetailsRecord; readonly warnings: readonly Problem[] }> {
  const type = await usableType(sql, reads, body);
  const { definition } = type;
  const issues = new IssueList();
  const { data, files } = await checkInput(sql, body.input, definition.input, issues);
  const configuration = await checkConfiguration(sql, body.configuration, type, issues);
  const revision = existing(await reads.revision(type.revId), 'recipe type revision', type.revId);
  refuseProblems(issues);
  await asker.recorded;
  const event = await tracedEvent(ids, asker);
  const recipeId = await freshId(ids, 'recipe');
  const recipe: NewRecipe = {
    id: recipeId,
    shard: shardOf('recipe', String(recipeId)),
    rootId: recipeId,
    parentId: null,
    parentNode: null,
    ancestorIds: [],
    recipeTypeId: type.id,
    recipeTypeRevId: type.revId,
    eventId: event.id,
    batchId: null,
    ingestId: null,
    supersededRecipeId: null,
    configuration: configuration === null ? null : { ...configuration },
    input: jobInputOf(data, files),
    atMs: asker.nowMs,
  };
  const message: RecipeMessage = {
    ...{ type: 'start', event, recipe },
    ...answerByKey(
      asker,
      { status: 201, location: recipePath(recipeId), warnings: issues.warnings },
      { type: 'recipe', id: recipeId },
    ),
  };
  const { begun } = await system.ask(recipeAddress(recipeId), message, FIRST_ASK);
  const record =
    begun === undefined ? undefined : recipeAsCreated({ recipe, event, revision, definition, begun });
  const found = record ?? existing(await reads.details(recipeId), 'recipe', recipeId);
  return { record: found, warnings: issues.warnings };
}

async function usableType(sql: Sql, reads: RecipeReads, body: RecipeCreateBody): Promise<RecipeTypeRow> {
  const id = body.recipe_type_id;
  const type = await reads.type(id);
  if (type?.isActive === true) return type;
  const problem =
    type === undefined ? `there is no recipe type ${id}` : `the recipe type ${type.name} is deprecated`;
  throw unknownReference('recipe_type_id', problem, await workDocumentProblems(sql, { ...body }, 'scalars'));
}

/** The given sections, without settings that are secret in any of the job types. Null: no section was given. */
async function checkConfiguration(
  sql: Sql,
  document: unknown,
  type: RecipeTypeRow,
  issues: IssueList,
): Promise<JobConfigurationPart | null> {
  if (document === undefined) return null;
  const manifests = await manifestsOfRecipe(sql, type.revId);
  const { facts } = await workspaceCatalog(sql);
  const checked = validateRecipeConfiguration(document, manifests, facts);
  issues.include('configuration', { errors: checked.ok ? [] : checked.errors, warnings: checked.warnings });
  if (!checked.ok || Object.keys(checked.value).length === 0) return null;
  const part = checked.value;
  if (part.settings === undefined) return part;
  let settings: Readonly<Record<string, string>> = part.settings;
  for (const manifest of manifests) {
    const split = splitSecrets(manifest, settings);
    warnOfSecrets(issues, Object.keys(split.secrets));
    settings = split.settings;
  }
  return { ...part, settings };
}
