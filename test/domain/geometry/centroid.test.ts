import fc from 'fast-check';
import t from 'tap';
import { centroidOf } from '../../../src/domain/geometry/centroid.ts';
import { type Geometry, type Position, readGeometry } from '../../../src/domain/geometry/geometry.ts';

const centroid = (type: string, coordinates: unknown): Position =>
  centroidOf(readGeometry({ type, coordinates }));
const SQUARE = [
  [0, 0],
  [4, 0],
  [4, 4],
  [0, 4],
  [0, 0],
];

t.test('centroid: of points, lines and areas', async (t) => {
  t.strictSame(centroid('Point', [1, 2]), [1, 2]);
  t.strictSame(
    centroid('MultiPoint', [
      [0, 0],
      [2, 4],
    ]),
    [1, 2],
  );
  // By length: the short second half counts less.
  t.strictSame(
    centroid('LineString', [
      [0, 0],
      [6, 0],
      [6, 2],
    ]),
    [(3 * 6 + 6 * 2) / 8, 2 / 8],
  );
  t.strictSame(centroid('Polygon', [SQUARE]), [2, 2]);
  t.strictSame(centroid('Polygon', [[...SQUARE].reverse()]), [2, 2], 'however it is wound');
  const hole = [
    [0, 0],
    [2, 0],
    [2, 4],
    [0, 4],
    [0, 0],
  ];
  t.strictSame(centroid('Polygon', [SQUARE, hole]), [3, 2], 'a hole counts against it');
});

t.test('centroid: only the parts of the highest dimension count', async (t) => {
  const polygon = { type: 'Polygon', coordinates: [SQUARE] };
  const far = { type: 'Point', coordinates: [100, 50] };
  t.strictSame(centroidOf(readGeometry({ type: 'GeometryCollection', geometries: [far, polygon] })), [2, 2]);
});

t.test('centroid: what has no area or no length is taken as what it is', async (t) => {
  const flat = [
    [0, 0],
    [4, 0],
    [2, 0],
    [0, 0],
  ];
  t.strictSame(centroid('Polygon', [flat])[1], 0);
  t.strictSame(
    centroid('LineString', [
      [3, 3],
      [3, 3],
    ]),
    [3, 3],
  );
});

t.test('centroid: it moves with its geometry, and lies in its box', async (t) => {
  const position = fc.tuple(
    fc.double({ min: -90, max: 90, noNaN: true }),
    fc.double({ min: -45, max: 45, noNaN: true }),
  );
  const rings = fc.array(position, { minLength: 4, maxLength: 12 });
  fc.assert(
    fc.property(rings, fc.integer({ min: -40, max: 40 }), (ring, by) => {
      const line = (shift: number): Geometry => ({
        type: 'LineString',
        coordinates: ring.map(([x, y]): Position => [x + shift, y]),
      });
      const [x, y] = centroidOf(line(0));
      const [movedX, movedY] = centroidOf(line(by));
      t.ok(Math.abs(movedX - by - x) < 1e-6 && Math.abs(movedY - y) < 1e-6);
      t.ok(
        x >= Math.min(...ring.map(([at]) => at)) - 1e-9 && x <= Math.max(...ring.map(([at]) => at)) + 1e-9,
      );
    }),
    { numRuns: 200 },
  );
});
