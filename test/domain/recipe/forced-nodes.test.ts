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
