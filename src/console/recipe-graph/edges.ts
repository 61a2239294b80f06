/** The arrows between nodes of a recipe. */
import type { GraphEdge } from '../graph/graph.tsx';

const LABEL = { height: 20 } as const;
const ACCEPTED_PX = 76;
const REFUSED_PX = 68;

interface EdgeNode {
  readonly name: string;
  readonly node_type: string;
  readonly state?: string;
  readonly dependencies: readonly { readonly name: string; readonly acceptance?: boolean | undefined }[];
}

/** The edges; those from a condition name the result that they need. `idOf` makes a node's id from its name. */
export function edgesOf(nodes: readonly EdgeNode[], idOf: (name: string) => string): readonly GraphEdge[] {
  const conditions = new Set(nodes.filter((node) => node.node_type === 'condition').map(({ name }) => name));
  const names = new Set(nodes.map(({ name }) => name));
  return nodes.flatMap(({ name, state, dependencies }) =>
    dependencies
      .filter((one) => names.has(one.name))
      .map(({ name: from, acceptance = true }) => ({
        ...{ id: `${idOf(from)} > ${idOf(name)}`, from: idOf(from), to: idOf(name) },
        isFaint: state === 'SKIPPED',
        ...(conditions.has(from)
          ? {
              label: { ...LABEL, width: acceptance ? ACCEPTED_PX : REFUSED_PX },
              text: acceptance ? 'if accepted' : 'if refused',
            }
          : {}),
      })),
  );
}
