/** Chooses the part of a graph that is shown first. */
import type { Layout, PlacedNode } from './shape.ts';

/** In pixels. */
export interface Frame {
  readonly width: number;
  readonly height: number;
}

/** Empty space around the graph, and below it for the controls; in pixels. */
export const MARGIN = 12;
export const CONTROLS = 44;
/** Text below this zoom cannot be read, so only a part of a larger graph is shown. */
const READABLE_ZOOM = 0.85;

/** The whole graph if it is readable then; else the part around its main node, without empty space beside it. */
export function firstViewport(layout: Layout, frame: Frame, main: PlacedNode | undefined) {
  const fitting = Math.min(
    1,
    (frame.width - 2 * MARGIN) / layout.width,
    (frame.height - MARGIN - CONTROLS) / layout.height,
  );
  const zoom = Math.max(READABLE_ZOOM, fitting);
  const { x, y, width, height } = main ?? { x: 0, y: 0, width: 0, height: 0 };
  return {
    zoom,
    x: offset(frame.width, layout.width * zoom, (x + width / 2) * zoom, MARGIN),
    y: offset(frame.height, layout.height * zoom, (y + height / 2) * zoom, CONTROLS),
  };
}

/** The offset on one axis: a graph that fits is centred; else `centre` is centred, as far as both ends allow. */
function offset(frame: number, size: number, centre: number, end: number): number {
  if (size <= frame - MARGIN - end) return (frame - end + MARGIN - size) / 2;
  return Math.min(MARGIN, Math.max(frame - end - size, frame / 2 - centre));
}
