import t, { type Test } from 'tap';
import { systemClock } from '../../../node-agent/clock.ts';
import { DocumentReader } from '../../../node-agent/documents/document-reader.ts';

function reader(t: Test, deadlineMs?: number): DocumentReader {
  const made = new DocumentReader(systemClock, deadlineMs);
  t.teardown(() => made.close());
  return made;
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

const feature = (geometry: unknown, properties: object = {}) =>
  bytesOf(JSON.stringify({ type: 'Feature', geometry, properties }));

t.test('side-cars: a feature is reported with its footprint and the countries it touches', async (t) => {
  const sideCars = reader(t);
  const read = await sideCars.readSideCar(
    feature({ type: 'Point', coordinates: [2.35, 48.86] }, { sensor: 'A' }),
  );
  t.strictSame(read, {
    feature: '{"type":"Feature","geometry":null,"properties":{"sensor":"A"}}',
    footprint: { geometry: 'POINT (2.35 48.86)', centerPoint: 'POINT (2.35 48.86)', countries: ['FRA'] },
  });
});

t.test('side-cars: a document that is not GeoJSON, or not storable, is left out with a reason', async (t) => {
  const sideCars = reader(t);
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  const cases: [string | Uint8Array, RegExp][] = [
    ['nonsense', /is not JSON/],
    ['', /is not JSON/],
    ['{}', /neither a GeoJSON geometry nor a Feature/],
    ['[1]', /is no JSON object/],
    ['{"type":"Feature","properties":{"a":"\\u0000"}}', /properties\.a.*NUL/],
    ['{"type":"Feature","properties":{"a":"\\ud800"}}', /surrogate/],
    ['{"type":"Feature","properties":{"__proto__":1}}', /__proto__/],
    ['{"type":"Feature","properties":{"a":1e999}}', /finite/],
    [`{"type":"Feature","properties":{"a":${deep}}}`, /nested deeper/],
    [feature(null, { a: 'x'.repeat(300_000) }), /properties of more than/],
  ];
  for (const [text, warning] of cases) {
    const read = await sideCars.readSideCar(typeof text === 'string' ? bytesOf(text) : text);
    t.equal(read.feature, '', `${warning}`);
    t.match(read.warning, warning);
    t.equal(read.footprint, undefined);
  }
});

t.test('side-cars: 256 KiB of properties and 10,000 positions are read, and one more is not', async (t) => {
  const sideCars = reader(t);
  // As text: {"a":"…"}; each é takes two bytes.
  const properties = (bytes: number) => ({ a: `${'é'.repeat(4)}${'x'.repeat(bytes - 16)}` });
  const most = await sideCars.readSideCar(feature(null, properties(256 * 1024)));
  t.equal(most.warning, undefined);
  t.ok(most.feature.length > 256 * 1024);
  const more = await sideCars.readSideCar(feature(null, properties(256 * 1024 + 1)));
  t.strictSame(more, { feature: '', warning: 'has properties of more than 262144 bytes' });

  const line = (count: number, first = 0) =>
    Array.from({ length: count }, (_, index) => [(first + index) / 10_000, 10]);
  const point = { type: 'Point', coordinates: [1, 1] };
  const places: [name: string, geometryWith: (count: number) => unknown][] = [
    ['of one line', (count) => ({ type: 'LineString', coordinates: line(count) })],
    [
      'in parts',
      (count) => ({ type: 'MultiLineString', coordinates: [line(5_000), line(count - 5_000, 5_000)] }),
    ],
    [
      'in a collection',
      (count) => ({
        type: 'GeometryCollection',
        geometries: [point, { type: 'LineString', coordinates: line(count - 1) }],
      }),
    ],
  ];
  for (const [name, geometry] of places) {
    const full = await sideCars.readSideCar(feature(geometry(10_000)));
    t.equal(full.warning, undefined, name);
    t.equal(
      full.footprint?.geometry.match(/ 10(?=[,)])/g)?.length,
      name === 'in a collection' ? 9_999 : 10_000,
      name,
    );
    const over = await sideCars.readSideCar(feature(geometry(10_001)));
    t.match(
      over,
      { feature: /Feature/, warning: 'has more than 10000 positions', footprint: undefined },
      name,
    );
  }
  const features = (count: number) =>
    bytesOf(
      JSON.stringify({
        type: 'FeatureCollection',
        features: Array.from({ length: count }, () => ({
          type: 'Feature',
          properties: {},
          geometry: point,
        })),
      }),
    );
  t.equal((await sideCars.readSideCar(features(10_000))).warning, undefined);
  t.match(await sideCars.readSideCar(features(10_001)), {
    feature: '',
    warning: 'has more than 10000 features',
  });
});

t.test('side-cars: a broken geometry is left out, and the rest is reported', async (t) => {
  const read = await reader(t).readSideCar(feature({ type: 'Point', coordinates: ['a'] }, { a: 1 }));
  t.match(read, { feature: /"a":1/, warning: /no pair of numbers/ });
  t.equal(read.footprint, undefined);
});

t.test('side-cars: hostile geometries cost the thread time, not the caller', async (t) => {
  const sideCars = reader(t);
  await sideCars.readSideCar(bytesOf('{}'));
  const zigzag = Array.from({ length: 9_999 }, (_, index) => [
    index % 2 === 0 ? -180 : 180,
    (index % 170) - 85,
  ]);
  let ticks = 0;
  const ticking = setInterval(() => {
    ticks += 1;
  }, 5);
  const read = await sideCars.readSideCar(feature({ type: 'LineString', coordinates: zigzag }, { a: 1 }));
  clearInterval(ticking);
  t.match(read.feature, /"a":1/);
  t.match(read.footprint?.geometry, /^LINESTRING/);
  t.comment(`${read.warning}, ${ticks} ticks meanwhile`);
  const star = Array.from({ length: 9_000 }, (_, index) => [
    170 * Math.cos(index * 2.4),
    85 * Math.sin(index * 2.4),
  ]);
  const stars = await sideCars.readSideCar(feature({ type: 'Polygon', coordinates: [star] }));
  t.match(stars.footprint?.geometry, /^POLYGON/);
});

t.test('side-cars: a side-car that takes too long is given up, and the next is read', async (t) => {
  const sideCars = reader(t, 1);
  const star = Array.from({ length: 9_000 }, (_, index) => [
    170 * Math.cos(index * 2.4),
    85 * Math.sin(index * 2.4),
  ]);
  const late = await sideCars.readSideCar(feature({ type: 'Polygon', coordinates: [star] }));
  t.match(late, { feature: '', warning: 'takes too long to read' });
  const other = reader(t);
  const all = await Promise.all(
    [bytesOf('{}'), feature(null, { a: 1 }), bytesOf('x')].map((bytes) => other.readSideCar(bytes)),
  );
  t.match(all, [{ warning: /neither/ }, { feature: /"a":1/ }, { warning: /not JSON/ }]);
});
