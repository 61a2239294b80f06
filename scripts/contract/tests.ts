/**
 * The tests of a file, read from its text: their titles and their code. A test begins where `t.test('` is at the
 * margin, as everywhere in this tree, and ends where the next one begins, so no compiler is needed.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface TestBlock {
  readonly file: string;
  readonly name: string;
  readonly text: string;
}

/** Tests of the interface: without a socket first, then of whole programs. */
const PATTERNS = ['test/api/**/*.test.ts', 'test/http/**/*.test.ts', 'test/e2e/**/*.test.ts'];
/** They speak to the interface by other ways, or to all of its routes at once. */
const OTHERS = /^test\/(api\/(compat|pages)|http\/guard)\//;

export function readTests(root: string): TestBlock[] {
  return PATTERNS.flatMap((pattern) => globSync(pattern, { cwd: root }).sort())
    .filter((file) => !OTHERS.test(file))
    .flatMap((file) => testsIn(file, readFileSync(join(root, file), 'utf8')));
}

export function testsIn(file: string, text: string): TestBlock[] {
  const begins = [...text.matchAll(/^(?: {2})?t\.test\(\s*(['"`])(.*?)\1/gms)];
  // Whatever is before the first test (cases, helpers, a loop around tests) belongs to all of them.
  const shared = text.slice(0, begins[0]?.index ?? text.length);
  return begins.map((begin, index) => ({
    file,
    name: begin[2] ?? '',
    // Without the title: a word of a sentence is no use of the parameter of that name.
    text: `${text.slice(begin.index + begin[0].length, begins[index + 1]?.index)}\n${shared}`,
  }));
}
