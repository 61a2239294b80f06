/**
 * The recipe that a strike or scan starts for each ingested file: `{name, revision_num}`, and the input of the recipe
 * type that gets the file. The actor of the strike or scan starts it.
 */
import type { Fields } from '../document/fields.ts';
import type { FileParameter, Interface } from '../interface/interface.ts';
import type { NearRecord } from '../near-names.ts';
import type { IssueList } from '../validation.ts';

export interface IngestRecipe {
  readonly name: string;
  /** Absent: the newest revision at the time of each ingest. */
  readonly revision_num?: number;
}

/** The facts about a recipe type that validation needs. */
export interface RecipeTypeFacts {
  readonly isActive: boolean;
  readonly latestRevision: number;
  /** Inputs of the existing revisions that were requested, including at least the latest. */
  readonly inputs: ReadonlyMap<number, Interface>;
}

/** Reads the field `recipe`; undefined when it is absent or wrong. */
export function readIngestRecipe(
  issues: IssueList,
  parent: Fields,
  options: { readonly required: boolean },
  {
    recipeTypes,
    near,
  }: { readonly recipeTypes: ReadonlyMap<string, RecipeTypeFacts>; readonly near?: NearRecord | undefined },
): IngestRecipe | undefined {
  const fields = parent.object('recipe', { required: options.required });
  if (fields === undefined) return undefined;
  const name = fields.text('name', { required: true, max: 50 });
  const revision = fields.revision('revision_num');
  fields.refuseOthers();
  if (name === undefined) return undefined;
  const facts = recipeTypes.get(name);
  if (facts === undefined)
    fields.error('name', `Unknown recipe type: ${name}${near?.('recipe_type', name) ?? ''}`);
  else checkRevision(issues, fields, { name, revision }, facts);
  return revision === undefined ? { name } : { name, revision_num: revision };
}

function checkRevision(
  issues: IssueList,
  fields: Fields,
  recipe: { readonly name: string; readonly revision: number | undefined },
  facts: RecipeTypeFacts,
): void {
  const inputs = facts.inputs.get(recipe.revision ?? facts.latestRevision);
  if (inputs === undefined) {
    fields.error('revision_num', `the recipe type '${recipe.name}' has no revision ${recipe.revision}`);
    return;
  }
  const input = ingestInputOf(inputs);
  if (typeof input === 'string') fields.error('name', `the recipe type '${recipe.name}' ${input}`);
  if (!facts.isActive) {
    const text = `the recipe type '${recipe.name}' is deprecated: nothing will be started`;
    issues.warning('INACTIVE_RECIPE_TYPE', `${fields.path}.name`, text);
  }
}

/**
 * The required file input that gets an ingested file, or why there is not exactly one (completes "the recipe type … ").
 */
export function ingestInputOf(inputs: Interface): FileParameter | string {
  const required = inputs.files.filter((file) => file.required);
  const others = inputs.json.filter((json) => json.required).map((json) => json.name);
  if (others.length > 0) return `requires inputs that an ingested file cannot give: ${others.join(', ')}`;
  if (required.length > 1)
    return `has ${required.length} required file inputs; an ingested file needs exactly one`;
  return required[0] ?? 'has no required file input to take an ingested file';
}

/** Whether the input accepts a file of this media type; an input without a list accepts any. */
export function acceptsMediaType(input: FileParameter, mediaType: string): boolean {
  return input.media_types.length === 0 || input.media_types.includes(mediaType);
}
