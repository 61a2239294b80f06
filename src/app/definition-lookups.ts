/** What a recipe definition is checked against, looked up for exactly the types that it mentions. */
import {
  type DefinitionMentions,
  mentionsOfDefinition,
  type RecipeDefinition,
} from '../domain/recipe/recipe-definition.ts';
import { type DefinitionLookups, validateDefinition } from '../domain/recipe/recipe-definition-check.ts';
import type { Checked } from '../domain/validation.ts';
import type { RecipeTypeLinks } from '../store/catalog/recipe-types.ts';
import { jobTypeFacts, linkedTypeIds, recipeTypeFacts } from '../store/queries/catalog-facts.ts';
import type { Sql } from '../store/sql.ts';

/**
 * Checks a definition against the catalog. `name`: of the recipe type that it is to define, when it exists.
 */
export async function checkDefinition(
  sql: Sql,
  document: unknown,
  name?: string,
): Promise<Checked<RecipeDefinition>> {
  const mentions = mentionsOfDefinition(document);
  const jobTypes = await jobTypeFacts(sql, mentions.jobTypes);
  const recipeTypes = await recipeTypeFacts(sql, mentions.recipeTypes);
  const lookups: DefinitionLookups = { jobTypes, recipeTypes, name };
  return validateDefinition(document, lookups);
}

/** The links that a valid definition makes. */
export function linksOf(sql: Sql, definition: RecipeDefinition): Promise<RecipeTypeLinks> {
  const { jobTypes, recipeTypes }: DefinitionMentions = mentionsOfDefinition(definition);
  return linkedTypeIds(sql, jobTypes, recipeTypes);
}
