/** The connections of a node's job to the other nodes of its recipe. */
import type { Interface } from '../interface/interface.ts';
import type { RecipePlace } from '../job/newest-revision.ts';
import { manifestOf } from '../job/queueing.ts';
import { inputInterfaceOf, outputInterfaceOf } from '../manifest/manifest.ts';
import { graphOf } from './recipe-graph.ts';
import type { JobTypeRevision, RecipeTypeRevision } from './type-revisions.ts';

/** From the definition of the recipe; `job` is the revision that the job has. */
export function placeOf(recipe: RecipeTypeRevision, nodeName: string, job: JobTypeRevision): RecipePlace {
  const manifest = manifestOf(job);
  const [fed, taken] = [new Set<string>(), new Set<string>()];
  for (const node of graphOf(recipe).nodes) {
    if (node.name === nodeName) for (const name of node.connections.keys()) fed.add(name);
    for (const connection of node.connections.values()) {
      if (connection.type !== 'recipe' && connection.node === nodeName) taken.add(connection.output);
    }
  }
  return {
    fed: withNames(inputInterfaceOf(manifest), fed),
    taken: withNames(outputInterfaceOf(manifest), taken),
  };
}

function withNames({ files, json }: Interface, names: ReadonlySet<string>): Interface {
  return {
    files: files.filter(({ name }) => names.has(name)),
    json: json.filter(({ name }) => names.has(name)),
  };
}
