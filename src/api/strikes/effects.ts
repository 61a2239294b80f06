/** What a strike would do with a file, and which files a change of it tries again: for its validation. */
import { isJsonObject } from '../../domain/document/json-value.ts';
import type { StrikeConfiguration } from '../../domain/strike/strike-config.ts';
import { deferredCount } from '../../store/strike/list.ts';
import type { Parts } from '../parts.ts';
import { estimateOf, type WorkEstimate, workOf } from '../shared/work-estimate.ts';

export interface StrikeEffects {
  readonly deferred_files: number;
  readonly one_file: (WorkEstimate & { readonly recipe_type: object }) | null;
}

/** `configuration` is valid. `name`: of the strike that would be edited, if there is one. */
export async function strikeEffects(
  { sql, plans }: Parts<'sql' | 'plans'>,
  name: string | undefined,
  configuration: unknown,
): Promise<StrikeEffects> {
  const { recipe } = (isJsonObject(configuration) ? configuration : {}) as Partial<StrikeConfiguration>;
  const [deferred, revision] = await Promise.all([
    name === undefined ? 0 : deferredCount(sql, name),
    recipe === undefined
      ? undefined
      : plans.currentRecipePlan(recipe.name, Number(recipe.revision_num) || null),
  ]);
  if (revision === undefined) return { deferred_files: deferred, one_file: null };
  const { recipeTypeId: id, recipeTypeName, revisionNum } = revision;
  const recipe_type = { id, name: recipeTypeName, revision_num: revisionNum };
  return {
    deferred_files: deferred,
    one_file: { recipe_type, ...(await estimateOf(sql, workOf(revision))) },
  };
}
