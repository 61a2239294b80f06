/** In a new service, the pages lead to a directory that is watched: by a job type and a recipe type that it begins. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { until } from '../../e2e/harness/until.ts';
import { needsBrowser } from '../../support/browser.ts';
import { axeFindings } from '../axe.ts';
import { openPage, startConsole } from '../console-world.ts';

t.test('console: the first types of a new service', needsBrowser(), async (t) => {
  const world = await startConsole(t);
  const { page, troubles } = await openPage(t, world, '/');

  await t.test('forms say what has to be created before them', async (t) => {
    for (const [path, title, leadsTo] of [
      ['/console/scans/new/', 'There is no workspace yet', '/console/workspaces/'],
      ['/console/batches/new/', 'There is no dataset yet', '/console/datasets/new/'],
      ['/console/new-recipe-type/', 'There is no job type yet', '/console/new-job-type/'],
    ] as const) {
      await page.goto(new URL(path, world.url).href);
      await page.locator(`main section:has-text("${title}") a[href="${leadsTo}"]`).waitFor();
      t.strictSame(await axeFindings(page), [], path);
    }
  });

  await t.test('types of diagnostics offer no revision and no directory', async (t) => {
    for (const [path, chosen] of [
      ['/console/job-types/millrace-bake/1.0.0/?tab=edit', 'Manifest'],
      ['/console/recipe-types/millrace-bake/?tab=edit', 'Last recipes'],
    ] as const) {
      await page.goto(new URL(path, world.url).href);
      await page.locator(`.tabs .chosen:text-is("${chosen}")`).waitFor();
      t.equal(await page.locator('.tabs a:text-is("New revision")').count(), 0);
    }
    await page.locator('.empty:has-text("take no file") a[href="/docs/guide/diagnostics/"]').waitFor();
    for (const path of ['/console/job-types/millrace-bake/1.0.0/', '/console/recipe-types/millrace-bake/']) {
      await page.goto(new URL(`${path}?tab=revisions`, world.url).href);
      await page.locator('h2:text-is("Revision 1 is the only one")').waitFor();
      t.equal(await page.locator('main a:text-is("Create a new revision")').count(), 0);
    }
  });

  await t.test('the overview leads from nothing to a watched directory', async (t) => {
    await page.goto(world.url);
    await page.click('.first-step a:text-is("Create a job type")');
    await page.click('button:text-is("Create job type"):not(:disabled)');
    await page.waitForURL(/\/console\/job-types\/count-bytes\/1\.0\.0\//);
    await page.click('.page-actions a:text-is("New recipe type")');
    await page.locator('.react-flow__node:has-text("count-bytes")').waitFor();
    await page.click('button:text-is("Create recipe type"):not(:disabled)');
    await page.waitForURL(/\/console\/recipe-types\/count-bytes\//);
    const { json } = await world.call('GET', '/v6/recipe-types/count-bytes/');
    t.match(json, { title: 'Count bytes', definition: { input: { files: [{ name: 'FILE' }] } } });
    t.match(json.definition.nodes['count-bytes'].input, { FILE: { type: 'recipe', input: 'FILE' } });
    const directory = join(world.folder, 'first-arrivals');
    mkdirSync(directory);
    await page.goto(world.url);
    await page.locator('.first-step').getByLabel('Directory', { exact: true }).fill(directory);
    await page.click('.first-step button:text-is("Watch")');
    await page.waitForURL(/\/console\/strikes\/\d+\//);
    const [, id = ''] = /(\d+)\/$/.exec(page.url()) ?? [];
    const strike = await world.call('GET', `/v6/strikes/${id}/`);
    t.equal(strike.json.configuration.recipe.name, 'count-bytes');
  });

  await t.test('a new recipe type can begin with a job type that there is', async () => {
    await page.goto(new URL('/console/new-recipe-type/', world.url).href);
    await page.click('main a:text-is("Count bytes")');
    await page.locator('.react-flow__node:has-text("count-bytes")').waitFor();
  });

  await t.test('a recipe type is tried with a recorded file', async (t) => {
    writeFileSync(join(world.folder, 'first-arrivals', 'one.txt'), 'four');
    const { id } = await until('the file has arrived', async () => {
      const { json } = await world.call('GET', '/v6/files/?file_name=one.txt');
      return json.results[0];
    });
    await page.goto(new URL('/console/recipe-types/count-bytes/?tab=try', world.url).href);
    await page.getByLabel('FILE', { exact: true }).fill('one.txt');
    await page.locator(`.field:has-text("File ${id}, one.txt, 4 B")`).waitFor();
    t.strictSame(await axeFindings(page), []);
    await page.click('button:text-is("Start the recipe"):not(:disabled)');
    await page.waitForURL(/\/console\/recipes\/\d+\/$/);
    const [, recipe] = /(\d+)\/$/.exec(page.url()) ?? [];
    const { json } = await world.call('GET', `/v6/recipes/${recipe}/`);
    t.match(json, {
      recipe_type: { name: 'count-bytes' },
      event: { type: 'USER' },
      input: { files: { FILE: [id] } },
    });
  });

  t.strictSame(troubles, [], 'no error, no failed request');
});
