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

t.test(
  'centroid: points count equally, lines by their length, and areas by their area without holes',
  async (t) => {
    t.strictSame(centroid('Point', [1, 2]), [1, 2]);
    t.strictSame(
      centroid('MultiPoint', [
        [0, 0],
        [2, 4],
      ]),
      [1, 2],
    );
    // The short second half counts less, by its length.
    t.strictSame(
      centroid('LineString', [
        [0, 0],
        [6, 0],
        [6, 2],
      ]),
      [(3 * 6 + 6 * 2) / 8, 2 / 8],
    );
    t.strictSame(centroid('Polygon', [SQUARE]), [2, 2]);
    t.strictSame(centroid('Polygon', [[...SQUARE].reverse()]), [2, 2], 'in either direction');
    const hole = [
      [0, 0],
      [2, 0],
      [2, 4],
      [0, 4],
      [0, 0],
    ];
    t.strictSame(centroid('Polygon', [SQUARE, hole]), [3, 2], 'a hole is subtracted');
  },
);

t.test('centroid: only the parts of the highest dimension count', async (t) => {
  const polygon = { type: 'Polygon', coordinates: [SQUARE] };
  const far = { type: 'Point', coordinates: [100, 50] };
  t.strictSame(centroidOf(readGeometry({ type: 'GeometryCollection', geometries: [far, polygon] })), [2, 2]);
});

t.test(
  'centroid: a polygon without area counts as a line, and a line without length as a point',
  async (t) => {
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
  },
);

t.test('centroid: it moves with its geometry and lies inside its bounding box', async (t) => {
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
      const isWithin = (at: number, all: readonly number[]) =>
        at >= Math.min(...all) - 1e-9 && at <= Math.max(...all) + 1e-9;
      t.ok(
        isWithin(
          x,
          ring.map(([at]) => at),
        ) &&
          isWithin(
            y,
            ring.map(([, at]) => at),
          ),
      );
    }),
    { numRuns: 200 },
  );
});
