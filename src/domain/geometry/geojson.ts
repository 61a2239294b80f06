/**
 * GeoJSON documents that jobs write about files: a geometry, a Feature, or a FeatureCollection, each read as one
 * Feature. Texts and depth of the document have been checked before.
 */
import { isAbsent, isJsonObject, type JsonObject } from '../document/json-value.ts';
import { type Geometry, GeometryProblem, POSITIONS_MAX, readGeometry } from './geometry.ts';

export interface Feature {
  /** Null when the document has none. */
  readonly geometry: Geometry | null;
  /** Why a present geometry was ignored, as the rest of a sentence. */
  readonly problem?: string;
  readonly properties: JsonObject;
}

/** Reads a document; a text as result says why it is not GeoJSON, as the rest of a sentence: `it <text>`. */
export function readFeature(document: unknown): Feature | string {
  if (!isJsonObject(document)) return 'is no JSON object';
  if (document.type === 'Feature') return featureOf(document);
  if (document.type === 'FeatureCollection') return collectionOf(document);
  if (isGeometryType(document)) return withGeometry(() => readGeometry(document), {});
  return 'is neither a GeoJSON geometry nor a Feature';
}

function isGeometryType({ coordinates, geometries, type }: JsonObject): boolean {
  return typeof type === 'string' && (Array.isArray(coordinates) || Array.isArray(geometries));
}

function featureOf(document: JsonObject): Feature | string {
  const { geometry, bbox } = document;
  const properties = document.properties ?? {};
  if (!isJsonObject(properties)) return 'has properties that are no object';
  return withGeometry(() => (isAbsent(geometry) ? boxOf(bbox) : readGeometry(geometry)), properties);
}

/** Combines the geometries of its features; the properties are those of the only feature, else the collection's own. */
function collectionOf(document: JsonObject): Feature | string {
  const features = document.features;
  if (!Array.isArray(features)) return 'is a FeatureCollection without features';
  if (features.length > POSITIONS_MAX) return `has more than ${POSITIONS_MAX} features`;
  const [only] = features;
  if (features.length === 1) return isJsonObject(only) ? featureOf(only) : 'has a feature that is no object';
  const properties = document.properties ?? {};
  if (!isJsonObject(properties)) return 'has properties that are no object';
  const read = (): Geometry | null => {
    const geometries = features.flatMap((feature) =>
      isJsonObject(feature) && !isAbsent(feature.geometry) ? [feature.geometry] : [],
    );
    if (geometries.length === 0) return boxOf(document.bbox);
    return readGeometry({ type: 'GeometryCollection', geometries });
  };
  return withGeometry(read, properties);
}

/** The properties of a document count even if its geometry is invalid. */
function withGeometry(read: () => Geometry | null, properties: JsonObject): Feature {
  try {
    return { geometry: read(), properties };
  } catch (error) {
    if (!(error instanceof GeometryProblem)) throw error;
    return { geometry: null, problem: error.message, properties };
  }
}

/** The box of `[west, south, east, north]`, or of the six numbers with altitudes; two where it crosses 180°. */
function boxOf(bbox: unknown): Geometry | null {
  if (!Array.isArray(bbox)) return null;
  const half = bbox.length / 2;
  if (half !== 2 && half !== 3) throw new GeometryProblem('has a bbox of neither four nor six numbers');
  const [west, south, east, north] = [bbox[0], bbox[1], bbox[half], bbox[half + 1]];
  const box = (from: unknown, to: unknown): unknown[] => [
    [
      [from, south],
      [to, south],
      [to, north],
      [from, north],
    ],
  ];
  if (typeof west === 'number' && typeof east === 'number' && west > east) {
    return readGeometry({ type: 'MultiPolygon', coordinates: [box(west, 180), box(-180, east)] });
  }
  return readGeometry({ type: 'Polygon', coordinates: box(west, east) });
}
