/** The house rules: this repository keeps them, and each breach is found. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import t, { type Test } from 'tap';
import { rewrap } from '../scripts/rewrap.ts';
import { drawRooms } from '../scripts/tidy/drawing.ts';
import { drawing, type Finding, tidy } from '../scripts/tidy/tidy.ts';

const ROOT = join(import.meta.dirname, '..');

/** A small tree without breaches: one file in each room, and all of them used. */
const GOOD: Record<string, string> = {
  'package.json': '{ "dependencies": { "pino": "1" }, "devDependencies": { "nats": "1", "tap": "1" } }',
  'src/lib/assert.ts': 'export const assert = 1;\n',
  'src/kernel/mod.ts': "import { assert } from '../lib/assert.ts';\nexport const mod = assert;\n",
  'src/domain/job.ts': "import { assert } from '../lib/assert.ts';\nexport const job = assert;\n",
  'src/store/jobs.ts':
    "import { job } from '../domain/job.ts';\nimport type { mod } from '../kernel/mod.ts';\n" +
    'export const jobs = (m: typeof mod) => [job, m];\n',
  'src/observe/log.ts': "import { pino } from 'pino';\nexport const log = pino;\n",
  'src/embedded/keep.ts': 'export const keep = 1;\n',
  'src/actors/job.messages.ts': 'export interface Cancel {}\n',
  'src/rpc/gateway.ts': "export type { Cancel } from '../actors/job.messages.ts';\n",
  'src/cli/programs.ts': 'export interface Programs {}\n',
  'src/main.ts':
    "import './store/jobs.ts';\nimport './observe/log.ts';\nimport './embedded/keep.ts';\n" +
    "import './rpc/gateway.ts';\nimport './cli/programs.ts';\n",
};

/** More files than a folder may have, and more lines than a room may. */
const CROWDED = {
  folder: Object.fromEntries(
    Array.from({ length: 21 }, (_, index) => [`test/many/n${index}.test.ts`, `export const n = ${index};\n`]),
  ),
  noun: Object.fromEntries(
    Array.from({ length: 17 }, (_, index) => [
      `src/${index < 9 ? 'actors' : 'store'}/strike/f${index}.ts`,
      `export const n = ${index};\n`,
    ]),
  ),
  room: Object.fromEntries(
    Array.from({ length: 31 }, (_, index) => [
      `src/lib/${index < 15 ? 'a' : 'b'}/n${index}.ts`,
      `export const n = ${index};\n${'\n'.repeat(390)}`,
    ]),
  ),
};

function findings(t: Test, changes: Record<string, string>): Finding[] {
  const root = t.testdir({});
  for (const [path, text] of Object.entries({ ...GOOD, ...changes })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return tidy(root);
}

t.test('tidy: this repository keeps the house rules', async (t) => {
  const found = tidy(ROOT).map(({ path, line, message }) => `${path}:${line}: ${message}`);
  t.strictSame(found.slice(0, 20), [], `${found.length} breaches; \`npm run tidy\` lists them`);
});

t.test('tidy: a tree without breaches has no findings', async (t) => {
  t.strictSame(findings(t, {}), []);
  const plain =
    `export function a(all: [number, number][]) {\n  // Some are parts\n  // ${'Of'} others.\n` +
    '  for (const one of all) for (const [b] of [one]) for (const { c } of Array.of({ c: b })) all.push([c, b]);\n}\n';
  t.strictSame(
    findings(t, { 'src/store/a.ts': plain, ...used('store/a.ts') }),
    [],
    'keywords and ordinary words are allowed',
  );
});

const used = (path: string) => {
  const from = path.startsWith('.') ? path : `./${path}`;
  return { 'src/main.ts': `${GOOD['src/main.ts']}import '${from}';\n` };
};

const BREACHES: [name: string, rule: Finding['rule'], path: string, text: string, words: RegExp][] = [
  [
    'a name that was replaced',
    'word',
    'src/domain/next.ts',
    "/** Insteadof of a JobPlan: prose is free. */\nexport interface JobPlan { readonly insteadOfIt: 'JobPlan' }\n",
    /JobPlan is called JobTypeRevision now/,
  ],
  [
    'a file name that was replaced',
    'word',
    'src/domain/put-off.ts',
    'export const later = 1;\n',
    /'put-off' is called 'defer-until-reload' now/,
  ],
  [
    'a hook of the agent opens a file by its path',
    'ban',
    'node-agent/task/hooks/next.ts',
    "import { type FileHandle, open } from 'node:fs/promises';\nexport const next = (h: FileHandle) => [h, open];\n",
    /goes by paths: use an open directory/,
  ],
  [
    'a broker looks at a file by its path',
    'ban',
    'src/storage/next.ts',
    "const { lstatSync } = await import('node:fs');\nexport const next = lstatSync;\n",
    /goes by paths: use an open directory/,
  ],
  [
    'domain imports the kernel',
    'law',
    'src/domain/a.ts',
    "import '../kernel/mod.ts';\n",
    /domain may not import kernel/,
  ],
  [
    'lib imports domain as a type',
    'law',
    'src/lib/a.ts',
    "import type { job } from '../domain/job.ts';\n",
    /lib may not/,
  ],
  [
    'the store takes a value of the kernel',
    'law',
    'src/store/a.ts',
    "import { mod } from '../kernel/mod.ts';\n",
    /as types/,
  ],
  [
    'one adapter imports another',
    'law',
    'src/observe/a.ts',
    "export * from '../store/jobs.ts';\n",
    /observe may not/,
  ],
  [
    'the coordinator starts the embedded database',
    'law',
    'src/coordinator/a.ts',
    "import '../embedded/keep.ts';\n",
    /coordinator may not import embedded/,
  ],
  [
    'the coordinator imports the command line',
    'law',
    'src/coordinator/a.ts',
    "import type { Programs } from '../cli/programs.ts';\n",
    /coordinator may not import root/,
  ],
  [
    'the embedded database imports the store',
    'law',
    'src/embedded/a.ts',
    "import type { jobs } from '../store/jobs.ts';\n",
    /embedded may not import store/,
  ],
  [
    'the store reads messages of actors',
    'law',
    'src/store/a.ts',
    "import type { Cancel } from '../actors/job.messages.ts';\n",
    /store may not import actors/,
  ],
  [
    'an import over several lines',
    'law',
    'src/lib/a.ts',
    "import {\n  job,\n} from '../domain/job.ts';\n",
    /lib may not/,
  ],
  [
    'an import() of another room',
    'law',
    'src/lib/a.ts',
    "export const a = () => import('../domain/job.ts');\n",
    /lib may/,
  ],
  ['a file that does not exist', 'missing', 'src/store/a.ts', "import './gone.ts';\n", /src\/store\/gone.ts/],
  [
    'a package in another room',
    'package',
    'src/store/a.ts',
    "import { connect } from 'nats';\n",
    /src\/transport/,
  ],
  [
    'an undeclared package',
    'package',
    'src/store/a.ts',
    "import x from 'left-pad';\n",
    /not in package.json/,
  ],
  [
    'a development package in the product',
    'package',
    'src/store/a.ts',
    "import x from 'tap';\n",
    /tests and scripts/,
  ],
  ['the clock in the domain', 'ban', 'src/domain/a.ts', 'export const a = () => Date.now();\n', /nowMs/],
  ['today in the store', 'ban', 'src/store/a.ts', 'export const a = () => new Date();\n', /nowMs/],
  [
    'a timer in the kernel',
    'ban',
    'src/kernel/a.ts',
    'export const a = () => setTimeout(() => 1, 5);\n',
    /Clock/,
  ],
  ['chance anywhere', 'ban', 'src/store/a.ts', 'export const a = () => Math.random();\n', /Rng/],
  ['waiting in the domain', 'ban', 'src/domain/a.ts', 'export const a = async () => 1;\n', /decides/],
  [
    'the environment outside config',
    'ban',
    'src/store/a.ts',
    'export const a = process.env.HOME;\n',
    /config/,
  ],
  ['console', 'ban', 'src/store/a.ts', "console.log('x');\n", /logger/],
  [
    'a banned call inside a template',
    'ban',
    'src/domain/a.ts',
    `export const a = () => \`$\{Date.now()}\`;\n`,
    /nowMs/,
  ],
  ['a long file', 'size', 'src/store/a.ts', '// line\n'.repeat(400), /400 lines/],
  [
    'a long function',
    'size',
    'src/store/a.ts',
    `export function a(): void {\n${'  a();\n'.repeat(69)}}\n`,
    /71 lines/,
  ],
  [
    'a long method',
    'size',
    'src/store/a.ts',
    `class A {\n  b() {\n${'    1;\n'.repeat(69)}  }\n}\n`,
    /71 lines/,
  ],
  ['a long line', 'size', 'src/store/a.ts', `// ${'x'.repeat(120)}\n`, /123 columns/],
  ['an event that is a sentence', 'event', 'src/store/a.ts', "log.warn('it failed', {});\n", /snake_case/],
  ['an event that varies', 'event', 'src/store/a.ts', 'this.#log.info(`waited for a`);\n', /snake_case/],
  ['a name that says nothing', 'name', 'src/store/utils.ts', 'export const a = 1;\n', /utils/],
  ['a manager', 'name', 'src/store/job-manager.ts', 'export const a = 1;\n', /job-manager/],
  [
    'a comment without its subject',
    'comment',
    'src/store/a.ts',
    `/** ${'Of'} a job. */\nexport const a = 1;\n`,
    /begin with what it is/,
  ],
  [
    'a longer comment without its subject',
    'comment',
    'src/store/a.ts',
    `/**\n * ${'Of'} a job, of\n * Of.\n */\nexport const a = 1;\n`,
    /begin with what it is/,
  ],
  [
    'a line comment without its subject',
    'comment',
    'src/store/a.ts',
    `const a = 1;\n// ${'Of'} a job.\n`,
    /begin with/,
  ],
  [
    'a parameter called of',
    'ban',
    'src/store/a.ts',
    'export const a = (of: string[]) => [1];\n',
    /of is banned here: name it/,
  ],
  [
    'a property called of',
    'ban',
    'src/store/a.ts',
    'export interface A {\n  /** X. */\n  readonly of: number;\n}\n',
    /name it/,
  ],
  [
    'a method called of',
    'ban',
    'src/store/a.ts',
    'class A {\n  b() {}\n\n  of(b: number) {}\n}\n',
    /name it/,
  ],
  ['work left over', 'leftover', 'src/store/a.ts', `// TO${'DO'}: later\n`, /do it/],
];

for (const [name, rule, path, text, words] of BREACHES) {
  t.test(`tidy: ${name} is a breach`, async (t) => {
    const found = findings(t, { [path]: text, ...used(relative('src', path)) });

    t.match(found, [{ path, rule, message: words }]);
    t.equal(found.length, 1);
  });
}

t.test('tidy: a circle of type imports is a breach', async (t) => {
  const found = findings(t, {
    'src/domain/a.ts': "import type { b } from './b.ts';\nexport const a = 1;\n",
    'src/domain/b.ts': "import { a } from './a.ts';\nexport const b = a;\n",
    ...used('domain/a.ts'),
  });
  t.match(found, [{ rule: 'cycle', message: 'src/domain/a.ts -> src/domain/b.ts -> src/domain/a.ts' }]);
});

t.test('tidy: a file that only its test imports is a breach', async (t) => {
  const found = findings(t, {
    'src/domain/a.ts': 'export const a = 1;\n',
    'test/domain/a.test.ts': "import '../../src/domain/a.ts';\n",
  });
  t.match(found, [{ path: 'src/domain/a.ts', rule: 'unused' }]);
});

for (const [name, text] of [
  ['a banned call in a comment', '// not Date.now()\n/* setTimeout(a) */\n'],
  ['a banned call in a string', "export const a = 'Date.now()';\n"],
  ['a quote in a regular expression', "export const a = /['\"`]/.test('x'); // Date.now()\n"],
  ['a date made from a number', 'export const a = new Date(5);\n'],
  ['a method called nowMs', 'export const a = (c: { nowMs(): number }) => c.nowMs();\n'],
  ['an import inside a template', "export const a = `\nimport '../kernel/mod.ts';\n`;\n"],
] as const) {
  t.test(`tidy: ${name} is no breach`, async (t) => {
    t.strictSame(findings(t, { 'src/domain/a.ts': text, ...used('domain/a.ts') }), []);
  });
}

t.test('tidy: a dependency that only tests import is a breach', async (t) => {
  const manifest =
    '{ "dependencies": { "pino": "1", "node": "1", "left-pad": "1" }, "devDependencies": { "nats": "1" } }';
  const test = "import 'left-pad';\n";
  const [found, ...others] = findings(t, { 'package.json': manifest, 'test/a.test.ts': test });
  t.match(found, { path: 'package.json', rule: 'package', message: /^left-pad: no program imports it/ });
  t.strictSame(others, [], 'pino is imported, node is found by its name');
});

t.test('rewrap: a comment that is too long continues in the next line', async (t) => {
  t.equal(rewrap(' * one two three\n * four\n */\n', 12), ' * one two\n * three\n * four\n */\n');
  t.equal(rewrap('  // one two three\nconst a = 1;', 12), '  // one two\n  // three\nconst a = 1;');
  t.equal(rewrap('/** one two three */', 16), '/**\n * one two three\n */');
});

t.test('rewrap: code, lists and addresses are unchanged', async (t) => {
  const text = "const a = 'one two three four';\n// https://example.org/one/two\n";
  t.equal(rewrap(text, 12), text);
  t.equal(rewrap(' * one two three\n * - item\n', 12), ' * one two\n * three\n * - item\n');
});

t.test('tidy: a folder with more than 20 files is a breach', async (t) => {
  const found = findings(t, CROWDED.folder).filter(({ rule }) => rule === 'size');
  t.strictSame(
    found.map(({ path, message }) => [path, message]),
    [['test/many', '21 files: make folders of 20 at most']],
  );
});

t.test('tidy: a room with more than 12,000 lines is a breach', async (t) => {
  const found = findings(t, CROWDED.room).filter(({ rule }) => rule === 'size');
  t.match(found, [{ path: 'src/lib', message: /^121\d\d lines: make rooms of 12000 at most$/ }]);
});

t.test('tidy: a strike that is read in more than 16 files is a breach', async (t) => {
  const found = findings(t, CROWDED.noun).filter(({ rule }) => rule === 'size');
  t.match(found, [{ path: 'src/actors/strike/f0.ts', message: 'a strike is read in 17 files: 16 at most' }]);
});

t.test('tidy: docs/rooms.svg shows the rooms of this repository', async (t) => {
  t.equal(readFileSync(join(ROOT, 'docs/rooms.svg'), 'utf8'), drawing(ROOT), 'else: npm run tidy -- --graph');
});

t.test(
  'tidy: arrows between rooms run downward, and those that follow from others are left out',
  async (t) => {
    const svg = drawRooms(
      new Map([
        ['api', new Set(['lib', 'store'])],
        ['store', new Set(['lib'])],
        ['lib', new Set()],
      ]),
    );
    const arrows = [...svg.matchAll(/d="M\d+ (\d+)C[^"]* (\d+)"/g)];
    t.equal(arrows.length, 2);
    for (const [, from, to] of arrows) t.ok(Number(from) < Number(to));
  },
);

t.test('tidy: rooms that import each other are not drawn', async (t) => {
  const circle = new Map([
    ['api', new Set(['store'])],
    ['store', new Set(['api'])],
  ]);
  t.throws(() => drawRooms(circle), /rooms import each other: api -> store -> api/);
});
