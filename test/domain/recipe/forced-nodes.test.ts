import t from 'tap';
import { validateForcedNodes } from '../../../src/domain/recipe/forced-nodes.ts';

for (const [document, path] of [
  [null, ''],
  [[], ''],
  [{}, 'all'],
  [{ all: 'yes' }, 'all'],
  [{ all: null }, 'all'],
  [{ all: false, nodes: 'A' }, 'nodes'],
  [{ all: false, nodes: ['A', 1] }, 'nodes[1]'],
  [{ all: false, sub_recipes: [] }, 'sub_recipes'],
  [{ all: false, sub_recipes: { S: 1 } }, 'sub_recipes.S'],
  [{ all: false, sub_recipes: { S: {} } }, 'sub_recipes.S.all'],
  [{ all: false, more: 1 }, 'more'],
] as const) {
  t.test(`validateForcedNodes: refuses ${JSON.stringify(document)}`, (t) => {
    const checked = validateForcedNodes(document);
    t.notOk(checked.ok);
    if (!checked.ok)
      t.ok(
        checked.errors.some((error) => error.path === path),
        JSON.stringify(checked.errors),
      );
    t.end();
  });
}

t.test('forced nodes: at most ten thousand may be named in all, and the rest is not read', (t) => {
  const inner = (count: number) => ({
    all: false,
    nodes: Array.from({ length: count }, (_, at) => `n${at}`),
  });
  const document = (count: number, last: unknown) => ({
    all: false,
    sub_recipes: {
      ...Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`s${at}`, inner(count)])),
      last,
    },
  });
  const most = validateForcedNodes(document(998, inner(9)));
  t.ok(most.ok);
  const refused = validateForcedNodes(document(998, inner(10)));
  t.match(refused, {
    ok: false,
    errors: [{ path: '', description: 'at most 10000 nodes are named in all' }],
  });
  t.match(
    validateForcedNodes(document(1_000, { all: 1 })),
    { errors: { length: 1 } },
    'it is the only error',
  );
  t.end();
});
