/** Which changes make what a page shows out of date. */
import t from 'tap';
import type { Change } from '../../src/client/operations.ts';
import { concerns, shows } from '../../src/console/live/shown.ts';
import { type Grid, isInGrid } from '../../src/console/recipe-type/grid-changes.ts';

const change = (kind: Change['kind'], id: number, rest: Partial<Change> = {}): Change => ({
  ...{
    kind,
    id,
    what: 'status',
    from: null,
    to: null,
    object_version: 1,
    cursor: 'c',
    at: '2026-01-02T03:04:05Z',
  },
  ...rest,
});

t.test('live changes: a page reads changes of its kinds and of its object only', async (t) => {
  const { shown: all } = shows(['job']).meta;
  t.ok(concerns(all, change('job', 1)));
  t.notOk(concerns(all, change('file', 1)));
  const { shown: one } = shows(['recipe', 'job'], 7).meta;
  t.ok(concerns(one, change('recipe', 7)));
  t.notOk(concerns(one, change('recipe', 8)));
  t.ok(concerns(one, change('job', 1, { recipe_id: 7 })));
  t.notOk(concerns(one, change('job', 7, { recipe_id: 8 })));
});

t.test('live changes: a grid is read again only for changes of what it shows', async (t) => {
  const grid = (kind: 'job' | 'recipe') =>
    ({ recipes: [{ id: 7 }, { id: 8 }], nodes: [{ name: 'A', node_type: kind, ids: [1, 2] }] }) as Grid;
  const { shown } = shows(['recipe', 'job', 'condition'], (one, read: Grid) => isInGrid(one, 3, read)).meta;
  const isStale = (one: Change, read: Grid | undefined = grid('job')) => concerns(shown, one, read);
  t.ok(isStale(change('job', 1, { recipe_id: 7 })));
  t.ok(isStale(change('condition', 1, { recipe_id: 8 })));
  t.ok(isStale(change('recipe', 8, { recipe_type_id: 9 })), 'a recipe that it shows');
  t.ok(isStale(change('recipe', 9, { recipe_type_id: 3 })), 'a new recipe of its type');
  t.notOk(isStale(change('recipe', 9, { recipe_type_id: 4 })));
  t.notOk(isStale(change('job', 7, { recipe_id: 9 })));
  t.notOk(isStale(change('job', 7)), 'a job without a recipe');
  t.notOk(isStale(change('file', 7, { recipe_id: 7 })), 'another kind');
  t.ok(
    isStale(change('job', 7, { recipe_id: 9 }), grid('recipe')),
    'it may be inside of a recipe that is a node',
  );
  t.ok(concerns(shown, change('job', 7)), 'what has read nothing yet has no reason to wait');
});
