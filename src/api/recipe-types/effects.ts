/** What creating or editing a recipe type would do: for its validation. */
import { jsonEquals } from '../../domain/document/json-value.ts';
import type { RecipeDefinition } from '../../domain/recipe/recipe-definition.ts';
import { findRecipeTypeRow, recipeTypesWithRecipeType } from '../../store/catalog/facts.ts';
import type { Parts } from '../parts.ts';
import { estimateOf, type WorkEstimate, workOfDefinition } from '../shared/work-estimate.ts';
import { type FollowingTypes, followingTypes, NO_FOLLOWERS } from '../type-updates/preview.ts';

export interface RecipeTypeEffects {
  readonly revision_num: number;
  readonly recipe_types: FollowingTypes;
  readonly one_recipe: WorkEstimate;
}

/** `definition` has to be valid. `name`: that of the recipe type that would be edited; undefined for a new one. */
export async function recipeTypeEffects(
  parts: Parts<'sql' | 'revisions'>,
  name: string | undefined,
  definition: RecipeDefinition,
): Promise<RecipeTypeEffects> {
  const { sql } = parts;
  const one_recipe = await estimateOf(sql, await workOfDefinition(parts, definition));
  const stored = name === undefined ? undefined : await findRecipeTypeRow(sql, name);
  if (stored === undefined) return { revision_num: 1, recipe_types: NO_FOLLOWERS, one_recipe };
  const isRevised = !jsonEquals(definition, stored.definition);
  const revisionNum = stored.revisionNum + (isRevised ? 1 : 0);
  if (!isRevised) return { revision_num: revisionNum, recipe_types: NO_FOLLOWERS, one_recipe };
  const { input } = definition;
  const revision = { kind: 'recipe', name: stored.name, version: null, revisionNum, input } as const;
  const holders = await recipeTypesWithRecipeType(sql, stored.id);
  return {
    revision_num: revisionNum,
    recipe_types: await followingTypes(sql, revision, holders),
    one_recipe,
  };
}
