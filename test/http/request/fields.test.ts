import { Type } from '@sinclair/typebox';
import t from 'tap';
import { fieldsOf, selected } from '../../../src/http/request/fields.ts';
import { readQuery } from '../../../src/http/request/parameters.ts';
import { reply } from '../../../src/http/route.ts';
import { document, orNull } from '../../../src/http/schema.ts';

const Inner = Type.Object({ id: Type.Integer(), name: Type.String() });
const Record = Type.Object({
  id: Type.Integer(),
  title: Type.String(),
  inner: orNull(Inner),
  list: Type.Array(Inner),
  map: Type.Record(Type.String(), Inner),
  configuration: document(),
  either: Type.Union([Type.Object({ a: Type.Integer() }), Type.Object({ b: Type.Integer() })]),
});
const inner = { id: 2, name: 'two' };
const record = {
  ...{ id: 1, title: 'one', inner, list: [inner, inner], map: { x: inner } },
  ...{ configuration: { broker: { type: 'host', host_path: '/a' } }, either: { b: 1 } },
};

const read = (query: string, isPage = false) =>
  readQuery({ fields: fieldsOf(Record, isPage) }, query, 0) as { fields: unknown };
const shown = (fields: string, body: unknown = record) =>
  selected(reply(200, body), read(`fields=${encodeURIComponent(fields)}`)).body;

t.test('fields: names reach into records, lists, maps and documents', async (t) => {
  const rows: readonly (readonly [string, object])[] = [
    ['title,id', { id: 1, title: 'one' }],
    [' id , ,', { id: 1 }],
    ['inner__name', { inner: { name: 'two' } }],
    ['inner.name,inner', { inner }],
    ['list.id', { list: [{ id: 2 }, { id: 2 }] }],
    ['map.x.name', { map: { x: { name: 'two' } } }],
    ['map.y', { map: {} }],
    ['configuration.broker.type', { configuration: { broker: { type: 'host' } } }],
    ['configuration.nothing.of.this', { configuration: {} }],
    ['either.b', { either: { b: 1 } }],
    ['either.a', { either: {} }],
  ];
  for (const [fields, expected] of rows) t.strictSame(shown(fields), expected, fields);
  t.strictSame(shown('inner.id', { ...record, inner: null }), { inner: null });
  t.equal(shown(''), record, 'empty is absent');
});

t.test('fields: a page keeps its own fields beside those of its records', async (t) => {
  const page = { count: 2, next: null, previous: null, results: [record, record] };
  t.strictSame(selected(reply(200, page), read('fields=id', true)).body, {
    ...page,
    results: [{ id: 1 }, { id: 1 }],
  });
});

t.test('fields: unknown names are refused with the nearest', async (t) => {
  const rows: readonly (readonly [string, RegExp])[] = [
    ['titel', /'titel' is not a field of this record; did you mean 'title'\?/],
    ['inner.nme', /did you mean 'name'/],
    ['title.x', /'title\.x' is not a field/],
    ['list.0', /known are: id, name/],
    ['inner.', /'inner\.' is not a field/],
    ['__proto__', /is not a field/],
    ['map.x.constructor', /is not a field/],
    ['x'.repeat(200), /…' is not a field/],
    [Array.from({ length: 201 }, (_, index) => `f${index}`).join(), /at most 200 fields/],
  ];
  for (const [fields, description] of rows) {
    const error = (() => {
      try {
        return read(`fields=${encodeURIComponent(fields)}`);
      } catch (error) {
        return error;
      }
    })();
    t.match(
      error,
      { code: 'INVALID_PARAMETER', detail: { errors: [{ path: 'fields', description }] } },
      fields,
    );
  }
});
