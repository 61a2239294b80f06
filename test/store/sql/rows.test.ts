import fc from 'fast-check';
import t from 'tap';
import { idArray, JsonText, RowSet, textArray } from '../../../src/store/sql/rows.ts';
import { UniformRows } from '../../../src/store/sql/uniform-rows.ts';
import { storeWorld } from '../store-world.ts';
import { heardSql } from './heard-sql.ts';

interface Row {
  readonly id: number;
  readonly int: number | null;
  readonly amount: number | null;
  readonly text: string | null;
  readonly flag: boolean | null;
  readonly json: unknown;
  readonly written: unknown;
  readonly at: number | null;
  readonly ids: readonly number[];
  readonly texts: readonly string[];
}

const ROWS = new RowSet<Row>([
  ['id', 'id', (row) => row.id],
  ['int', 'int', (row) => row.int],
  ['amount', 'number', (row) => row.amount],
  ['text', 'text', (row) => row.text],
  ['flag', 'bool', (row) => row.flag],
  ['json', 'json', (row) => row.json],
  ['written', 'json', (row) => new JsonText(JSON.stringify(row.written))],
  ['at', 'ms', (row) => row.at],
  ['ids', 'ids', (row) => row.ids],
  ['texts', 'texts', (row) => row.texts],
]);

const world = await storeWorld(t);
const echo = (rows: readonly Row[]) =>
  world.rows<Row>(`select * from ${ROWS.table('d')} order by id`, ROWS.params(rows));

// What PostgreSQL takes in text: no NUL, no lone surrogates. Borders refuse those.
function anyRow() {
  const text = fc.string({ unit: 'grapheme' }).map((value) => value.replaceAll('\0', ''));
  const json = fc.dictionary(
    text,
    fc.oneof(
      text,
      fc.constantFrom('\n"\\', '\t\u0001\u001f\u007f', '\u2028{},'),
      fc.integer(),
      fc.array(text),
    ),
  );
  const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
  return fc
    .record({
      int: maybe(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
      amount: maybe(fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)),
      text: maybe(text),
      flag: maybe(fc.boolean()),
      json,
      written: json,
      at: maybe(fc.integer({ min: 0, max: 4_102_444_800_000 })),
      ids: fc.array(fc.nat()),
      texts: fc.array(text),
    })
    .map(
      (one): Omit<Row, 'id'> => ({
        ...one,
        json: JSON.parse(JSON.stringify(one.json)) as unknown,
        written: JSON.parse(JSON.stringify(one.written)) as unknown,
      }),
    );
}

t.test('rows: any value is read back as it was written', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyRow(), { maxLength: 20 }), async (list) => {
      const rows = list.map((one, id) => ({ ...one, id }));
      t.same(await echo(rows), rows);
    }),
    { numRuns: 40 },
  );
});

t.test('rows: those that are alike are read back as well, and those that are not', async (t) => {
  const alike = new UniformRows('rows_alike', ROWS, ['id', 'text'], (table) => `select * from ${table}`);
  const names: string[] = [];
  const sql = heardSql(world.db.sql, ({ name }) => void names.push(name));
  await fc.assert(
    fc.asyncProperty(anyRow(), anyRow(), fc.boolean(), async (one, other, areAlike) => {
      const rows = [
        { ...one, id: 1 },
        { ...(areAlike ? structuredClone(one) : other), id: 2, text: other.text },
      ];
      const read = await alike.execute<Row>(sql, rows);
      t.same(
        [...read].sort((a, b) => a.id - b.id),
        rows,
      );
      if (areAlike) t.equal(names.at(-1), 'rows_alike_alike');
    }),
    { numRuns: 40 },
  );
  t.same(await alike.execute(sql, []), [], 'none');
});

t.test('rows: the words null and NULL are texts', async (t) => {
  const base = { id: 1, int: 1, amount: 1, flag: true, json: {}, written: {}, at: 0, ids: [] };
  const rows = [{ ...base, text: 'null', texts: ['NULL', 'null', '', '{}', '","'] }];
  t.same(await echo(rows), rows);
});

t.test('rows: NaN is refused before it is sent', async (t) => {
  const row = {
    id: Number.NaN,
    int: 1,
    amount: 1,
    text: '',
    flag: true,
    json: {},
    written: {},
    at: 0,
    ids: [],
    texts: [],
  };
  t.throws(() => ROWS.params([row]), { name: 'AssertionError' });
});

t.test('instants: those of any year are read, as rows of earlier releases can have them', async (t) => {
  for (const [text, iso] of [
    ['4713-01-01 00:00:00+00 BC', '-004712-01-01T00:00:00Z'],
    ['0001-12-31 14:00:00.5+00 BC', '+000000-12-31T14:00:00.500Z'],
    ['0001-01-01 00:00:00+00', '0001-01-01T00:00:00Z'],
    ['9999-12-31 23:59:59.999+00', '9999-12-31T23:59:59.999Z'],
    ['10000-01-01 09:00:00.25+00', '+010000-01-01T09:00:00.250Z'],
    ['275760-09-12 00:00:00+00', '+275760-09-12T00:00:00Z'],
  ])
    t.same(await world.db.sql.execute(`select timestamptz '${text}' as at`), [{ at: Date.parse(iso ?? '') }]);
});

t.test('arrays: ids and texts are one parameter each', async (t) => {
  t.same(
    await world.rows('select $1::bigint[] as ids, $2::text[] as texts', [
      idArray(new Set([3, 1])),
      textArray(['a"b', 'c\\']),
    ]),
    [{ ids: [3, 1], texts: ['a"b', 'c\\'] }],
  );
});
