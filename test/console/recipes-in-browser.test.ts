/** Recipes and types in a real browser: graphs, grids, reprocessing, editors. */
import t, { type Test } from 'tap';
import { needsBrowser } from '../support/browser.ts';
import { type ConsoleWorld, openPage, startConsole } from './console-world.ts';
import { goTo, tabTo } from './keyboard.ts';
import { createTypes, settled } from './recipes-world.ts';

const type = '/console/recipe-types/console-recipe/';

interface Shown {
  readonly world: ConsoleWorld;
  readonly recipe: number;
  /** The recipe that superseded it. */
  readonly current: number;
}

async function graphs(t: Test, { world, recipe, current }: Shown): Promise<void> {
  const { page, troubles } = await openPage(t, world, `/console/recipes/${current}/`);
  const box = (name: string) => page.locator(`.graph-box:has(.title[title="${name}"])`);
  await box('is-large').waitFor();
  t.match(await box('is-large').textContent(), `100 < 5644`, 'the value that was compared');
  t.match(await box('is-large').textContent(), 'Accepted');
  t.match(await box('check').textContent(), /Failed.*job \d+/);
  t.match(
    await page.locator('.graph-box.faint .title').allTextContents(),
    ['copy'],
    'what never runs steps back',
  );
  t.equal(await box('first').count(), 0);
  await box('inner').locator('button:has-text("Open")').click();
  await box('first').waitFor();
  await page.waitForURL(/\?open=\d+$/);
  await page.reload();
  await box('first').waitFor();
  t.match(await box('second').textContent(), 'Completed', 'a recipe inside opens in its place');
  await box('inner').locator('button:has-text("Close")').click();
  await box('first').waitFor({ state: 'detached' });
  await page.locator('section[aria-label=Input] code:has-text("<img src=x onerror=")').waitFor();
  t.equal(await page.locator('main img').count(), 0, 'a text stays a text');
  const lines = page.locator('.span-line .span-name');
  await lines.first().waitFor();
  t.strictSame(await lines.allTextContents(), ['pack'], 'what was kept ran before');
  const chain = page.locator('section[aria-label=Chain] tbody tr');
  await chain.nth(1).waitFor();
  t.equal(await chain.count(), 2);
  t.match(await chain.first().textContent(), /pack/, 'what was made again');
  await chain.first().locator('button').click();
  await page.waitForURL(/\?compared=\d+$/);
  await page.reload();
  const difference = page.locator('.difference');
  await difference.locator(`h3:has-text("Recipe ${current}, compared with ${recipe}")`).waitFor();
  t.match(await difference.textContent(), /definition is the same.*inputs are equal.*products are equal/);
  await page.goto(new URL(`/console/recipes/${recipe}/`, world.url).href);
  await lines.nth(4).waitFor();
  t.strictSame(
    (await lines.allTextContents()).sort(),
    ['check', 'inner / first', 'inner / second', 'measure', 'pack'],
    'jobs of the recipe inside have their lines',
  );
  t.strictSame(troubles, []);
}

async function reprocesses(t: Test, { world, current }: Shown): Promise<void> {
  const { page, troubles } = await openPage(t, world, `/console/recipes/${current}/`);
  await page.locator('button:has-text("Run again from check")').click();
  const dialog = page.locator('.dialog');
  await dialog.locator('dd:has-text("measure")').waitFor();
  t.match(await dialog.textContent(), /Made again1 node: check/);
  await dialog.locator('button.primary:not(:disabled)').click();
  await page.waitForURL((url) => !url.pathname.includes(`/${current}/`));
  const { json } = await world.call('GET', `/v6/recipes/${current}/`);
  t.equal(
    page.url().endsWith(`/console/recipes/${json.superseded_by_recipe.id}/`),
    true,
    'it leads to the new one',
  );
  await settled(world, json.superseded_by_recipe.id);
  await page.locator(`h1:has-text("${json.superseded_by_recipe.id}")`).waitFor();
  await page.locator('.page-head .status:has-text("Failed")').waitFor();
  t.strictSame(troubles, []);
}

/** The recipe is found, the job of its failed node is read, and the node runs again. */
async function byKeyboard(t: Test, { world }: Shown): Promise<void> {
  const { page, troubles } = await openPage(t, world);
  await goTo(page, 'failed recipes', 'Failed recipes');
  // The overview has a table, too, and is there until the list is.
  await page.waitForURL(/\/console\/recipes\/\?/);
  await page.locator('.grid-body a[href^="/console/recipes/"]').first().waitFor();
  await page.keyboard.press('j');
  await page.locator('tr.at').waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/console\/recipes\/\d+\//);
  const failed = Number(/(\d+)\/$/.exec(page.url())?.[1]);
  const node = page.locator('.graph-box:has(.title[title="check"])');
  const job = await node.locator('a').textContent();
  await tabTo(page, job ?? '');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/console\/jobs\/\d+\//);
  t.match(await page.locator('.phases').textContent(), /exit code 3/);
  await page.locator('.log-lines').waitFor();
  await tabTo(page, new RegExp(`^Console recipe ${failed}$`));
  await page.keyboard.press('Enter');
  await node.waitFor();
  await tabTo(page, /Run again from check/);
  await page.keyboard.press('Enter');
  await page.locator('.dialog button.primary:not(:disabled)').waitFor();
  await tabTo(page, 'Run again');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => !url.pathname.includes(`/${failed}/`));
  const { json } = await world.call('GET', `/v6/recipes/${failed}/`);
  t.ok(json.is_superseded);
  await settled(world, json.superseded_by_recipe.id);
  // What can be done is within reach of the keyboard on the other pages, too.
  await page.goto(new URL(type, world.url).href);
  await page.locator('.run-head a').first().waitFor();
  await tabTo(page, 'Revisions');
  await page.keyboard.press('Enter');
  await page.waitForURL(/tab=revisions/);
  await page.goto(new URL('/console/recipe-types/', world.url).href);
  await page.locator('tbody tr a').first().waitFor();
  await tabTo(page, 'New recipe type');
  await page.keyboard.press('Enter');
  await page.locator('.cm-content').waitFor();
  t.strictSame(troubles, []);
}

async function grids(t: Test, { world }: Shown): Promise<void> {
  const { page, troubles } = await openPage(t, world, type);
  const row = page.locator('.run-line:has(th[title="check"])');
  await row.waitFor();
  t.equal(await page.locator('.run-head a').count(), 4);
  t.match(await row.locator('a').last().getAttribute('title'), /check, recipe \d+: Failed/);
  await page.evaluate('window.isSamePage = true');
  await row.locator('a').last().click();
  await page.waitForURL(/\/console\/jobs\/\d+\//);
  t.equal(await page.evaluate('window.isSamePage'), true, 'the console is not loaded again');
  t.strictSame(troubles, []);
}

async function edits(t: Test, { world }: Shown): Promise<void> {
  const { page, troubles } = await openPage(t, world, `${type}?tab=edit`);
  await page.locator('.type-text [role=status]:text-is("Valid")').waitFor();
  const save = page.locator('button:has-text("Create revision 2")');
  t.ok(await save.isEnabled());
  // The text is replaced as a person would, by the keyboard.
  const { json } = await world.call('GET', '/v6/recipe-types/console-recipe/');
  const write = async (definition: object) => {
    await page.locator('.cm-content').focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(JSON.stringify({ title: json.title, description: '', definition }));
  };
  const { check: _, ...others } = json.definition.nodes;
  await write({
    ...json.definition,
    nodes: { ...others, pack: { ...others.pack, dependencies: [{ name: 'nothing' }] } },
  });
  await page
    .locator('.problems li', { hasText: /definition\.nodes\.pack.*nothing/ })
    .first()
    .waitFor();
  t.notOk(await save.isEnabled());
  await write({ ...json.definition, nodes: others });
  await page.locator('.type-beside .changed-nodes:has-text("removed")').waitFor();
  await page.locator('.type-beside .graph-box:has-text("100 < SIZE")').waitFor(); // the condition in words
  await page.locator('button.primary:not(:disabled)').click();
  await page.waitForURL(/tab=revisions/);
  await page.locator('section[aria-label=Graph] .changed-nodes:has-text("check")').waitFor();
  t.equal((await world.call('GET', '/v6/recipe-types/console-recipe/')).json.revision_num, 2);
  // Somebody else is faster.
  await page.click('.tabs a:text("New revision")');
  await page.locator('button:has-text("Create revision 3"):not(:disabled)').waitFor();
  t.equal(await page.locator('.type-text .note').count(), 0);
  const body = { definition: json.definition };
  t.equal((await world.call('PATCH', '/v6/recipe-types/console-recipe/', body)).status, 204);
  await page.locator('.type-text .note:has-text("created revision 3 meanwhile")').waitFor();
  t.strictSame(troubles, []);
}

async function completes(t: Test, { world }: Shown): Promise<void> {
  const { page, troubles } = await openPage(t, world, '/console/new-recipe-type/');
  await page.locator('.type-text [role=status]:text-is("Not complete yet")').waitFor();
  await page.locator('.cm-content').focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(
    '{"definition": {"nodes": {"a": {"node_type": {"node_type": "job", "job_type_name": ""',
  );
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Control+Space');
  const options = page.locator('.cm-tooltip-autocomplete li');
  await options.filter({ hasText: 'measure' }).waitFor();
  t.match((await options.allTextContents()).join(' '), /console-fine.*measure/);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('{"definition": {');
  await page.keyboard.press('Control+Space');
  await options.filter({ hasText: '"nodes"' }).waitFor();
  t.match((await options.allTextContents()).join(' '), /"input".*required.*"nodes"/);
  t.strictSame(troubles, []);
}

async function creates(t: Test, { world }: Shown): Promise<void> {
  const { page, troubles } = await openPage(t, world, '/console/new-job-type/');
  await page.locator('button.primary:not(:disabled)').click();
  await page.waitForURL(/\/console\/job-types\/count-bytes\/1\.0\.0\//);
  await page.locator('h1:has-text("Count bytes")').waitFor();
  t.equal((await world.call('GET', '/v6/job-types/count-bytes/1.0.0/')).status, 200);
  t.strictSame(troubles, []);
}

async function readsOnly(t: Test, { world, recipe }: Shown): Promise<void> {
  const account = { username: 'reader', password: 'a-password-of-tests', is_staff: false };
  t.equal((await world.call('POST', '/v6/accounts/', account)).status, 201);
  const { page, troubles } = await openPage(t, world, `/console/recipes/${recipe}/`, 'reader');
  await page.locator('.graph-box').first().waitFor();
  t.equal(await page.locator('button:has-text("Run again")').count(), 0);
  await page.goto(new URL(`${type}?tab=definition`, world.url).href);
  await page.locator('.graph-box:has-text("100 < SIZE")').waitFor();
  t.equal(await page.locator('.tabs a').count(), 3, 'no editor');
  t.strictSame(troubles, []);
}

t.test('recipes and types in a browser', needsBrowser(), async (t) => {
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
  const shown = { world, recipe, current };

  await t.test('a recipe shows its nodes, values of conditions, time line, input and chain', (t) =>
    graphs(t, shown),
  );
  await t.test('a recipe runs again from a node, after a count of what is kept', (t) =>
    reprocesses(t, shown),
  );
  await t.test('a failed recipe is found, read and run again by the keyboard alone', (t) =>
    byKeyboard(t, shown),
  );
  await t.test('the last recipes of a type are a grid whose cells lead to jobs', (t) => grids(t, shown));
  await t.test('a new revision is made in the editor, checked as it is typed', (t) => edits(t, shown));
  await t.test('completions come from the schemas of the service and the names that there are', (t) =>
    completes(t, shown),
  );
  await t.test('a job type is made in the editor', (t) => creates(t, shown));
  await t.test('an account that may only read is offered no change', (t) => readsOnly(t, shown));
});
