/** Each cause has a test that produces it over HTTP, and a row in the table of the guide. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { CAUSE_NAMES } from '../../src/domain/cause.ts';

const root = join(import.meta.dirname, '../..');
const made = join(root, 'test/e2e/why');

t.test('causes: each is produced by a test of test/e2e/why and explained in docs/why.md', async (t) => {
  const tests = readdirSync(made)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => readFileSync(join(made, name), 'utf8'))
    .join('\n');
  const page = readFileSync(join(root, 'docs/why.md'), 'utf8');
  const firstCells = page.split('\n').flatMap((line) => /^\| (`.*?) +\|/.exec(line)?.[1] ?? []);
  const explained = new Set(
    firstCells.flatMap((cell) => [...cell.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name)),
  );
  for (const name of CAUSE_NAMES) {
    t.ok(tests.includes(`'${name}'`), `${name} is produced`);
    t.ok(explained.has(name), `${name} is explained`);
  }
  const known: ReadonlySet<string> = new Set(CAUSE_NAMES);
  t.strictSame(
    [...explained].filter((name = '') => !known.has(name)),
    [],
    'the page explains no others',
  );
});
