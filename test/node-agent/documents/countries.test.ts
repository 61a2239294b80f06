import t from 'tap';
import { countriesOf } from '../../../node-agent/documents/countries.ts';
import { readGeometry } from '../../../src/domain/geometry/geometry.ts';

const countriesIn = (type: string, coordinates: unknown): string[] =>
  countriesOf(readGeometry({ type, coordinates }));
const box = (west: number, south: number, east: number, north: number) => [
  [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ],
];

t.test('countries: points inland, in enclaves, on islands and at sea are located', async (t) => {
  const cases: [string, number, number, string[]][] = [
    ['Paris', 2.35, 48.86, ['FRA']],
    ['Washington', -77.04, 38.9, ['USA']],
    ['Anchorage', -149.9, 61.2, ['USA']],
    ['San Juan', -66.1, 18.4, ['PRI']],
    ['Maseru', 27.48, -29.31, ['LSO']],
    ['Pretoria', 28.19, -25.75, ['ZAF']],
    ['Edinburgh', -3.19, 55.95, ['GBR']],
    ['Moscow', 37.62, 55.75, ['RUS']],
    ['Wellington', 174.78, -41.29, ['NZL']],
    ['Brasília', -47.9, -15.8, ['BRA']],
    ['Pristina', 21.17, 42.66, ['XKX']],
    ['the Atlantic', -35, 25, []],
  ];
  for (const [name, longitude, latitude, wanted] of cases)
    t.strictSame(countriesIn('Point', [longitude, latitude]), wanted, name);
});

t.test('countries: each country that a geometry touches is listed once, ascending', async (t) => {
  t.strictSame(
    countriesIn('LineString', [
      [2.35, 48.86],
      [13.4, 52.5],
    ]),
    ['BEL', 'DEU', 'FRA', 'LUX'],
  );
  t.strictSame(
    countriesIn('MultiPoint', [
      [2.35, 48.86],
      [5, 45],
      [-77.04, 38.9],
    ]),
    ['FRA', 'USA'],
  );
  t.strictSame(countriesIn('Polygon', box(27.3, -29.5, 27.6, -29.2)).includes('LSO'), true);
});

t.test('countries: a country within a polygon, or around it, is found', async (t) => {
  t.ok(countriesIn('Polygon', box(6, -2, 10, 1)).includes('STP'), 'an island state inside the box');
  t.strictSame(countriesIn('Polygon', box(2, 46, 2.1, 46.1)), ['FRA'], 'a box inside a country');
  const ring = [...box(-10, 35, 40, 70), ...box(-9, 36, 39, 69)];
  t.notOk(countriesIn('Polygon', ring).includes('CHE'), 'a country in a hole');
  const world = countriesIn('Polygon', box(-180, -90, 180, 90));
  t.ok(world.length > 230, `${world.length} countries in all the world`);
  t.ok(
    world.every((code) => /^[A-Z]{3}$/.test(code)),
    'ISO3 codes',
  );
});

t.test('countries: a longitude beyond the 180th meridian wraps around', async (t) => {
  t.strictSame(countriesIn('Point', [182.5, -44]), countriesIn('Point', [-177.5, -44]));
  t.ok(countriesIn('Polygon', box(170, -50, 190, -30)).includes('NZL'));
  t.strictSame(countriesIn('Point', [-282.96, 38.9]), countriesIn('Point', [77.04, 38.9]));
});
