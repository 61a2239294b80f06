/**
 * The countries that a geometry touches, by the borders of country-coder (ISO 3166-1 alpha-3; coasts are at some
 * distance from the shore, disputed places as in that package). Synchronous and expensive: runs on a thread of its own.
 */
import { borders, iso1A3Code } from '@rapideditor/country-coder';
import { type Geometry, type Position, type Shapes, shapesOf } from '../../src/domain/geometry/geometry.ts';

type Ring = readonly Position[];
type Polygon = readonly Ring[];
/** West, south, east, north. */
type Box = readonly [number, number, number, number];

interface Part {
  readonly country: string;
  readonly polygon: Polygon;
  readonly box: Box;
}

/** limit: pairs of edges and corners that are compared for one geometry; half a second of work. */
const COMPARISONS_MAX = 50_000_000;

/** The geometry would take more work than a side-car may. */
export class GeometryTooComplex extends Error {}

let known: readonly Part[] | undefined;

function allParts(): readonly Part[] {
  if (known !== undefined) return known;
  known = borders.features.flatMap(({ geometry, properties }): Part[] => {
    // A reserved code (metropolitan France, Ascension) is not a country's code.
    const own = properties.isoStatus === 'excRes' ? undefined : properties.iso1A3;
    const country = own ?? (properties.country && iso1A3Code(properties.country));
    // Groups of countries have no geometry, although the package's types say so.
    if (geometry?.type !== 'MultiPolygon' || !country) return [];
    // GeoJSON allows positions of any length; those of these borders have two numbers.
    const polygons = geometry.coordinates as [number, number][][][];
    return polygons.map((polygon) => ({ country, polygon, box: boxOf(polygon[0] as Ring) }));
  });
  return known;
}

/** Codes, ascending. Throws GeometryTooComplex. */
export function countriesOf(geometry: Geometry): string[] {
  const found = new Set<string>();
  const search = new Search();
  for (const shapes of onEarth(shapesOf(geometry))) {
    for (const part of allParts()) {
      if (!found.has(part.country) && search.meets(shapes, part)) found.add(part.country);
    }
  }
  return [...found].sort();
}

/** Parts beyond the 180th meridian are also searched for on its other side. */
function onEarth(shapes: Shapes): Shapes[] {
  const all = [
    shapes.points,
    ...shapes.lines,
    ...shapes.polygons.map((polygon) => polygon[0] as Ring),
  ].flat();
  const turned = [shapes];
  if (all.some(([longitude]) => longitude > 180)) turned.push(shifted(shapes, -360));
  if (all.some(([longitude]) => longitude < -180)) turned.push(shifted(shapes, 360));
  return turned;
}

function shifted({ points, lines, polygons }: Shapes, by: number): Shapes {
  const ring = (positions: Ring): Ring => positions.map(([x, y]) => [x + by, y]);
  return { points: ring(points), lines: lines.map(ring), polygons: polygons.map((one) => one.map(ring)) };
}

/** The search for one geometry, with its budget. */
class Search {
  #left = COMPARISONS_MAX;

  meets({ points, lines, polygons }: Shapes, part: Part): boolean {
    return (
      points.some((point) => this.#isInside(point, part.polygon, part.box)) ||
      lines.some((line) => this.#lineMeets(line, part)) ||
      polygons.some((polygon) => this.#polygonMeets(polygon, part))
    );
  }

  #lineMeets(line: Ring, part: Part): boolean {
    const box = boxOf(line);
    if (!overlap(box, part.box)) return false;
    return this.#isInside(line[0] as Position, part.polygon, part.box) || this.#cross([line], box, part);
  }

  #polygonMeets(polygon: Polygon, part: Part): boolean {
    const outer = polygon[0] as Ring;
    const box = boxOf(outer);
    if (!overlap(box, part.box)) return false;
    const corner = (part.polygon[0] as Ring)[0] as Position;
    return (
      this.#isInside(outer[0] as Position, part.polygon, part.box) ||
      this.#isInside(corner, polygon, box) ||
      this.#cross(polygon, box, part)
    );
  }

  /** Whether any edge of the lines crosses or touches a border of the part. `box` is that of the lines. */
  #cross(lines: readonly Ring[], box: Box, part: Part): boolean {
    const near = lines.flatMap((line) => this.#edgesIn(line, part.box));
    if (near.length === 0) return false;
    for (const ring of part.polygon) {
      for (const border of this.#edgesIn(ring, box)) {
        this.#spend(near.length);
        if (near.some((edge) => edgesMeet(edge, border))) return true;
      }
    }
    return false;
  }

  #edgesIn(line: Ring, box: Box): Edge[] {
    this.#spend(line.length);
    const edges: Edge[] = [];
    for (let index = 1; index < line.length; index += 1) {
      const [a, b] = [line[index - 1] as Position, line[index] as Position];
      if (overlap(boxOf([a, b]), box)) edges.push([a, b]);
    }
    return edges;
  }

  /** By the number of times that a ray to the east crosses a ring; holes are outside. */
  #isInside([x, y]: Position, polygon: Polygon, [west, south, east, north]: Box): boolean {
    if (x < west || x > east || y < south || y > north) return false;
    let isInside = false;
    for (const ring of polygon) {
      this.#spend(ring.length);
      for (let index = 1; index < ring.length; index += 1) {
        const [[ax, ay], [bx, by]] = [ring[index - 1] as Position, ring[index] as Position];
        if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) isInside = !isInside;
      }
    }
    return isInside;
  }

  #spend(comparisons: number): void {
    this.#left -= comparisons;
    if (this.#left < 0) throw new GeometryTooComplex();
  }
}

type Edge = readonly [Position, Position];

function edgesMeet([a, b]: Edge, [c, d]: Edge): boolean {
  const [abc, abd, cda, cdb] = [side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b)];
  if (abc !== abd && cda !== cdb) return true;
  // The points may be on one line.
  return (
    (abc === 0 && isWithin(c, a, b)) ||
    (abd === 0 && isWithin(d, a, b)) ||
    (cda === 0 && isWithin(a, c, d)) ||
    (cdb === 0 && isWithin(b, c, d))
  );
}

function side([ax, ay]: Position, [bx, by]: Position, [x, y]: Position): number {
  return Math.sign((bx - ax) * (y - ay) - (by - ay) * (x - ax));
}

function isWithin([x, y]: Position, [ax, ay]: Position, [bx, by]: Position): boolean {
  return x >= Math.min(ax, bx) && x <= Math.max(ax, bx) && y >= Math.min(ay, by) && y <= Math.max(ay, by);
}

function boxOf(positions: readonly Position[]): Box {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of positions) {
    west = Math.min(west, x);
    south = Math.min(south, y);
    east = Math.max(east, x);
    north = Math.max(north, y);
  }
  return [west, south, east, north];
}

function overlap(one: Box, other: Box): boolean {
  return one[0] <= other[2] && other[0] <= one[2] && one[1] <= other[3] && other[1] <= one[3];
}
