/** Looks up the types that a recipe definition mentions, to check it. */
import { AppError } from '../../domain/errors.ts';
import {
  type DefinitionMentions,
  mentionsOfDefinition,
  type RecipeDefinition,
} from '../../domain/recipe/recipe-definition.ts';
import {
  type DefinitionLookups,
  type JobTypeFacts,
  jobTypeKey,
  type SubRecipeFacts,
  validateDefinition,
} from '../../domain/recipe/recipe-definition-check.ts';
import type { Checked } from '../../domain/validation.ts';
import { jobTypeFacts, linkedTypeIds, recipeTypeFacts } from '../../store/catalog/facts.ts';
import type { RecipeTypeLinks } from '../../store/recipe-type/save.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { nearRecords } from './near-records.ts';

/** Checks a definition against the catalog. `name`: the recipe type that it defines, if that exists. */
export async function checkDefinition(
  sql: Sql,
  document: unknown,
  name?: string,
): Promise<Checked<RecipeDefinition>> {
  const mentions = mentionsOfDefinition(document);
  const jobTypes = await jobTypeFacts(sql, mentions.jobRevisions);
  const recipeTypes = await recipeTypeFacts(sql, mentions.recipeRevisions);
  const near = await nearRecords(sql, {
    jobTypes: mentions.jobTypes.filter((one) => !jobTypes.has(jobTypeKey(one.name, one.version))),
    recipeTypes: mentions.recipeTypes.filter((one) => !recipeTypes.has(one)),
  });
  const lookups: DefinitionLookups = { jobTypes, recipeTypes, name, near };
  return validateDefinition(document, lookups);
}

/** Revisions of existing types that are not saved, by the keys of `DefinitionLookups`, then by their number. */
export interface UnsavedRevisions {
  readonly jobTypes: ReadonlyMap<string, JobTypeFacts['revisions']>;
  readonly recipeTypes: ReadonlyMap<string, SubRecipeFacts['revisions']>;
}

const NONE_UNSAVED: UnsavedRevisions = { jobTypes: new Map(), recipeTypes: new Map() };

/**
 * Looks up the mentions of several definitions at once. Returns a check for each, by the name of its recipe type.
 * `unsaved` counts as saved.
 */
export async function checkDefinitions(
  sql: Sql,
  definitions: readonly { readonly name: string; readonly document: unknown }[],
  unsaved: UnsavedRevisions = NONE_UNSAVED,
): Promise<ReadonlyMap<string, () => Checked<RecipeDefinition>>> {
  const mentions = definitions.map(({ document }) => mentionsOfDefinition(document));
  const jobRevisions = new Map(
    mentions.flatMap((one) => one.jobRevisions.map((each) => [JSON.stringify(each), each] as const)),
  );
  const recipeRevisions = new Map(
    mentions.flatMap((one) => one.recipeRevisions.map((each) => [JSON.stringify(each), each] as const)),
  );
  const jobTypes = withUnsaved(await jobTypeFacts(sql, [...jobRevisions.values()]), unsaved.jobTypes);
  const recipeTypes = withUnsaved(
    await recipeTypeFacts(sql, [...recipeRevisions.values()]),
    unsaved.recipeTypes,
  );
  return new Map(
    definitions.map(({ name, document }) => [
      name,
      () => validateDefinition(document, { jobTypes, recipeTypes, name }),
    ]),
  );
}

function withUnsaved<R, Facts extends { readonly revisions: ReadonlyMap<number, R> }>(
  saved: ReadonlyMap<string, Facts>,
  unsaved: ReadonlyMap<string, ReadonlyMap<number, R>>,
): ReadonlyMap<string, Facts> {
  if (unsaved.size === 0) return saved;
  return new Map(
    [...saved].map(([key, facts]) => {
      const revisions = new Map([...facts.revisions, ...(unsaved.get(key) ?? [])]);
      return [key, { ...facts, revisions }];
    }),
  );
}

/** The links that a valid definition makes. Throws CONFLICT if a type has been deleted since it was checked. */
export async function linksOf(sql: Sql, definition: RecipeDefinition): Promise<RecipeTypeLinks> {
  const { jobTypes, recipeTypes }: DefinitionMentions = mentionsOfDefinition(definition);
  const links = await linkedTypeIds(sql, jobTypes, recipeTypes);
  const wanted = new Set(jobTypes.map((type) => jobTypeKey(type.name, type.version))).size;
  const isWhole = new Set(links.jobTypeIds).size === wanted;
  if (!isWhole || new Set(links.subRecipeTypeIds).size < new Set(recipeTypes).size)
    throw new AppError(
      'CONFLICT',
      'a job type or recipe type of the definition was deleted while it was saved: validate the definition again',
    );
  return links;
}
