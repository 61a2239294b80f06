/** One pass over the bytes of a JSON text finds exactly what a walk over the parsed document counts. */
import fc from 'fast-check';
import t from 'tap';
import { roundedInteger, scanJson, startsObject } from '../../../src/domain/document/json-scan.ts';
import { JSON_DEPTH_MAX, JSON_VALUES_MAX } from '../../../src/domain/document/json-value.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const scanText = (text: string) => scanJson(bytesOf(text));

/** Values of a document, containers included. */
function countOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, item) => sum + countOf(item), 1);
}

/** Parts of a document: members, objects and arrays. */
function partsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce<number>((sum, item) => sum + partsOf(item), 1 + members);
}

/** A text whose first item is `text`, filled up with numbers to so many values. */
function filledTo(count: number, text: string): string {
  const missing = count - 1 - countOf(JSON.parse(text));
  return `[${text}${',1'.repeat(missing)}]`;
}

t.test('json scan: 500,000 values of any kind are accepted, and one more is refused', async (t) => {
  const shapes = [
    '1',
    '[]',
    '{}',
    ' [ ] ',
    '[[],[ ],{},{ }]',
    '{"a":{"b":[1,{"c":null}]},"d":"e"}',
    '"[[[{{{,,,:::"',
    '"\\"[,\\\\"',
    '{"\\\\":",","]\\"[":{}}',
    '"é😀,"',
  ];
  for (const shape of shapes) {
    t.equal(scanText(filledTo(JSON_VALUES_MAX, shape)), undefined, shape);
    const refused = scanText(filledTo(JSON_VALUES_MAX + 1, shape));
    t.match(refused, { path: '', description: /more than 500000 values/ }, shape);
  }
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 2 }), (value, spaces) => {
      const text = JSON.stringify(value, null, spaces);
      const passes = scanText(filledTo(JSON_VALUES_MAX, text)) === undefined;
      return passes && scanText(filledTo(JSON_VALUES_MAX + 1, text)) !== undefined;
    }),
    { numRuns: 30 },
  );
});

t.test('json scan: as many parts as the limit are accepted, and one more is refused', async (t) => {
  const passes = (text: string, partsMax: number) => scanJson(bytesOf(text), partsMax) === undefined;
  const shapes = [
    '1',
    '[]',
    '{}',
    '[1,2,3]',
    '{"a":{"b":[1,{"c":null}]},"d":"e"}',
    '{"::[{":",:","\\":":[{}]}',
  ];
  for (const shape of shapes) {
    const count = partsOf(JSON.parse(shape));
    t.ok(passes(shape, count), shape);
    if (count > 0) t.notOk(passes(shape, count - 1), shape);
  }
  t.match(scanJson(bytesOf('{"a":[],"b":{}}'), 4), {
    path: '',
    description: /has 5 parts \(members of objects, objects and arrays\), and at most 4 are taken/,
  });
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 2 }), (value, spaces) => {
      const text = JSON.stringify(value, null, spaces);
      const count = partsOf(JSON.parse(text));
      return passes(text, count) && (count === 0 || !passes(text, count - 1));
    }),
  );
});

t.test('json scan: nesting is refused one level beyond the limit, at its path', async (t) => {
  const nested = (levels: number, open: string, close: string) =>
    `${open.repeat(levels)}1${close.repeat(levels)}`;
  t.equal(scanText(nested(JSON_DEPTH_MAX, '[', ']')), undefined);
  t.equal(scanText(nested(JSON_DEPTH_MAX, '{"a":', '}')), undefined);
  const arrays = scanText(nested(JSON_DEPTH_MAX + 1, '[', ']'));
  t.same(arrays, { path: '[0]'.repeat(64), description: 'the document is nested deeper than 64 levels' });
  const objects = scanText(nested(JSON_DEPTH_MAX + 1, '{"a":', '}'));
  t.equal(objects?.path, new Array(64).fill('a').join('.'));
  const mixed = `{"b":"x","list":[1,{"p\\"q":[]},${nested(63, '[', ']')}]}`;
  t.equal(scanText(mixed)?.path, `list[2]${'[0]'.repeat(62)}`);
  t.equal(scanText(`{"p\\"q":${nested(64, '[', ']')}}`)?.path, `["p\\"q"]${'[0]'.repeat(63)}`);
  t.equal(scanText('[]'.repeat(100_000)), undefined, 'brackets that are closed again do not count');
});

t.test('json scan: no bytes make it throw', async (t) => {
  t.match(scanText('['.repeat(9_000_000)), { description: /nested deeper/ });
  for (const text of ['', '"', '"\\', ']]]]', ',', ':', '{:', '{]{]'.repeat(1_000), '\u0000']) scanText(text);
  t.match(scanText(`${'{:'.repeat(70)}`), { description: /nested deeper/ });
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const problem = scanJson(bytes);
      return problem === undefined || typeof problem.path === 'string';
    }),
  );
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('[', '{', ':', ',', '"', '\\', ']'), maxLength: 400 }),
      (text) => {
        const problem = scanText(text);
        return problem === undefined || /nested deeper/.test(problem.description);
      },
    ),
  );
});

t.test('json scan: a text is taken for an object by its first character', async (t) => {
  for (const text of ['{}', ' \n\t{', '{"a":1}']) t.ok(startsObject(bytesOf(text)), text);
  for (const text of ['', ' ', '[{}]', '1', '"{"']) t.notOk(startsObject(bytesOf(text)), text);
});

t.test('json scan: exactly the integers that a double rounds are found, at their place', async (t) => {
  const found = (text: string) => roundedInteger(bytesOf(text));
  t.match(found('[1, "9007199254740993", {"a": -9007199254740993, "b": 9007199254740995}]'), {
    path: '[2].a',
    description: 'the value -9007199254740993 cannot be kept exactly: give integers beyond 2^53 as texts',
  });
  t.equal(found('9007199254740993')?.path, '');
  const kept = ['9007199254740992', '9007199254740993.5', '9007199254740993e3', '1e400', '9'.repeat(400)];
  for (const text of [...kept, '{"9007199254740993":0}', '["\\\\",1]', '-', ''])
    t.equal(found(text), undefined, text);
  t.equal(found(`[${'9'.repeat(8_000_000)}]`), undefined, 'a long one is not read exactly');
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }), fc.string(), (integer, key) => {
      const text = `{${JSON.stringify(key)}: [0, ${integer}]}`;
      const isKept = BigInt(Number(integer)) === integer || String(Number(integer)) === String(integer);
      return (found(text) === undefined) === isKept;
    }),
  );
  fc.assert(
    fc.property(fc.double({ noDefaultInfinity: true, noNaN: true }), (value) => {
      return found(JSON.stringify([value])) === undefined;
    }),
  );
});
