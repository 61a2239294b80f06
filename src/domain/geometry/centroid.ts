/**
 * The centroid of a geometry on the plane of longitude and latitude, as geometry libraries compute it: of the parts of
 * the highest dimension only, weighted by area, length or number.
 */
import { type Geometry, type Position, shapesOf } from './geometry.ts';

interface Weighted {
  readonly at: Position;
  readonly weight: number;
}

/** A geometry has at least one position. */
export function centroidOf(geometry: Geometry): Position {
  const { points, lines, polygons } = shapesOf(geometry);
  const rings = polygons.flat();
  return (
    mean(polygons.flatMap(areas)) ??
    mean([...lines, ...rings].flatMap(segments)) ??
    (mean([...points, ...lines.flat(), ...rings.flat()].map((at) => ({ at, weight: 1 }))) as Position)
  );
}

/** Undefined if the total weight is zero. */
function mean(parts: readonly Weighted[]): Position | undefined {
  let [x, y, total] = [0, 0, 0];
  for (const { at, weight } of parts) {
    x += at[0] * weight;
    y += at[1] * weight;
    total += weight;
  }
  const found: Position = [x / total, y / total];
  return total > 0 && found.every(Number.isFinite) ? found : undefined;
}

/** The outer ring counts positively, holes negatively, whatever their winding order. */
function areas(polygon: readonly (readonly Position[])[]): Weighted[] {
  return polygon.flatMap((ring, index) => {
    const found = areaOf(ring);
    return found === undefined ? [] : [{ at: found.at, weight: index === 0 ? found.weight : -found.weight }];
  });
}

function areaOf(ring: readonly Position[]): Weighted | undefined {
  // Relative to the first corner: otherwise the area of a small ring far from the origin is lost in rounding.
  const [x0, y0] = ring[0] as Position;
  let [x, y, area] = [0, 0, 0];
  for (let index = 1; index < ring.length; index += 1) {
    const [ax, ay] = relative(ring[index - 1] as Position, x0, y0);
    const [bx, by] = relative(ring[index] as Position, x0, y0);
    const cross = ax * by - bx * ay;
    area += cross;
    x += (ax + bx) * cross;
    y += (ay + by) * cross;
  }
  if (area === 0) return undefined;
  return { at: [x0 + x / (3 * area), y0 + y / (3 * area)], weight: Math.abs(area) };
}

function relative([x, y]: Position, x0: number, y0: number): Position {
  return [x - x0, y - y0];
}

function segments(line: readonly Position[]): Weighted[] {
  return line.slice(1).map((end, index) => {
    const start = line[index] as Position;
    const at: Position = [(start[0] + end[0]) / 2, (start[1] + end[1]) / 2];
    return { at, weight: Math.hypot(end[0] - start[0], end[1] - start[1]) };
  });
}
