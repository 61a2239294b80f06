/** The pages of docs/: what they name exists, and the list of tables is complete. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ENTITIES } from '../../src/store/tables.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = ['README.md', 'src/kernel/README.md', ...globSync('docs/*.md', { cwd: ROOT })];
/** What the examples of contributing.md create. */
const EXAMPLES =
  /^(node-agent\/executor\/echo\.ts|src\/actors\/reminder\/.*|(src\/api|test\/api|src\/store)\/events?\/.*)$/;
const IN_TREE = /`((?:src|test|node-agent|bench|scripts|proto|deploy)\/[\w./-]+)`/g;

const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');

t.test('pages: every file and folder of the tree that a page names exists', async (t) => {
  const named = PAGES.flatMap((page) =>
    [...read(page).matchAll(IN_TREE)].map((found) => [page, found[1] ?? '']),
  );
  t.ok(named.length > 100, `${named.length} are named`);
  t.strictSame(
    named.filter(([, path = '']) => !EXAMPLES.test(path) && !existsSync(join(ROOT, path))),
    [],
  );
});

t.test('pages: architecture.md says who writes each table', async (t) => {
  const [, section = ''] = read('docs/architecture.md').split('\n## Tables, and who writes them\n');
  const [table = ''] = section.split('\n## ');
  const tables = ENTITIES.map(({ meta }) => meta.tableName);
  t.ok(tables.length > 50, `${tables.length} tables`);
  t.strictSame(
    tables.filter((name) => !table.includes(`\`${name}\``)),
    [],
  );
});
