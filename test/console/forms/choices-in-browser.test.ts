/** Objects are chosen in a real browser: from a list of all where there are few, else with a search by the service. */
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { needsBrowser } from '../../support/browser.ts';
import { axeFindings } from '../axe.ts';
import { type ConsoleWorld, openPage, SETTLED, startConsole } from '../console-world.ts';

/** More than a page lists without a search. */
const MANY = 60;
const NO_NODES = { input: { files: [{ name: 'FILE' }] }, nodes: {} };

const isChosen = async (page: Page, name: string, value: string): Promise<void> =>
  page.waitForURL((url) => url.searchParams.get(name) === value);

async function make(t: Test, world: ConsoleWorld, path: string, body: object): Promise<{ id: number }> {
  const { status, json } = await world.call('POST', path, body);
  t.equal(status, 201, JSON.stringify(json));
  return json;
}

t.test('console: objects are chosen', needsBrowser(), async (t) => {
  const world = await startConsole(t);
  const job = await world.jobType('job-00', 'true');
  await world.status(await world.job(job), 'COMPLETED');

  await t.test('a list has all where there are few', async (t) => {
    const { page, troubles } = await openPage(t, world, '/console/jobs/');
    const ask = page.locator('button:text("Requeue all found…")');
    // Without a filter the request would be for every job: the button is off, and says what to do.
    const reason = page.locator(`[id="${await ask.getAttribute('aria-describedby')}"]`);
    t.equal(await reason.innerText(), 'Select jobs, or filter by status, type, error or time');
    t.ok(await ask.isDisabled());
    await page.getByLabel('Type').selectOption('job-00');
    await isChosen(page, 'type', 'job-00');
    await reason.waitFor({ state: 'detached' });
    t.ok(await ask.isEnabled());
    t.strictSame(troubles, []);
  });

  const number = (index: number): string => String(index).padStart(2, '0');
  const recipeTypes: number[] = [];
  for (let index = 1; index < MANY; index += 1) {
    await world.jobType(`job-${number(index)}`, 'true');
    const type = { name: `type-${number(index)}`, title: `Title ${number(index)}`, definition: NO_NODES };
    recipeTypes.push((await make(t, world, '/v6/recipe-types/', type)).id);
  }
  const broker = { type: 'host', host_path: world.folder };
  await make(t, world, '/v6/workspaces/', {
    name: 'directory',
    title: 'Directory',
    configuration: { broker },
  });
  await make(t, world, '/v6/strikes/', {
    title: 'Strike',
    configuration: {
      ...{ workspace: 'directory', monitor: { type: 'dir-watcher' }, recipe: { name: 'type-01' } },
      files_to_ingest: [{ filename_regex: '.*' }],
    },
  });
  const last = recipeTypes.at(-1) ?? 0;

  await t.test('the service searches many, with the keyboard alone', async (t) => {
    const { page, troubles } = await openPage(t, world, '/console/jobs/');
    // Until the first choices are read it is an empty list.
    const chooser = page.getByLabel('Type').and(page.locator('button'));
    await chooser.waitFor();
    t.equal(await page.locator('option').filter({ hasText: 'job-' }).count(), 0);
    await chooser.focus();
    await page.keyboard.press('Enter');
    await page.locator('.palette input:focus').waitFor();
    await page.locator('text=more: type a part of the name').waitFor();
    t.strictSame(await axeFindings(page), []);
    // At once: what the service finds is taken when it is there.
    await page.keyboard.type('B-59');
    await page.keyboard.press('Enter');
    await isChosen(page, 'type', 'job-59');
    t.equal(await chooser.locator('span').first().textContent(), 'job-59');
    await chooser.click();
    await page.getByRole('option', { name: 'Any', exact: true }).click();
    await page.waitForURL((url) => !url.searchParams.has('type'));
    await chooser.click();
    await page.keyboard.type('nothing like it');
    await page.locator('text=None is found').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.palette').waitFor({ state: 'detached' });
    t.strictSame(troubles, []);
  });

  await t.test('what an address holds is shown by its title', async (t) => {
    const { page, troubles } = await openPage(t, world, `/console/files/?recipe_type=${last}`);
    await page.locator('.chooser:has-text("Title 59 (type-59)")').waitFor();
    await page.getByLabel('Recipe type').click();
    await page.keyboard.type('Title 58');
    await page.locator('.palette [aria-selected=true]:has-text("Title 58")').click();
    await isChosen(page, 'recipe_type', String(last - 1));
    await page.goto(new URL('/console/recipes/?type=type-59', world.url).href);
    await page.locator('.chooser:has-text("Title 59 (type-59)")').waitFor();
    t.strictSame(troubles, []);
  });

  await t.test('forms choose among many, in a dialog too', async (t) => {
    const { page, troubles } = await openPage(t, world, '/console/strikes/');
    await page.locator(SETTLED).waitFor();
    await page.locator('button:text("Watch a directory")').first().click();
    const form = page.locator('.dialog .watch-form');
    await form.getByLabel('Recipe for each file').click();
    await page.keyboard.type('type-57');
    await page.locator('.palette [aria-selected=true]:has-text("type-57")').waitFor();
    await page.keyboard.press('Enter');
    await form.locator('.chooser:has-text("type-57")').waitFor();
    t.strictSame(troubles, []);
  });

  await t.test('a scan lists a workspace as what it is', async (t) => {
    const bucket = { type: 'objstore', bucket_name: 'arrivals', endpoint: 'http://127.0.0.1:1' };
    await make(t, world, '/v6/workspaces/', {
      name: 'bucket',
      title: 'Bucket',
      configuration: { broker: bucket },
    });
    const { page, troubles } = await openPage(t, world, '/console/scans/new/');
    for (const [workspace, label, type] of [
      ['bucket', 'Bucket (bucket)', 'objstore'],
      ['directory', 'Directory (directory)', 'dir'],
    ] as const) {
      await page.goto(new URL('/console/scans/new/', world.url).href);
      await page.getByLabel('Title').fill(`Scan of ${workspace}`);
      await page.getByLabel('Workspace').selectOption({ label });
      await page.click('button:text("Create the scan"):enabled');
      await page.waitForURL(/\/console\/scans\/\d+\/$/);
      const [, id] = /(\d+)\/$/.exec(page.url()) ?? [];
      t.equal((await world.call('GET', `/v6/scans/${id}/`)).json.configuration.scanner.type, type);
    }
    t.strictSame(troubles, []);
  });
});
