/** Pages of recipes and types, with their tabs: no error, no finding of axe-core, fit for a phone. */
import t from 'tap';
import { needsBrowser } from '../support/browser.ts';
import { checkPages } from './checked-pages.ts';
import { startConsole } from './console-world.ts';
import { createTypes, settled } from './recipes-world.ts';

const type = '/console/recipe-types/console-recipe/';

t.test('pages of recipes and types in a browser', needsBrowser(), async (t) => {
  const world = await startConsole(t);
  const types = await createTypes(world);
  const recipe = await types.start();
  await settled(world, recipe);
  const again = await world.call('POST', `/v6/recipes/${recipe}/reprocess/`, {
    forced_nodes: { all: false, nodes: ['pack'] },
  });
  t.equal(again.status, 202);
  const current = (await world.call('GET', `/v6/recipes/${recipe}/`)).json.superseded_by_recipe.id;
  await settled(world, current);

  await t.test('no page has an error, a finding of axe-core, or is too wide', async (t) => {
    await checkPages(t, world, [
      ...['/console/recipes/', '/console/recipes/?state=superseded&order=id', `/console/recipes/${current}/`],
      ...[
        '/console/recipe-types/',
        type,
        `${type}?tab=definition`,
        `${type}?tab=revisions`,
        `${type}?tab=try`,
        `${type}?tab=edit`,
      ],
      ...['/console/job-types/', '/console/job-types/measure/1.0.0/', '/console/new-job-type/'],
      ...['/console/job-types/measure/1.0.0/?tab=revisions', '/console/job-types/measure/1.0.0/?tab=edit'],
    ]);
  });
});
