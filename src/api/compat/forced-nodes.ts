/**
 * Forced nodes as clients of the public system send them: sub-recipes by the name of their recipe type, where the
 * interface uses names of nodes.
 */
import { ignoreUnknownFields } from '../../domain/document/unknown-fields.ts';
import { FORCED_NAMES_MAX } from '../../domain/recipe/forced-nodes.ts';
import type { RecipeTypeRevision } from '../../domain/recipe/type-revisions.ts';
import { isHolder } from './places.ts';

type Document = Readonly<Record<string, unknown>>;

/**
 * The document with a sub-recipe for every node that its names stand for in the revision. An unknown name is kept, and
 * refused later. One name may stand for many nodes, and so may the names inside it. Therefore one name more than a
 * document may have is written at most, and the document is then refused.
 */
export function byNodeName(
  document: Document,
  revision: RecipeTypeRevision,
  names = { left: FORCED_NAMES_MAX },
): Document {
  const { nodes, sub_recipes: given } = document;
  if (Array.isArray(nodes)) names.left -= nodes.length;
  if (!isHolder(given)) return document;
  const nodesByType = Map.groupBy(
    revision.subRecipes.keys(),
    (node) => revision.subRecipes.get(node)?.recipeTypeName,
  );
  const innerByNode = new Map<string, unknown>();
  for (const [name, inner] of Object.entries(given)) {
    const nodes = revision.subRecipes.has(name) ? [name] : (nodesByType.get(name) ?? [name]);
    for (const node of nodes) innerByNode.set(node, inner);
  }
  const named: [string, unknown][] = [];
  for (const [node, inner] of innerByNode) {
    if (names.left < 0) break;
    names.left -= 1;
    const inside = revision.subRecipes.get(node);
    const value = inside !== undefined && isHolder(inner) ? byNodeName(inner, inside, names) : inner;
    named.push([node, value]);
  }
  const subRecipes = Object.fromEntries(named);
  ignoreUnknownFields(subRecipes);
  const translated = { ...document, sub_recipes: subRecipes };
  ignoreUnknownFields(translated);
  return translated;
}
