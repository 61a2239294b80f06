/** The input of one node of a recipe, made from the recipe's input and the outputs of earlier nodes. */
import { type Data, validateDataFor } from '../data/data.ts';
import type { Interface } from '../interface/interface.ts';
import type { DataDocument } from '../job/job.ts';
import { manifestOf } from '../job/queueing.ts';
import { inputInterfaceOf } from '../manifest/manifest.ts';
import type { RecipeState, RecipeTree } from './recipe.ts';
import type { Connection } from './recipe-definition.ts';
import type { GraphNode } from './recipe-graph.ts';

export type NodeInput =
  | { readonly ok: true; readonly data: DataDocument }
  /** `data`: the values that exist. `problem`: one sentence. */
  | { readonly ok: false; readonly data: DataDocument; readonly problem: string };

/**
 * Requires that all parents of the node are complete and that the recipe has its input. An absent value is left out;
 * the node's own interface says whether its parameter is optional.
 */
export function resolveInput(node: GraphNode, recipe: RecipeState, tree: RecipeTree): NodeInput {
  const takes = takesOf(node, recipe, tree);
  const files: [string, readonly number[]][] = [];
  const json: [string, unknown][] = [];
  for (const [name, connection] of node.connections) {
    const given = givenBy(connection, recipe, tree);
    const output = connection.type === 'recipe' ? connection.input : connection.output;
    if (given === null) continue;
    if (Object.hasOwn(given.files, output)) files.push([name, given.files[output] ?? []]);
    else if (Object.hasOwn(given.json, output)) json.push([name, given.json[output]]);
  }
  const data = { files: Object.fromEntries(files), json: Object.fromEntries(json) };
  const checked = validateDataFor(data as Data, takes);
  if (checked.ok) return { ok: true, data: checked.value };
  return { ok: false, data, problem: checked.errors.map((error) => error.description).join('; ') };
}

/** A job may have another revision than the one in its recipe's revision. */
function takesOf(node: GraphNode, recipe: RecipeState, { jobs, revisions }: RecipeTree): Interface {
  const known = recipe.nodes.get(node.name);
  const job = known?.kind === 'job' ? jobs.get(known.jobId) : undefined;
  const own = job === undefined ? undefined : revisions.get(job.jobTypeRevId);
  return own === undefined ? node.takes : inputInterfaceOf(manifestOf(own));
}

function givenBy(connection: Connection, recipe: RecipeState, tree: RecipeTree): DataDocument | null {
  if (connection.type === 'recipe') return recipe.input;
  const source = recipe.nodes.get(connection.node);
  if (source?.kind === 'job') return tree.jobs.get(source.jobId)?.output ?? null;
  return source?.kind === 'condition' ? source.data : null;
}
