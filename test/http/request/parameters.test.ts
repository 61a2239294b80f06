/** Query parameters: what each kind reads and refuses, and how problems of several are reported at once. */
import fc from 'fast-check';
import t from 'tap';
import { AppError } from '../../../src/domain/errors.ts';
import { PROBLEMS_MAX, type Problem, problemCount } from '../../../src/domain/validation.ts';
import { orderBy } from '../../../src/http/request/ordering.ts';
import { paging, toPage } from '../../../src/http/request/paging.ts';
import {
  choices,
  flag,
  integer,
  integers,
  type QueryParts,
  readQuery,
  required,
  text,
  texts,
} from '../../../src/http/request/parameters.ts';
import { timeRange } from '../../../src/http/request/time-range.ts';
import { NOW_MS } from '../../support/http.ts';

const DAY_MS = 86_400_000;

function problems(parts: QueryParts, raw: string): readonly Problem[] {
  try {
    readQuery(parts, raw, NOW_MS);
    return [];
  } catch (error) {
    if (error instanceof AppError && error.code === 'INVALID_PARAMETER')
      return error.detail.errors as Problem[];
    throw error;
  }
}

t.test('parameters: texts, integers, flags and choices are read', async (t) => {
  const parts = {
    name: texts('.'),
    id: integers('.'),
    one: text('.'),
    num: integer('.', { minimum: 1, maximum: 5 }),
    is_active: flag('.'),
    status: choices('.', ['QUEUED', 'RUNNING']),
  };
  const raw =
    'name=a&name=b%20c&name=&name=a&id=3&id=+4&one=x&one=y&num=5' +
    '&is_active=T&status=RUNNING&status=&_other=%F0%9F%98%80&&=';
  t.strictSame(readQuery(parts, raw, NOW_MS), {
    name: ['a', 'b c'],
    id: [3, 4],
    one: 'y',
    num: 5,
    is_active: true,
    status: ['RUNNING'],
  });
  t.strictSame(readQuery(parts, '', NOW_MS), {
    name: [],
    id: [],
    one: undefined,
    num: undefined,
    is_active: undefined,
    status: [],
  });
});

t.test('parameters: an unreadable value is refused with the name of its parameter', async (t) => {
  const parts = {
    id: integers('.'),
    num: integer('.', { minimum: 1 }),
    on: flag('.'),
    status: choices('.', ['A', 'B']),
  };
  for (const raw of ['id=', 'id=x', 'id=1.5', 'id=1&id=y', 'id=9007199254740992', 'id=1e3', 'id=0x10']) {
    t.match(problems(parts, raw), [{ path: 'id' }], raw);
  }
  for (const raw of ['num=0', 'num=-1', 'num=%00', 'num=x']) t.equal(problems(parts, raw).length, 1, raw);
  for (const raw of ['on=', 'on=yes', 'on=2']) t.match(problems(parts, raw), [{ path: 'on' }], raw);
  t.match(problems(parts, 'status=C'), [{ path: 'status', description: 'must be one of: A, B' }]);
  t.strictSame(
    problems(parts, 'id=x&num=0&on=2&status=C').map(({ path }) => path),
    ['id', 'num', 'on', 'status'],
  );
  t.equal(problems({ num: required(integer('.')) }, '')[0]?.name, 'MISSING_PARAMETER');
  t.equal(problems({ name: required(text('.')) }, 'name=')[0]?.name, 'MISSING_PARAMETER', 'an empty text');
  t.equal(problems({ num: required(integer('.')) }, 'num=').length, 1, 'an empty number is wrong only once');
  t.strictSame(
    problems({ num: required(integer('.')) }, 'num=x').map(({ name }) => name),
    ['NOT_AN_INTEGER'],
  );
  for (const raw of ['%', 'a=%zz', 'a=%00', 'a=%C0%80'])
    t.equal(problems({}, raw)[0]?.name, 'BAD_ENCODING', raw);
  const many = Array.from({ length: 1001 }, (_, index) => `id=${index}`).join('&');
  t.equal(problems(parts, many)[0]?.name, 'TOO_MANY_VALUES');
});

t.test('parameters: an unknown parameter is refused with the nearest known one', async (t) => {
  const parts = { status: choices('.', ['QUEUED', 'FAILED']), paging, order: orderBy(['title'], ['title']) };
  t.strictSame(problems(parts, 'statsu=FAILED&nonsense=1&nonsense=2&pagesize=3'), [
    {
      name: 'UNKNOWN_PARAMETER',
      path: 'statsu',
      description: `is not a parameter of this call; did you mean 'status'?`,
    },
    {
      ...{ name: 'UNKNOWN_PARAMETER', path: 'nonsense' },
      description: 'is not a parameter of this call; known are: status, page, page_size, order',
    },
    {
      name: 'UNKNOWN_PARAMETER',
      path: 'pagesize',
      description: `is not a parameter of this call; did you mean 'page_size'?`,
    },
  ]);
  t.match(problems({}, 'x=1'), [{ path: 'x', description: 'is not a parameter of this call' }]);
  t.match(problems(parts, 'status=Faild'), [
    { description: `must be one of: QUEUED, FAILED; did you mean 'FAILED'?` },
  ]);
  t.match(problems(parts, 'order=-titel'), [{ description: /; did you mean 'title'\? Allowed: id, title$/ }]);
  t.strictSame(readQuery(parts, 'nonsense=1&statsu=x', NOW_MS, 'ignored').status, []);
  const many = Array.from(
    { length: 3_000 },
    (_, index) => `statu${index}=${index}&status=x${index}&order=y${index}`,
  );
  const listed = problems(parts, many.join('&'));
  t.equal(problemCount(listed), 9_000);
  t.equal(listed.length, PROBLEMS_MAX + 1, 'of many the first hundred are listed');
});

t.test('parameters: no query causes another error than a refusal', async (t) => {
  const parts = {
    id: integers('.'),
    on: flag('.'),
    name: text('.'),
    paging,
    range: timeRange({ daysMax: 31 }),
    order: orderBy(['a'], ['a']),
  };
  const names = fc.constantFrom(
    'id',
    'on',
    'name',
    'page',
    'page_size',
    'started',
    'ended',
    'order',
    '__proto__',
  );
  const pair = fc.tuple(names, fc.string({ unit: 'binary' }));
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.array(pair), (pairs) => {
        problems(parts, pairs.map(([name, value]) => `${name}=${value}`).join('&'));
      }),
    ),
  );
});

t.test('paging: page and page_size are bounded, and a wrong one is named', async (t) => {
  t.strictSame(readQuery({ paging }, '', NOW_MS).paging, { page: 1, pageSize: 100, offset: 0 });
  t.strictSame(readQuery({ paging }, 'page=3&page_size=1000', NOW_MS).paging, {
    page: 3,
    pageSize: 1000,
    offset: 2000,
  });
  for (const raw of [
    'page_size=0',
    'page_size=1001',
    'page_size=-1',
    'page_size=',
    'page_size=null',
    'page_size=1.5',
  ]) {
    t.match(problems({ paging }, raw), [{ path: 'page_size' }], raw);
  }
  for (const raw of ['page=0', 'page=-1', 'page=x', 'page=', 'page=99999999999999999999', 'page=last']) {
    t.match(problems({ paging }, raw), [{ path: 'page' }], raw);
  }
  const { offset } = readQuery({ paging }, 'page=9007199254740991&page_size=1000', NOW_MS).paging;
  t.equal(offset, Number.MAX_SAFE_INTEGER, 'the farthest page stays within int8');
});

t.test('paging: links are absolute and keep the other parameters', async (t) => {
  const page = (rawQuery: string, count: number, found = 1) => {
    const request = { base: 'http://localhost:8080', path: '/v6/jobs/', rawQuery };
    const results = Array.from({ length: found });
    return toPage(request, readQuery({ paging }, rawQuery, NOW_MS, 'ignored').paging, { count, results });
  };
  t.match(page('', 100), { count: 100, next: null, previous: null });
  t.match(page('', 101), { next: 'http://localhost:8080/v6/jobs/?page=2', previous: null });
  t.match(page('status=A&page=2&status=B%20&page_size=10', 25), {
    next: 'http://localhost:8080/v6/jobs/?status=A&status=B%20&page_size=10&page=3',
    previous: 'http://localhost:8080/v6/jobs/?status=A&status=B%20&page_size=10',
  });
  t.match(page('page=2', 150), { next: null, previous: 'http://localhost:8080/v6/jobs/' });
  t.match(page('page=2', 900, 0), { count: 900, next: null }, 'nothing comes after an empty page');
  t.match(page('page=9&page_size=10', 25), { count: 25, next: null, previous: /page=3$/ });
  t.match(page('page=9', 0), { count: 0, next: null, previous: 'http://localhost:8080/v6/jobs/' });
});

t.test('ordering: only names of the list are accepted, and the id makes the order total', async (t) => {
  const parts = { order: orderBy(['title', 'recipe_type__name'], ['-title']) };
  const terms = (raw: string) =>
    readQuery(parts, raw, NOW_MS).order.map(
      ({ field, isDescending }) => `${isDescending ? '-' : ''}${field}`,
    );
  t.strictSame(terms(''), ['-title', '-id']);
  t.strictSame(terms('order=recipe_type__name&order=-title'), ['recipe_type__name', '-title', '-id']);
  t.strictSame(terms('order=-id&order=title'), ['-id', 'title']);
  t.strictSame(terms('order=title&order=-title&order='), ['title', 'id'], 'the first mention counts');
  for (const raw of ['order=nope', 'order=--title', 'order=-', 'order=title%27;drop', 'order=constructor']) {
    const [problem] = problems(parts, raw);
    t.match(problem, { path: 'order', description: /[Aa]llowed: id, title, recipe_type__name/ }, raw);
  }
});

t.test('time range: instants with any offset, durations and an unencoded plus are read', async (t) => {
  const read = (raw: string) => readQuery({ range: timeRange() }, raw, NOW_MS).range;
  const atMs = Date.UTC(2026, 0, 1, 10);
  for (const started of [
    '2026-01-01T10:00:00Z',
    '2026-01-01T05:00:00-05:00',
    '2026-01-01T12:00:00%2B02:00',
    '2026-01-01T12:00:00+02:00',
    '2026-01-01+12:00:00+02:00',
    '2026-01-01%2010:00Z',
  ]) {
    t.equal(read(`started=${started}`).startedMs, atMs, started);
  }
  t.strictSame(read('started=P1D&ended=PT12H'), { startedMs: NOW_MS - DAY_MS, endedMs: NOW_MS - DAY_MS / 2 });
  t.strictSame(read('started=&ended='), { startedMs: undefined, endedMs: undefined });
});

t.test('time range: a wrong range is refused', async (t) => {
  const name = (raw: string, options = {}) => problems({ range: timeRange(options) }, raw)[0]?.name;
  for (const text of [
    'yesterday',
    '2026-01-01',
    '2026-01-01T10:00:00',
    '2026-01-01+12:00',
    'P1X',
    '2026-13-01T00:00:00Z',
  ]) {
    t.equal(name(`started=${text}`), 'NOT_A_TIME', text);
  }
  t.strictSame(
    problems({ range: timeRange() }, 'started=x&ended=y').map(({ path }) => path),
    ['started', 'ended'],
  );
  t.equal(name('started=P1D&ended=P1D'), 'EMPTY_RANGE');
  t.equal(name('started=P1D&ended=P2D'), 'REVERSED_RANGE');
  t.equal(name('started=2027-01-01T00:00:00Z'), 'REVERSED_RANGE', 'ended counts as now');
  t.equal(name('', { isStartRequired: true }), 'MISSING_PARAMETER');
  t.equal(name('started=P32D', { daysMax: 31 }), 'RANGE_TOO_LONG', 'also when ended is left out');
  t.equal(name('started=P31D', { daysMax: 31 }), undefined);
  t.equal(
    name('ended=P40D', { daysMax: 31, startDefault: (nowMs: number) => nowMs - DAY_MS }),
    'REVERSED_RANGE',
  );
  const [problem] = problems(
    { range: timeRange({ names: ['data_started', 'data_ended'] }) },
    'data_started=x',
  );
  t.equal(problem?.path, 'data_started');
  const limited = timeRange({ daysMax: 31, startDefault: (nowMs) => nowMs - 7 * DAY_MS });
  t.strictSame(readQuery({ range: limited }, '', NOW_MS).range, {
    startedMs: NOW_MS - 7 * DAY_MS,
    endedMs: NOW_MS,
  });
});
