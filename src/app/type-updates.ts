/**
 * A new revision of a job or recipe type is taken over by the recipe types that contain it: their nodes are
 * raised to it, and so on upward. One that would not be valid any more stays as it is, and a warning says so.
 */
import { isJsonObject } from '../domain/document/json-value.ts';
import type { Problem } from '../domain/validation.ts';
import { editRecipeType } from '../store/catalog/recipe-types.ts';
import { type RecipeTypeRow, recipeTypesAbove } from '../store/queries/catalog-facts.ts';
import type { Sql } from '../store/sql.ts';
import { checkDefinition, linksOf } from './definition-lookups.ts';

/** What has a new revision. */
export type RaisedType =
  | { readonly kind: 'job'; readonly name: string; readonly version: string; readonly revisionNum: number }
  | { readonly kind: 'recipe'; readonly name: string; readonly revisionNum: number };

/**
 * Raises the recipe types `ids` (which contain `raised`) and all above them, those inside first. In a
 * transaction that holds the catalog's lock. Resolves with a warning RECIPE_NOT_UPDATED for each that stays
 * behind.
 */
export async function raiseRecipeTypes(
  tx: Sql,
  ids: readonly number[],
  raised: RaisedType,
  nowMs: number,
): Promise<readonly Problem[]> {
  if (ids.length === 0) return [];
  const waiting = new Map((await recipeTypesAbove(tx, ids)).map((row) => [row.name, row]));
  const news: RaisedType[] = [raised];
  const warnings: Problem[] = [];
  for (let row = nextOf(waiting); row !== undefined; row = nextOf(waiting)) {
    waiting.delete(row.name);
    const definition = news.reduce(withRaised, row.definition);
    if (definition === row.definition) continue;
    const checked = await checkDefinition(tx, definition, row.name);
    if (!checked.ok) {
      const reason = checked.errors[0]?.description ?? '';
      const description = `the recipe type '${row.name}' keeps its revision: ${reason}`;
      warnings.push({ name: 'RECIPE_NOT_UPDATED', description, path: '' });
      continue;
    }
    const links = await linksOf(tx, checked.value);
    const edit = { definition: { document: checked.value, ...links }, nowMs };
    const { revisionNum } = await editRecipeType(tx, row.name, edit);
    news.push({ kind: 'recipe', name: row.name, revisionNum });
  }
  return warnings;
}

/** One that contains none of the others: definitions never contain themselves, so there is one. */
function nextOf(waiting: ReadonlyMap<string, RecipeTypeRow>): RecipeTypeRow | undefined {
  return [...waiting.values()].find((row) => {
    const inside = nodeTypesOf(row.definition).map((type) => type.recipe_type_name);
    return !inside.some((name) => typeof name === 'string' && name !== row.name && waiting.has(name));
  });
}

type Definition = RecipeTypeRow['definition'];
type NodeTypeDocument = Readonly<Record<string, unknown>>;

function nodeTypesOf(definition: Definition): NodeTypeDocument[] {
  const nodes = isJsonObject(definition.nodes) ? Object.values(definition.nodes) : [];
  return nodes.flatMap((node) =>
    isJsonObject(node) && isJsonObject(node.node_type) ? [node.node_type] : [],
  );
}

/** The definition with every node of the raised type at its new revision; itself when none is below it. */
function withRaised(definition: Definition, raised: RaisedType): Definition {
  let isChanged = false;
  const nodes = Object.entries(definition.nodes as Record<string, { node_type: NodeTypeDocument }>);
  const changed = nodes.map(([name, node]) => {
    const type = raiseNode(node.node_type, raised);
    if (type === node.node_type) return [name, node] as const;
    isChanged = true;
    return [name, { ...node, node_type: type }] as const;
  });
  return isChanged ? { ...definition, nodes: Object.fromEntries(changed) } : definition;
}

function raiseNode(type: NodeTypeDocument, raised: RaisedType): NodeTypeDocument {
  const { revisionNum } = raised;
  if (raised.kind === 'recipe') {
    const isOlder = type.recipe_type_name === raised.name && Number(type.recipe_type_revision) < revisionNum;
    return isOlder ? { ...type, recipe_type_revision: revisionNum } : type;
  }
  const isOfType = type.job_type_name === raised.name && type.job_type_version === raised.version;
  const isOlder = isOfType && Number(type.job_type_revision) < revisionNum;
  return isOlder ? { ...type, job_type_revision: revisionNum } : type;
}
