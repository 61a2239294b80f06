/**
 * Positions of the nodes and edges of a graph. A worker computes them, so that the page stays responsive. They are
 * kept by their shape: equal definitions have one layout.
 */
import { queryOptions } from '@tanstack/react-query';
import ElkModule, { type ELK, type ElkExtendedEdge, type ElkNode } from 'elkjs/lib/elk-api.js';
import { keepLayout, keptLayout } from './kept-layouts.ts';
import type { Layout, PlacedEdge, PlacedNode, Shape, ShapeOfEdge, ShapeOfNode } from './shape.ts';

const OPTIONS = {
  'elk.algorithm': 'layered',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.json.edgeCoords': 'ROOT',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.layered.nodePlacement.strategy': 'BRANDES_KOEPF',
  'elk.layered.nodePlacement.bk.fixedAlignment': 'BALANCED',
  'elk.layered.spacing.nodeNodeBetweenLayers': '24',
  'elk.layered.spacing.edgeNodeBetweenLayers': '14',
  'elk.spacing.nodeNode': '20',
  'elk.spacing.edgeEdge': '12',
  'elk.spacing.componentComponent': '28',
  'elk.padding': '[top=4,left=4,bottom=4,right=4]',
} as const;
/** Maps in given layers: labels of their arrows keep layers apart, so that little more space is needed. */
const LAYERED_OPTIONS = {
  'elk.layered.spacing.nodeNodeBetweenLayers': '18',
  // Puts every box as near to the start as its arrows allow, so that boxes of one layer are aligned.
  'elk.layered.layering.strategy': 'LONGEST_PATH_SOURCE',
} as const;
/** Space for the heading of a node with inner nodes. */
const HOLDER_OPTIONS = { 'elk.padding': '[top=44,left=14,bottom=14,right=14]' } as const;

/** The library is a CommonJS script, which bundlers export in one of two ways. */
const Elk = (ElkModule as { readonly default?: typeof ElkModule }).default ?? ElkModule;
let elk: ELK | undefined;

function workerAddress(): string {
  return document.querySelector<HTMLMetaElement>('meta[name=layout-worker]')?.content ?? '';
}

/** The least graph with an arrow. The library makes most of itself at its first layout. */
const FIRST: ElkNode = {
  id: '(first)',
  layoutOptions: OPTIONS,
  children: ['a', 'b'].map((id) => ({ id, width: 10, height: 10 })),
  edges: [{ id: 'a > b', sources: ['a'], targets: ['b'] }],
};

/** One worker for the tab. */
export function layoutEngine(): ELK {
  if (elk === undefined) {
    elk = new Elk({ workerFactory: () => new Worker(workerAddress(), { type: 'module' }) });
    // If this fails, the first real graph fails in the same way and reports it.
    elk.layout(FIRST).catch(() => undefined);
  }
  return elk;
}

function childrenOf(nodes: readonly ShapeOfNode[], parent: string | undefined): ElkNode[] {
  return nodes
    .filter((node) => node.parent === parent)
    .map(({ id, width, height, layer }) => {
      const children = childrenOf(nodes, id);
      if (children.length > 0) return { id, children, layoutOptions: HOLDER_OPTIONS };
      if (layer === undefined) return { id, width, height };
      return { id, width, height, layoutOptions: { 'elk.partitioning.partition': String(layer) } };
    });
}

function elkEdge({ id, from, to, label }: ShapeOfEdge): ElkExtendedEdge {
  const labels = label === undefined ? [] : [{ ...label, text: ' ' }];
  return { id, sources: [from], targets: [to], labels };
}

/**
 * Arrows that are laid out but not drawn. Each box that no arrow reaches gets one from a box of the layer before, which
 * keeps it in its own layer.
 */
function unseenEdges({ nodes, edges }: Shape): readonly ShapeOfEdge[] {
  const reached = new Set(edges.map(({ to }) => to));
  const label = edges.find((edge) => edge.label !== undefined)?.label;
  return nodes.flatMap(({ id, layer = 0 }) => {
    const before = nodes.find((one) => one.layer === layer - 1);
    return before === undefined || reached.has(id)
      ? []
      : [{ id: `(unseen) ${id}`, from: before.id, to: id, label }];
  });
}

async function layOut(shape: Shape): Promise<Layout> {
  const { direction, nodes } = shape;
  const edges = [...shape.edges, ...unseenEdges(shape)];
  const isLayered = nodes.some(({ layer }) => layer !== undefined);
  const root: ElkNode = await layoutEngine().layout({
    id: '(graph)',
    layoutOptions: {
      ...OPTIONS,
      ...(isLayered ? LAYERED_OPTIONS : {}),
      'elk.direction': direction,
      'elk.partitioning.activate': String(isLayered),
    },
    children: childrenOf(nodes, undefined),
    edges: edges.map(elkEdge),
  });
  const placed = new Map<string, PlacedNode>();
  const place = ({ children = [] }: ElkNode): void => {
    for (const child of children) {
      const { id, x = 0, y = 0, width = 0, height = 0 } = child;
      placed.set(id, { x, y, width, height });
      place(child);
    }
  };
  place(root);
  return {
    ...{ width: root.width ?? 0, height: root.height ?? 0, nodes: placed },
    edges: new Map((root.edges ?? []).map((edge) => [edge.id, placedEdge(edge as ElkExtendedEdge)])),
  };
}

function placedEdge({ sections = [], labels = [] }: ElkExtendedEdge): PlacedEdge {
  const [label] = labels;
  return {
    points: sections.flatMap(({ startPoint, bendPoints = [], endPoint }) => [
      startPoint,
      ...bendPoints,
      endPoint,
    ]),
    label: label === undefined ? undefined : { x: label.x ?? 0, y: label.y ?? 0 },
  };
}

/** Part of the key: a later console may lay the same shape out in another way. */
const RULES = JSON.stringify([OPTIONS, LAYERED_OPTIONS, HOLDER_OPTIONS]);

/** The layout of a shape; equal shapes have one. */
export function layoutOf(shape: Shape) {
  const text = JSON.stringify(shape);
  return queryOptions({
    queryKey: ['layout', text],
    async queryFn() {
      const key = RULES + text;
      const kept = await keptLayout(key);
      if (kept !== undefined) return kept;
      const layout = await layOut(shape);
      void keepLayout(key, layout);
      return layout;
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 10 * 60_000,
  });
}
