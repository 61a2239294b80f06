/** Amounts, durations and searches of the console. */
import t from 'tap';
import { bytes, counted, resource } from '../../src/console/format/amounts.ts';
import { sentence, shortReason } from '../../src/console/format/sentence.ts';
import { ago, duration, instant, isoDuration, minuteOrInstant } from '../../src/console/format/times.ts';
import { jobChoice, jobQuery, readJobSearch } from '../../src/console/jobs/job-search.ts';
import { parseSearch, searchText } from '../../src/console/search.ts';

t.test('formats: amounts are shown with their unit', async (t) => {
  t.strictSame([0, 1_023, 1_536, 5 * 2 ** 30].map(bytes), ['0 B', '1023 B', '1.5 KiB', '5 GiB']);
  t.equal(resource('mem', 512), '512 MiB');
  t.equal(resource('cpus', 0.25), '0.25');
  t.equal(counted(1, 'job'), '1 job');
  t.equal(counted(12_000, 'job'), '12,000 jobs');
});

t.test('formats: durations have two units at most', async (t) => {
  const all = [0, 999, 1_250, 59_999, 60_000, 200_000, 7_500_000, 90_000_000].map(duration);
  t.strictSame(all, ['under 1 ms', '999 ms', '1.2 s', '59 s', '1 min', '3 min 20 s', '2 h 5 min', '1 d 1 h']);
  t.equal(ago(0, 61_000), '1 min ago');
  t.strictSame(
    ['PT0S', 'PT2M5S', null].map(isoDuration),
    ['under 1 s', '2 min 5 s', '–'],
    'they have whole seconds',
  );
});

t.test(
  'formats: texts of the service begin with a capital, names of fields and hosts stay as they are',
  async (t) => {
    for (const [text, shown] of [
      ['no connected agent reaches it', 'No connected agent reaches it'],
      ['sub-directories are not read', 'Sub-directories are not read'],
      ['must be a text', 'Must be a text'],
      ['file_name must be a text', 'file_name must be a text'],
      ['host1 is offline', 'host1 is offline'],
      ['rack: the directory is missing', 'rack: the directory is missing'],
      ["'raw' is not active", "'raw' is not active"],
      ['It runs', 'It runs'],
      ['', ''],
    ] as const) {
      t.equal(sentence(text), shown);
    }
    t.equal(sentence(null), undefined);
  },
);

t.test('formats: a reason in a list tells sooner what standard error said', async (t) => {
  for (const [text, shown] of [
    ['exit code 4; standard error ends with:\nno key', 'Exit code 4: no key'],
    ['ended after 5 s, its time limit; standard error shows nothing', 'Ended after 5 s, its time limit'],
    ['no file matches *.csv of output TABLE', 'No file matches *.csv of output TABLE'],
  ] as const) {
    t.equal(shortReason(text), shown);
  }
  t.equal(shortReason(null), undefined);
});

t.test('formats: the time of a figure has no seconds where it is a whole minute', async (t) => {
  const atMs = Date.parse('2026-11-27T14:03:00Z');
  t.equal(`${minuteOrInstant(atMs, atMs)}:00`, instant(atMs, atMs));
  t.equal(minuteOrInstant(atMs + 1_000, atMs), instant(atMs + 1_000, atMs));
});

t.test('formats: an instant has its date on another day, and its year in another year', async (t) => {
  const noonMs = Date.parse('2026-11-27T12:00:00');
  for (const [at, shown] of [
    ['2026-11-27T09:05:07', '09:05:07'],
    ['2026-11-02T09:05:07', '2 Nov 09:05:07'],
    ['2025-11-27T09:05:07', '27 Nov 2025 09:05:07'],
  ] as const) {
    t.equal(instant(Date.parse(at), noonMs), shown);
  }
});

t.test('searches: a written address is read back the same, and wrong values are dropped', async (t) => {
  const search = { status: 'FAILED', type: 'a & b', order: '-id' } as const;
  t.strictSame(readJobSearch(parseSearch(searchText(search))), search);
  t.strictSame(readJobSearch(parseSearch('?status=NOTHING&recipe=x&order=secret&type=&__proto__=1')), {});
  t.match(jobQuery(search), { status: ['FAILED'], job_type_name: ['a & b'], order: ['-id'] });
});

t.test('searches: a search without a filter chooses no jobs', async (t) => {
  t.equal(jobChoice({ order: 'id' }, 0), undefined);
  t.strictSame(jobChoice({ status: 'FAILED', changed: 'PT1H' }, 3_600_000), {
    status: 'FAILED',
    started: '1970-01-01T00:00:00.000Z',
  });
});
