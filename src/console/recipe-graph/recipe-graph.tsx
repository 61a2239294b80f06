/** A recipe as a graph whose nodes show their states. Inner recipes can be opened inside it. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { Graph, type GraphEdge, type GraphNode } from '../graph/graph.tsx';
import { Failure, Loaded } from '../parts/states.tsx';
import { toneOf } from '../parts/status.tsx';
import { recipeGraph } from '../recipe/queries.ts';
import { edgesOf } from './edges.ts';
import { heightOf, NODE_WIDTH, NodeBox, type RecipeNode } from './node-box.tsx';

interface Props {
  readonly recipeId: number;
  /** The recipes that are opened inside. */
  readonly openIds: readonly number[];
  readonly setOpenIds: (ids: readonly number[]) => void;
  /** Offered at nodes that have run, except those of inner recipes. */
  readonly runAgain?: ((node: string) => void) | undefined;
}

/** The nodes of opened recipes, by the id of the recipe. */
type OpenRecipes = ReadonlyMap<number, readonly RecipeNode[]>;

export function RecipeGraph({ recipeId, openIds, setOpenIds, runAgain }: Props) {
  const graph = useQuery(recipeGraph(recipeId));
  const inner = useQueries({ queries: openIds.map((id) => recipeGraph(id)) });
  const failed = inner.find(({ data, error }) => data === undefined && error !== null);
  const answers = inner.map(({ data }) => data);
  const opened = new Map(
    answers.flatMap((data) => (data === undefined ? [] : [[data.id, data.nodes] as const])),
  );
  const toggle = (id: number) =>
    setOpenIds(openIds.includes(id) ? openIds.filter((one) => one !== id) : [...openIds, id]);
  return (
    <Loaded query={graph}>
      {({ nodes, recipe_type }) => (
        <>
          {failed !== undefined && <Failure error={failed.error} />}
          <Drawing label={`Nodes of ${recipe_type.title}`} {...{ nodes, opened, toggle, runAgain }} />
        </>
      )}
    </Loaded>
  );
}

interface DrawingProps extends Pick<Props, 'runAgain'> {
  readonly label: string;
  readonly nodes: readonly RecipeNode[];
  readonly opened: OpenRecipes;
  readonly toggle: (recipeId: number) => void;
}

function Drawing({ label, nodes, opened, toggle, runAgain }: DrawingProps) {
  const drawn = useMemo(
    () => drawnOf(nodes, opened, (node, depth) => <Actions {...{ node, depth, opened, toggle, runAgain }} />),
    [nodes, opened, toggle, runAgain],
  );
  return <Graph label={label} nodes={drawn.nodes} edges={drawn.edges} />;
}

interface ActionsProps extends Pick<DrawingProps, 'opened' | 'toggle' | 'runAgain'> {
  readonly node: RecipeNode;
  readonly depth: number;
}

function Actions({ node: { name, recipe, job }, depth, opened, toggle, runAgain }: ActionsProps) {
  const hasRun = job !== null || recipe !== null;
  const isOpen = recipe !== null && opened.has(recipe.id);
  return (
    <span className="node-actions">
      {depth === 0 && hasRun && runAgain !== undefined && (
        <button type="button" className="link" onClick={() => runAgain(name)} title="Run again from here…">
          <span aria-hidden="true">↻</span>
          <span className="hidden">Run again from {name}</span>
        </button>
      )}
      {recipe !== null && (
        <button type="button" className="link" aria-expanded={isOpen} onClick={() => toggle(recipe.id)}>
          {isOpen ? 'Close' : 'Open'}
          <span className="hidden"> {name}</span>
        </button>
      )}
    </span>
  );
}

function drawnOf(
  nodes: readonly RecipeNode[],
  opened: OpenRecipes,
  actions: (node: RecipeNode, depth: number) => ReactNode,
): { readonly nodes: readonly GraphNode[]; readonly edges: readonly GraphEdge[] } {
  const drawn: GraphNode[] = [];
  const edges: GraphEdge[] = [];
  const add = (all: readonly RecipeNode[], parent: string | undefined, depth: number): void => {
    const idOf = (name: string) => (parent === undefined ? name : `${parent}/${name}`);
    for (const node of all) {
      const inside = node.recipe === null ? undefined : opened.get(node.recipe.id);
      drawn.push({
        ...{ id: idOf(node.name), width: NODE_WIDTH, height: heightOf(node), parent },
        ...{ tone: toneOf(node.state), isFaint: node.state === 'SKIPPED' },
        content: <NodeBox node={node} actions={actions(node, depth)} />,
      });
      if (inside !== undefined) add(inside, idOf(node.name), depth + 1);
    }
    edges.push(...edgesOf(all, idOf));
  };
  add(nodes, undefined, 0);
  return { nodes: drawn, edges };
}
