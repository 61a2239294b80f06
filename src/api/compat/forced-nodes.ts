/**
 * Forced nodes as clients of the public system send them: sub-recipes by the name of their recipe type, where the
 * interface uses names of nodes.
 */
import { ignoreUnknownFields } from '../../domain/document/unknown-fields.ts';
import type { RecipeTypeRouteDeps } from '../recipe-types/routes.ts';
import { isHolder } from './places.ts';

type Document = Readonly<Record<string, unknown>>;

/** limit: as deep as recipe types contain each other. */
const DEPTH_MAX = 20;

/**
 * The document with a sub-recipe for every node that its names stand for in the newest revision of the recipe type. An
 * unknown name is kept, and refused later.
 */
export async function byNodeName(
  document: Document,
  recipeTypeName: string,
  deps: RecipeTypeRouteDeps,
  depth = 0,
): Promise<Document> {
  const named = await withNodeNames(document, recipeTypeName, deps, depth);
  ignoreUnknownFields(named);
  return named;
}

async function withNodeNames(
  document: Document,
  recipeTypeName: string,
  deps: RecipeTypeRouteDeps,
  depth: number,
): Promise<Document> {
  const { sub_recipes: given } = document;
  if (!isHolder(given) || depth > DEPTH_MAX || Object.keys(given).length === 0) return document;
  const typeNames = await subRecipeTypes(recipeTypeName, deps);
  const named: [string, unknown][] = [];
  for (const [name, inner] of Object.entries(given)) {
    const nodes = typeNames.has(name) ? [name] : [...typeNames].filter(([, type]) => type === name);
    const names = nodes.map((node) => (typeof node === 'string' ? node : node[0]));
    const typeName = typeNames.get(name) ?? name;
    const known = names.length > 0 && isHolder(inner);
    const value = known ? await byNodeName(inner, typeName, deps, depth + 1) : inner;
    for (const node of names.length === 0 ? [name] : names) named.push([node, value]);
  }
  return { ...document, sub_recipes: Object.fromEntries(named) };
}

/** Names of recipe nodes, and of the recipe types that they are of. */
async function subRecipeTypes(
  recipeTypeName: string,
  { recipeTypes }: RecipeTypeRouteDeps,
): Promise<ReadonlyMap<string, string>> {
  const found = await recipeTypes.find(recipeTypeName);
  const nodes = found?.definition.nodes;
  const names = new Map<string, string>();
  if (!isHolder(nodes)) return names;
  for (const [name, node] of Object.entries(nodes)) {
    const type = isHolder(node) && isHolder(node.node_type) ? node.node_type.recipe_type_name : undefined;
    if (typeof type === 'string') names.set(name, type);
  }
  return names;
}
