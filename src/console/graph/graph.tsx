/**
 * A graph of boxes and arrows with an automatic layout, which can be moved and zoomed. The page gives the content of
 * each box. Pages load this file only together with their graph.
 */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import {
  BaseEdge,
  Controls,
  type Edge,
  EdgeLabelRenderer,
  type EdgeProps,
  Handle,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  useReactFlow,
} from '@xyflow/react';
import { type FocusEvent, type ReactNode, useMemo, useRef } from 'react';
import { useIsNarrow } from '../parts/narrow.ts';
import { Failure, Loading } from '../parts/states.tsx';
import type { Tone } from '../parts/status.tsx';
import { Beyond } from './beyond.tsx';
import { layoutOf } from './layout.ts';
import { roundedPath } from './path.ts';
import type { Layout, PlacedEdge, Shape, ShapeOfEdge, ShapeOfNode } from './shape.ts';
import { CONTROLS, type Frame, firstViewport, MARGIN } from './viewport.ts';

export interface GraphNode extends ShapeOfNode {
  /** The content of the box, which has the size of the node. A node with inner nodes shows it above them. */
  readonly content: ReactNode;
  readonly tone?: Tone | undefined;
  /** Highlighted: the subject of the graph. */
  readonly isMain?: boolean | undefined;
  /** Drawn faintly. */
  readonly isFaint?: boolean | undefined;
}

export interface GraphEdge extends ShapeOfEdge {
  readonly tone?: Tone | undefined;
  readonly isFaint?: boolean | undefined;
  /** Drawn in the space that `label` has reserved. */
  readonly text?: ReactNode;
}

interface Props {
  /** The name of the graph for screen readers. */
  readonly label: string;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** By default to the right, and down on a narrow page. */
  readonly direction?: Shape['direction'] | undefined;
}

/** limit: the height of the frame in pixels. A higher graph is moved in its frame. */
const HEIGHT_MAX = 620;
const HEIGHT_MIN = 160;
const FITTING = {
  padding: { top: `${MARGIN}px`, left: `${MARGIN}px`, right: `${MARGIN}px`, bottom: `${CONTROLS}px` },
  maxZoom: 1,
} as const;

type BoxNode = Node<{
  readonly node: GraphNode;
  readonly direction: Shape['direction'];
  readonly isHolder: boolean;
}>;
type RoutedEdge = Edge<{ readonly placed: PlacedEdge; readonly edge: GraphEdge }>;

export function Graph({ label, nodes, edges, direction: given }: Props) {
  const isNarrow = useIsNarrow();
  const direction = given ?? (isNarrow ? 'DOWN' : 'RIGHT');
  const shape: Shape = {
    direction,
    nodes: nodes.map(({ id, width, height, parent, layer }) => ({ id, width, height, parent, layer })),
    edges: edges.map(({ id, from, to, label: size }) => ({ id, from, to, label: size })),
  };
  const layout = useQuery({ ...layoutOf(shape), placeholderData: keepPreviousData });
  if (layout.data === undefined) {
    if (layout.isError) return <Failure error={layout.error} />;
    return (
      <div className="graph-space" style={{ minHeight: HEIGHT_MIN }}>
        <Loading />
      </div>
    );
  }
  return <Drawn {...{ label, nodes, edges, direction }} layout={layout.data} />;
}

interface DrawnProps extends Pick<Props, 'label' | 'nodes' | 'edges'> {
  readonly direction: Shape['direction'];
  readonly layout: Layout;
}

function Drawn({ label, nodes, edges, direction, layout }: DrawnProps) {
  const boxes = useMemo(() => boxesOf(nodes, direction, layout), [nodes, direction, layout]);
  const arrows = useMemo(() => arrowsOf(edges, layout), [edges, layout]);
  const height = Math.min(HEIGHT_MAX, Math.max(HEIGHT_MIN, layout.height + MARGIN + CONTROLS));
  const frame = useRef<HTMLDivElement>(null);
  const main = layout.nodes.get(nodes.find(({ isMain }) => isMain === true)?.id ?? '');
  return (
    <div className="graph" ref={frame} style={{ height }}>
      <ReactFlow<BoxNode, RoutedEdge>
        key={`${layout.width} ${layout.height}`}
        aria-label={label}
        nodes={boxes}
        edges={arrows}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        onInit={(flow) => void flow.setViewport(firstViewport(layout, frameOf(frame.current), main))}
        minZoom={0.1}
        maxZoom={1.5}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        zoomOnScroll={false}
        zoomOnDoubleClick={false}
        preventScrolling={false}
        onlyRenderVisibleElements={nodes.length > 200}
        proOptions={{ hideAttribution: true }}
      >
        <Controls
          showInteractive={false}
          orientation="horizontal"
          position="bottom-right"
          fitViewOptions={FITTING}
        />
        <Beyond layout={layout} fitting={FITTING} />
      </ReactFlow>
    </div>
  );
}

function frameOf(element: HTMLElement | null): Frame {
  return { width: element?.clientWidth ?? 0, height: element?.clientHeight ?? 0 };
}

function boxesOf(nodes: readonly GraphNode[], direction: Shape['direction'], layout: Layout): BoxNode[] {
  const holders = new Set(nodes.map(({ parent }) => parent));
  return nodes.flatMap((node) => {
    const placed = layout.nodes.get(node.id);
    if (placed === undefined) return [];
    const { x, y, width, height } = placed;
    return {
      ...{ id: node.id, type: 'box', position: { x, y }, width, height },
      ...(node.parent === undefined ? {} : { parentId: node.parent }),
      data: { node, direction, isHolder: holders.has(node.id) },
    };
  });
}

function arrowsOf(edges: readonly GraphEdge[], layout: Layout): RoutedEdge[] {
  return edges.flatMap((edge) => {
    const placed = layout.edges.get(edge.id);
    if (placed === undefined) return [];
    const { id, from, to } = edge;
    return { ...{ id, source: from, target: to, type: 'routed' }, data: { placed, edge } };
  });
}

function Box({ data: { node, direction, isHolder } }: NodeProps<BoxNode>) {
  const flow = useReactFlow();
  // The box that has the keyboard's focus may be outside of the frame.
  const show = ({ target }: FocusEvent): void => {
    if (!target.matches(':focus-visible')) return;
    const zoom = flow.getZoom();
    void flow.fitView({ nodes: [{ id: node.id }], minZoom: zoom, maxZoom: zoom });
  };
  const [start, end] =
    direction === 'RIGHT' ? [Position.Left, Position.Right] : [Position.Top, Position.Bottom];
  const classes = [
    'graph-box',
    node.tone ?? 'plain',
    ...(node.isMain === true ? ['main'] : []),
    ...(node.isFaint === true ? ['faint'] : []),
    ...(isHolder ? ['holder'] : []),
  ];
  return (
    <div role="group" className={classes.join(' ')} onFocus={show}>
      <Handle type="target" position={start} isConnectable={false} />
      {node.content}
      <Handle type="source" position={end} isConnectable={false} />
    </div>
  );
}

function Routed({ id, data }: EdgeProps<RoutedEdge>) {
  if (data === undefined) return null;
  const { placed, edge } = data;
  const classes = `graph-edge ${edge.tone ?? 'plain'}${edge.isFaint === true ? ' faint' : ''}`;
  return (
    <>
      <g className={classes}>
        <BaseEdge id={id} path={roundedPath(placed.points)} />
        <Arrowhead points={placed.points} />
      </g>
      {edge.text !== undefined && placed.label !== undefined && (
        <EdgeLabelRenderer>
          <div
            className={`graph-label ${edge.tone ?? 'plain'}${edge.isFaint === true ? ' faint' : ''}`}
            style={{
              transform: `translate(${placed.label.x}px, ${placed.label.y}px)`,
              width: edge.label?.width,
              height: edge.label?.height,
            }}
          >
            {edge.text}
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
}

/** The head of an arrow is drawn here, because markers of SVG cannot take the colour of their line. */
function Arrowhead({ points }: Pick<PlacedEdge, 'points'>) {
  const [before, end] = points.slice(-2);
  if (before === undefined || end === undefined) return null;
  const angle = (Math.atan2(end.y - before.y, end.x - before.x) * 180) / Math.PI;
  return (
    <path
      className="graph-arrow"
      d="M0 0 L-8 -4 L-8 4 Z"
      transform={`translate(${end.x} ${end.y}) rotate(${angle})`}
    />
  );
}

const NODE_TYPES = { box: Box };
const EDGE_TYPES = { routed: Routed };
