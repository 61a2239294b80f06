/** Files that are made to do harm cost little, and are refused with a sentence. */
import fc from 'fast-check';
import t from 'tap';
import { FILE_BYTES_MAX } from '../../../src/cli/apply/read-yaml.ts';
import { lintText } from './lint-files.ts';

function laughs(levels: number): string {
  const names = Array.from({ length: levels }, (_, index) => `a${index}`);
  const lines = names.map((name, index) => {
    const inner = index === 0 ? 'ha' : `*a${index - 1}`;
    return `${name}: &${name} [${Array(9).fill(inner).join(', ')}]`;
  });
  return `${lines.join('\n')}\n`;
}

t.test('hostile files: aliases that expand to a billion values are refused at the limit', async (t) => {
  t.match(lintText(laughs(20)).findings, [
    /^\d+:\d+: error: the file has more than 100000 values, those that aliases repeat included$/,
  ]);
});

t.test('hostile files: a file above the limit is not parsed', async (t) => {
  t.same(lintText(new Uint8Array(10 * 1_024 * 1_024).fill(0x61)).findings, [
    `1:1: error: the file has more than ${FILE_BYTES_MAX / 1_024 / 1_024} MiB`,
  ]);
});

t.test('hostile files: bytes that are not UTF-8 are refused', async (t) => {
  t.same(lintText(new Uint8Array([0x73, 0xff, 0xfe])).findings, ['1:1: error: the file is not UTF-8']);
});

t.test('hostile files: nesting beyond the limit is refused, even beyond that of the parser', async (t) => {
  const sentence = /^1:\d+: error: the file is nested deeper than 68 levels$/;
  for (const depth of [100, 20_000]) {
    const { findings } = lintText(`${'['.repeat(depth)}${']'.repeat(depth)}`);
    t.match(findings[0], sentence, `${depth} lists`);
  }
});

t.test('hostile files: 60,000 keys of one map, half of them repeated, are checked in time', async (t) => {
  const keys = Array.from({ length: 60_000 }, (_, index) => `  k${index % 30_000}: 1`);
  const { findings } = lintText(`set: words\njobs:\n${keys.join('\n')}\n`);
  t.equal(findings.length, 200, 'the list of findings is bounded');
});

t.test('hostile files: names of the prototype are refused, and nothing is changed', async (t) => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    const { expanded } = lintText(`set: words\njobs: {${name}: {run: ls, in: {${name}: file}}}\n`);
    t.ok(expanded.records.length <= 1);
  }
  t.equal(({} as { polluted?: unknown }).polluted, undefined);
  t.same(lintText('set: words\nworkspaces: {constructor: /tmp}\n').findings, []);
});

t.test('hostile files: a largest script, full of unclosed brackets, is checked in time', async (t) => {
  for (const piece of ['a[', '$((', '\n', '${', "$'", '<<E\n', '"', 'read ', '((']) {
    const script = JSON.stringify(piece.repeat(Math.floor(30_000 / piece.length)));
    lintText(`set: words\njobs: {count: {run: ${script}}}\n`);
  }
  t.pass('all were read');
});

const key = fc.constantFrom(
  ...[
    'set',
    'workspaces',
    'jobs',
    'job_types',
    'recipe',
    'recipes',
    'recipe_types',
    'strike',
    'strikes',
    'scan',
  ],
  ...[
    'run',
    'in',
    'out',
    'into',
    'job',
    'when',
    'if',
    'match',
    'regex',
    'watch',
    'rules',
    'manifest',
    'name',
  ],
  ...[
    'definition',
    'configuration',
    'nodes',
    'labels',
    'TEXT',
    'count',
    'large',
    'type',
    'pattern',
    '__proto__',
  ],
);
const leaf = fc.oneof(
  fc.constantFrom(
    'file',
    'integer',
    'count',
    'in.TEXT',
    'count.WORDS > 1',
    'not large',
    '*.txt',
    './in',
    'words',
  ),
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
);
const { document } = fc.letrec((tie) => ({
  document: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    leaf,
    fc.array(tie('document'), { maxLength: 4 }),
    fc.dictionary(key, tie('document'), { maxKeys: 6 }),
  ),
}));

t.test('lint never throws, whatever a file holds, and says the same each time', async (t) => {
  fc.assert(
    fc.property(fc.dictionary(key, document, { maxKeys: 8 }), (value) => {
      const text = JSON.stringify({ set: 'words', ...value });
      const [first, second] = [lintText(text), lintText(text)];
      return JSON.stringify(first) === JSON.stringify(second);
    }),
    { numRuns: 2_000 },
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      lintText(text);
      return true;
    }),
    { numRuns: 2_000 },
  );
  t.pass();
});
