/**
 * Geometries as in GeoJSON (RFC 7946), read from untrusted documents. Longitude and latitude only; altitudes are
 * dropped.
 */
import { isJsonObject } from '../document/json-value.ts';

/** Longitude and latitude, degrees (WGS 84). */
export type Position = readonly [number, number];

export type Geometry =
  | { readonly type: 'Point'; readonly coordinates: Position }
  | { readonly type: 'MultiPoint'; readonly coordinates: readonly Position[] }
  | { readonly type: 'LineString'; readonly coordinates: readonly Position[] }
  | { readonly type: 'MultiLineString'; readonly coordinates: readonly (readonly Position[])[] }
  | { readonly type: 'Polygon'; readonly coordinates: readonly (readonly Position[])[] }
  | {
      readonly type: 'MultiPolygon';
      readonly coordinates: readonly (readonly (readonly Position[])[])[];
    }
  | { readonly type: 'GeometryCollection'; readonly geometries: readonly Geometry[] };

/** limit: positions of one geometry. */
export const POSITIONS_MAX = 10_000;
/** limit: collections within collections. */
const COLLECTION_DEPTH_MAX = 4;
const LONGITUDE_MAX = 360;
const LATITUDE_MAX = 90;

/** Why a document is not a geometry, as the rest of a sentence: `it <message>`. */
export class GeometryProblem extends Error {}

/** Reads a geometry. Throws GeometryProblem. */
export function readGeometry(document: unknown): Geometry {
  return new Reader().geometry(document, 0);
}

class Reader {
  #positions = 0;

  geometry(document: unknown, depth: number): Geometry {
    if (!isJsonObject(document)) throw new GeometryProblem('has a geometry that is no object');
    const { type, coordinates } = document;
    switch (type) {
      case 'Point':
        return { type, coordinates: this.#position(coordinates) };
      case 'MultiPoint':
        return { type, coordinates: this.#list(coordinates, 1, (one) => this.#position(one)) };
      case 'LineString':
        return { type, coordinates: this.#line(coordinates) };
      case 'MultiLineString':
        return { type, coordinates: this.#list(coordinates, 1, (one) => this.#line(one)) };
      case 'Polygon':
        return { type, coordinates: this.#polygon(coordinates) };
      case 'MultiPolygon':
        return { type, coordinates: this.#list(coordinates, 1, (one) => this.#polygon(one)) };
      case 'GeometryCollection':
        if (depth === COLLECTION_DEPTH_MAX) throw new GeometryProblem('has collections nested too deep');
        return {
          type,
          geometries: this.#list(document.geometries, 1, (one) => this.geometry(one, depth + 1)),
        };
      default:
        throw new GeometryProblem('has a geometry of an unknown type');
    }
  }

  #list<T>(value: unknown, least: number, read: (item: unknown) => T): T[] {
    if (!Array.isArray(value)) throw new GeometryProblem('has coordinates that are no list');
    if (value.length < least)
      throw new GeometryProblem(`has a part of fewer than ${least} positions or parts`);
    if (value.length > POSITIONS_MAX) throw tooLarge();
    return value.map(read);
  }

  #line(value: unknown): Position[] {
    return this.#list(value, 2, (one) => this.#position(one));
  }

  #polygon(value: unknown): Position[][] {
    return this.#list(value, 1, (one) => this.#ring(one));
  }

  /** Closes an open ring: many programs leave the last position out. */
  #ring(value: unknown): Position[] {
    const ring = this.#list(value, 3, (one) => this.#position(one));
    const [first, last] = [ring[0] as Position, ring.at(-1) as Position];
    if (first[0] !== last[0] || first[1] !== last[1]) ring.push(first);
    if (ring.length < 4) throw new GeometryProblem('has a ring of fewer than three corners');
    return ring;
  }

  #position(value: unknown): Position {
    this.#positions += 1;
    if (this.#positions > POSITIONS_MAX) throw tooLarge();
    const [longitude, latitude] = Array.isArray(value) ? (value as unknown[]) : [];
    if (typeof longitude !== 'number' || typeof latitude !== 'number')
      throw new GeometryProblem('has a position that is no pair of numbers');
    if (!(Math.abs(longitude) <= LONGITUDE_MAX && Math.abs(latitude) <= LATITUDE_MAX))
      throw new GeometryProblem('has a position that is not on Earth');
    return [longitude, latitude];
  }
}

function tooLarge(): GeometryProblem {
  return new GeometryProblem(`has more than ${POSITIONS_MAX} positions`);
}

/** The geometry's parts that are not collections, in order. */
function* simpleParts(geometry: Geometry): Generator<Exclude<Geometry, { geometries: unknown }>> {
  if (geometry.type !== 'GeometryCollection') yield geometry;
  else for (const part of geometry.geometries) yield* simpleParts(part);
}

/** Points, lines and polygons that a geometry is made of. */
export interface Shapes {
  readonly points: readonly Position[];
  readonly lines: readonly (readonly Position[])[];
  readonly polygons: readonly (readonly (readonly Position[])[])[];
}

export function shapesOf(geometry: Geometry): Shapes {
  const points: Position[] = [];
  const lines: (readonly Position[])[] = [];
  const polygons: (readonly (readonly Position[])[])[] = [];
  for (const part of simpleParts(geometry)) {
    if (part.type === 'Point') points.push(part.coordinates);
    else if (part.type === 'MultiPoint') points.push(...part.coordinates);
    else if (part.type === 'LineString') lines.push(part.coordinates);
    else if (part.type === 'MultiLineString') lines.push(...part.coordinates);
    else if (part.type === 'Polygon') polygons.push(part.coordinates);
    else polygons.push(...part.coordinates);
  }
  return { points, lines, polygons };
}
