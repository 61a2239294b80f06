/** The line of an arrow with rounded corners, as an SVG path. */
import type { Point } from './shape.ts';

const RADIUS = 6;

/** Through these points, in pixels; empty for fewer than two. */
export function roundedPath(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined || rest.length === 0) return '';
  let path = `M${first.x} ${first.y}`;
  let before = first;
  rest.forEach((at, index) => {
    const after = rest[index + 1];
    if (after === undefined) path += `L${at.x} ${at.y}`;
    else {
      const [into, out] = [towards(at, before), towards(at, after)];
      path += `L${into.x} ${into.y}Q${at.x} ${at.y} ${out.x} ${out.y}`;
    }
    before = at;
  });
  return path;
}

/** The point at a radius from a corner, or half-way where the next corner is close. */
function towards(corner: Point, other: Point): Point {
  const length = Math.hypot(other.x - corner.x, other.y - corner.y);
  const part = length === 0 ? 0 : Math.min(RADIUS, length / 2) / length;
  return { x: corner.x + (other.x - corner.x) * part, y: corner.y + (other.y - corner.y) * part };
}
