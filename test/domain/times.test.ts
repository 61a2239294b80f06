import fc from 'fast-check';
import t from 'tap';
import {
  before,
  datePath,
  formatInstant,
  parseDuration,
  parseInstant,
  parseMoment,
} from '../../src/domain/times.ts';

const NOW = Date.UTC(2024, 2, 31, 12, 0, 0);
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const EARLIEST = -62_135_596_800_000;

t.test('times: an instant is read with any offset', async (t) => {
  const expected = Date.UTC(2015, 8, 10, 15, 24, 53, 503);
  for (const text of [
    '2015-09-10T15:24:53.503Z',
    '2015-09-10 15:24:53,503Z',
    '2015-09-10T17:24:53.503123+02:00',
    '2015-09-10T17:24:53.5039+02',
    '2015-09-10T10:24:53.503-0500',
    '2015-09-10T20:54:53.503+05:30',
  ]) {
    t.equal(parseInstant(text), expected, text);
  }
  t.equal(parseInstant('2015-09-10T15:24Z'), Date.UTC(2015, 8, 10, 15, 24));
  t.equal(parseInstant('2024-02-29T00:00:00Z'), Date.UTC(2024, 1, 29));
});

t.test('times: a text that is not an instant with a time zone is refused', async (t) => {
  for (const text of [
    '',
    'now',
    '2015-09-10',
    '2015-09-10T15:24:53',
    '2015-09-10T15Z',
    '2015-13-10T15:24:53Z',
    '2015-00-10T15:24:53Z',
    '2015-02-29T15:24:53Z',
    '1900-02-29T15:24:53Z',
    '2015-04-31T15:24:53Z',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '2015-09-10T24:00:00Z',
    '2015-09-10T15:60:00Z',
    '2015-09-10T15:24:60Z',
    '2015-09-10T15:24:53.Z',
    '2015-09-10T15:24:53+24:00',
    '2015-09-10T15:24:53+02:60',
    '2015-09-10T15:24:53ZZ',
    ' 2015-09-10T15:24:53Z',
    '2015-09-10T15:24:53Z\n',
    '+2015-09-10T15:24:53Z',
    '20150910T152453Z',
  ]) {
    t.equal(parseInstant(text), undefined, JSON.stringify(text));
  }
});

t.test('times: an instant is written in ISO form and read back', async () => {
  fc.assert(
    fc.property(fc.integer({ min: EARLIEST, max: LATEST }), (ms) => {
      const text = formatInstant(ms);
      return text === new Date(ms).toISOString().replace('.000Z', 'Z') && parseInstant(text) === ms;
    }),
    { numRuns: 2_000 },
  );
});

t.test('times: a duration may have every unit', async (t) => {
  t.strictSame(parseDuration('P1Y2M3W4DT5H6M7.5S'), { months: 14, ms: 25 * 86_400_000 + 18_367_500 });
  t.strictSame(parseDuration('P'), { months: 0, ms: 0 });
  t.strictSame(parseDuration('P0.5Y'), { months: 6, ms: 0 });
  t.strictSame(parseDuration('P1.5M'), { months: 1, ms: 15 * 86_400_000 });
  t.strictSame(parseDuration('PT1,5H'), { months: 0, ms: 5_400_000 });
  for (const text of [
    'PT',
    'P1',
    '-P1D',
    'P-1D',
    'P1H',
    'PT1D',
    'P1D2Y',
    'P1DT',
    'p1d',
    'P1.D',
    'P1D ',
    'PD',
    'P1S',
  ]) {
    t.equal(parseDuration(text), undefined, text);
  }
});

t.test('times: a duration counts back from now through the calendar', async (t) => {
  const ago = (text: string): string => formatInstant(parseMoment(text, NOW) ?? Number.NaN);
  t.equal(ago('P1M'), '2024-02-29T12:00:00Z', 'February has no 31st');
  t.equal(ago('P13M'), '2023-02-28T12:00:00Z');
  t.equal(ago('P1Y'), '2023-03-31T12:00:00Z');
  t.equal(ago('P3M'), '2023-12-31T12:00:00Z');
  t.equal(ago('P1W'), '2024-03-24T12:00:00Z');
  t.equal(ago('PT0.5S'), '2024-03-31T11:59:59.500Z');
  t.equal(ago('P'), '2024-03-31T12:00:00Z');
  t.equal(before(0, { months: 1, ms: 0 }), Date.UTC(1969, 11, 1));
  t.equal(parseMoment('P999999999999Y', NOW), undefined, 'before the year 1');
  t.equal(parseMoment('2024-01-01T00:00:00+01:00', NOW), Date.UTC(2023, 11, 31, 23));
  t.equal(parseMoment('yesterday', NOW), undefined);
});

t.test('times: the directories of a day follow UTC', async (t) => {
  t.equal(datePath(Date.UTC(2024, 0, 5, 23, 59, 59, 999)), '2024/01/05');
  t.equal(datePath(Date.UTC(1969, 11, 31, 23)), '1969/12/31');
});
