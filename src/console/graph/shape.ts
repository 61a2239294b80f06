/** The input and the result of a layout. Sizes and distances are in pixels. */

export interface ShapeOfNode {
  readonly id: string;
  readonly width: number;
  readonly height: number;
  /** The node that contains it, which is as large as its content needs. */
  readonly parent?: string | undefined;
  /** The position in the direction of the graph: before all nodes of higher layers. All nodes have one, or none has. */
  readonly layer?: number | undefined;
}

export interface ShapeOfEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** The size of its label. */
  readonly label?: { readonly width: number; readonly height: number } | undefined;
}

export interface Shape {
  readonly direction: 'RIGHT' | 'DOWN';
  readonly nodes: readonly ShapeOfNode[];
  readonly edges: readonly ShapeOfEdge[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface PlacedNode extends Point {
  readonly width: number;
  readonly height: number;
}

export interface PlacedEdge {
  /** From its start to its end, with the corners between. */
  readonly points: readonly Point[];
  /** The top left corner of its label. */
  readonly label: Point | undefined;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  /** The position of an inner node is relative to the corner of the node that contains it. */
  readonly nodes: ReadonlyMap<string, PlacedNode>;
  readonly edges: ReadonlyMap<string, PlacedEdge>;
}
