/** The place of the first fault in a text that is not JSON. */
import fc from 'fast-check';
import t from 'tap';
import { faultSentence, jsonFault } from '../../../src/domain/document/json-fault.ts';

t.test('json fault: it names line and column, and what is expected there', async (t) => {
  const rows: readonly (readonly [string, string])[] = [
    ['{"a": hunter2}', 'at line 1, column 7, a value'],
    ['{\n  "a": 1\n  "b": 2\n}', `at line 3, column 3, ',' or '}' is expected`],
    ['{"a": 1,}', 'at line 1, column 9, a name in double quotes after the comma is expected'],
    ['[1, 2,\n]', 'at line 2, column 1, a value (an object'],
    [`{'a': 1}`, 'at line 1, column 2, a name in double quotes is expected'],
    ['{"a" 1}', `at line 1, column 6, ':' is expected`],
    ['{"a": 1}}', 'at line 1, column 9, the end of the text is expected'],
    ['{"a": 01}', 'at line 1, column 8, a JSON number is expected'],
    ['{"a": 1.x}', 'at line 1, column 9, a JSON number is expected'],
    ['{"a": "x\ny"}', 'at line 1, column 9, an escape such as \\n'],
    ['{"a": "\\x"}', 'at line 1, column 8, a JSON escape'],
    ['{"a": True}', 'at line 1, column 7, a value'],
    ['{"ä": 1, "b": }', 'at line 1, column 15, a value'],
  ];
  for (const [text, expected] of rows) {
    const fault = jsonFault(text);
    t.ok(fault && faultSentence(fault).startsWith(expected), `${text}: ${fault && faultSentence(fault)}`);
    t.equal(fault?.isCutShort, false, text);
  }
});

t.test('json fault: a text that is cut anywhere ends too early', async (t) => {
  const text = '{"a": [1, -2.5e+3, true, {"b": "c\\u00e4\\n"}],\n "d": null}';
  for (let length = 0; length < text.length; length += 1) {
    const cut = text.slice(0, length);
    const fault = jsonFault(cut);
    t.equal(fault?.isCutShort, true, cut);
    const lines = cut.split('\n');
    const place = `it ends too early, at line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}: `;
    t.ok(fault && faultSentence(fault).startsWith(place), cut);
  }
  t.equal(jsonFault(text), undefined);
});

t.test('json fault: a fault is found in exactly the texts that JSON.parse refuses', async (t) => {
  const piece = fc.constantFrom(
    ...'{}[]:,"\\-+.01eEutn \n\u0001ab'.split(''),
    'true',
    'null',
    '"a":',
    '[1]',
    '"x"',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(piece, { maxLength: 12 }).map((all) => all.join('')),
        fc.json(),
      ),
      (text) => {
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        return (jsonFault(text) === undefined) === isJson;
      },
    ),
    { numRuns: 20_000 },
  );
  fc.assert(
    fc.property(fc.json(), fc.nat(), (text, at) => {
      const cut = text.slice(0, at % (text.length + 1));
      return jsonFault(cut)?.isCutShort ?? true;
    }),
    { numRuns: 5_000 },
  );
  t.pass('both agree');
});
