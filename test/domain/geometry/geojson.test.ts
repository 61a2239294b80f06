import t from 'tap';
import { readFeature } from '../../../src/domain/geometry/geojson.ts';
import { POSITIONS_MAX } from '../../../src/domain/geometry/geometry.ts';
import { toWkt } from '../../../src/domain/geometry/wkt.ts';

const POINT = { type: 'Point', coordinates: [1, 2] };
const SQUARE = [
  [0, 0],
  [2, 0],
  [2, 2],
  [0, 2],
  [0, 0],
];

function wktOf(document: unknown): string | null {
  const read = readFeature(document);
  if (typeof read === 'string') return read;
  if (read.problem !== undefined) return read.problem;
  return read.geometry === null ? null : toWkt(read.geometry);
}

t.test('geojson: each kind of geometry becomes well-known text', async (t) => {
  const cases: [object, string][] = [
    [POINT, 'POINT (1 2)'],
    [{ type: 'Point', coordinates: [-0, 2, 300] }, 'POINT (0 2)'],
    [{ type: 'Point', coordinates: [1e-7, -1.5] }, 'POINT (0.0000001 -1.5)'],
    [
      {
        type: 'MultiPoint',
        coordinates: [
          [1, 2],
          [3, 4],
        ],
      },
      'MULTIPOINT ((1 2), (3 4))',
    ],
    [
      {
        type: 'LineString',
        coordinates: [
          [1, 2],
          [3, 4],
        ],
      },
      'LINESTRING (1 2, 3 4)',
    ],
    [
      {
        type: 'MultiLineString',
        coordinates: [
          [
            [1, 2],
            [3, 4],
          ],
        ],
      },
      'MULTILINESTRING ((1 2, 3 4))',
    ],
    [{ type: 'Polygon', coordinates: [SQUARE] }, 'POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0))'],
    [{ type: 'MultiPolygon', coordinates: [[SQUARE]] }, 'MULTIPOLYGON (((0 0, 2 0, 2 2, 0 2, 0 0)))'],
    [
      { type: 'GeometryCollection', geometries: [POINT, POINT] },
      'GEOMETRYCOLLECTION (POINT (1 2), POINT (1 2))',
    ],
  ];
  for (const [document, wanted] of cases) t.equal(wktOf(document), wanted);
});

t.test('geojson: an open ring is closed', async (t) => {
  const open = { type: 'Polygon', coordinates: [SQUARE.slice(0, 4)] };
  t.equal(wktOf(open), 'POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0))');
});

t.test('geojson: a feature has its properties and its geometry, or else its bounding box', async (t) => {
  const properties = { dataStarted: '2026-01-01T00:00:00Z' };
  t.strictSame(readFeature({ type: 'Feature', geometry: POINT, properties }), {
    geometry: POINT,
    properties,
  });
  t.strictSame(readFeature({ type: 'Feature', geometry: null, properties: null }), {
    geometry: null,
    properties: {},
  });
  const box = (bbox: unknown) => wktOf({ type: 'Feature', geometry: null, bbox });
  t.equal(box([0, 0, 2, 2]), 'POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0))');
  t.equal(box([0, 0, -5, 2, 2, 5]), 'POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0))');
  t.match(box([170, 0, -170, 2]), /^MULTIPOLYGON \(\(\(170 0, 180 0.*\(\(-180 0, -170 0/);
  t.match(box([0, 0, 2]), /bbox of neither/);
  t.match(box([0, 0, 2, '2']), /no pair of numbers/);
  t.equal(
    wktOf({ type: 'Feature', geometry: POINT, bbox: [0, 0, 9, 9] }),
    'POINT (1 2)',
    'a geometry is preferred',
  );
});

t.test('geojson: a collection of features becomes one feature', async (t) => {
  const one = { type: 'Feature', geometry: POINT, properties: { a: 1 } };
  t.strictSame(readFeature({ type: 'FeatureCollection', features: [one] }), {
    geometry: POINT,
    properties: { a: 1 },
  });
  const many = readFeature({
    type: 'FeatureCollection',
    features: [one, { ...one, geometry: null }, one],
    properties: { b: 2 },
  });
  t.match(many, {
    geometry: { type: 'GeometryCollection', geometries: [POINT, POINT] },
    properties: { b: 2 },
  });
  t.match(readFeature({ type: 'FeatureCollection', features: [] }), { geometry: null, properties: {} });
});

t.test('geojson: a document that is not GeoJSON is refused as a whole', async (t) => {
  const cases: unknown[] = [
    ...[null, 1, 'text', [], {}, { type: 'Point' }, { type: 'Topology', objects: {} }],
    ...[
      { type: 'Feature', properties: [] },
      { type: 'Feature', properties: 'x' },
    ],
    ...[{ type: 'FeatureCollection' }, { type: 'FeatureCollection', features: [1] }],
    { type: 'FeatureCollection', features: [], properties: 3 },
    { type: 'FeatureCollection', features: Array(POSITIONS_MAX + 1).fill({}) },
  ];
  for (const document of cases)
    t.type(readFeature(document), 'string', JSON.stringify(document)?.slice(0, 100));
});

t.test('geojson: an invalid geometry is left out with a reason, and the properties are kept', async (t) => {
  const nested = (depth: number): object =>
    depth === 0 ? POINT : { type: 'GeometryCollection', geometries: [nested(depth - 1)] };
  const geometries: unknown[] = [
    ...['POINT (1 2)', 1, [], {}, { type: 'Point' }, { type: 'Point', coordinates: [] }],
    ...[
      { type: 'Point', coordinates: [1] },
      { type: 'Point', coordinates: ['1', '2'] },
    ],
    ...[
      { type: 'Point', coordinates: [null, 2] },
      { type: 'Point', coordinates: [361, 2] },
    ],
    ...[
      { type: 'Point', coordinates: [1, 91] },
      { type: 'Point', coordinates: { 0: 1, 1: 2 } },
    ],
    ...[
      { type: 'LineString', coordinates: [[1, 2]] },
      { type: 'LineString', coordinates: [1, 2] },
    ],
    ...[
      { type: 'MultiPoint', coordinates: [] },
      { type: 'Polygon', coordinates: [] },
    ],
    ...[
      { type: 'Polygon', coordinates: [[]] },
      { type: 'Polygon', coordinates: SQUARE },
    ],
    ...[{ type: 'GeometryCollection', geometries: [] }, { type: 'GeometryCollection' }, nested(6)],
    { type: 'Polygon', coordinates: [[SQUARE[0], SQUARE[1], SQUARE[0]]] },
    { type: 'MultiPoint', coordinates: Array(POSITIONS_MAX + 1).fill([1, 2]) },
    { type: 'MultiLineString', coordinates: Array(POSITIONS_MAX / 2 + 1).fill([SQUARE[0], SQUARE[1]]) },
    { type: '__proto__', coordinates: [1, 2] },
  ];
  for (const geometry of geometries) {
    const read = readFeature({ type: 'Feature', geometry, properties: { a: 1 } });
    t.match(
      read,
      { geometry: null, problem: /^has /, properties: { a: 1 } },
      JSON.stringify(geometry).slice(0, 100),
    );
  }
});
