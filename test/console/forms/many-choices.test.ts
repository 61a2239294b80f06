/** With more objects than a call answers, each of them can be chosen: by what one types, and on a phone. */
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { needsBrowser } from '../../support/browser.ts';
import { axeFindings } from '../axe.ts';
import { type ConsoleWorld, openPage, PHONE, SETTLED, startConsole } from '../console-world.ts';
import { logInWithFirefox, needsFirefox, open, untilText } from '../firefox.ts';
import { LAST, makeMany } from './many-objects.ts';

t.test('console: objects are chosen among more than a call answers', needsBrowser(), async (t) => {
  const world = await startConsole(t);
  await makeMany(t, world);
  await t.test('a strike, to filter by', (t) => choosesStrike(t, world));
  await t.test('the workspaces of a scan', (t) => choosesWorkspaces(t, world));
  await t.test('a dataset, by its id, for a batch', (t) => choosesDataset(t, world));
  await t.test('the batch that a new one follows', (t) => choosesBatch(t, world));
  await t.test('completions are searched by the service', (t) => completes(t, world));
  await t.test('a phone has room for them', (t) => fitsPhone(t, world));
  await t.test('Firefox', needsFirefox(), (t) => choosesInFirefox(t, world));
});

const chooserOf = (page: Page, label: string) => page.getByRole('combobox', { name: label, exact: true });

/** Types a part into the dialog of a field, and takes what is found. */
async function choose(page: Page, label: string, text: string, found = text): Promise<void> {
  await chooserOf(page, label).click();
  await page.locator('.palette input:focus').waitFor();
  await page.locator('.palette [role=status]:has-text("more: type")').waitFor();
  await page.keyboard.type(text);
  await page.locator(`.palette [aria-selected=true]:has-text("${found}")`).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.palette').waitFor({ state: 'detached' });
  await page.locator(`.chooser:has-text("${found}")`).first().waitFor();
}

async function choosesStrike(t: Test, world: ConsoleWorld): Promise<void> {
  const { page, troubles } = await openPage(t, world, '/console/arrivals/');
  await choose(page, 'Strike', LAST);
  const [strike] = (await world.call('GET', '/v6/strikes/?name=copy-1100')).json.results;
  t.equal(new URL(page.url()).searchParams.get('strike'), String(strike.id));
  // What an address holds is shown by its title.
  await page.reload();
  await page.locator(`.chooser:has-text("${LAST} (copy-1100)")`).waitFor();
  t.strictSame(troubles, []);
}

async function choosesWorkspaces(t: Test, world: ConsoleWorld): Promise<void> {
  const { page, troubles } = await openPage(t, world, '/console/scans/new/');
  await page.getByLabel('Title').fill('Of a copy');
  await choose(page, 'Workspace', LAST);
  await choose(page, 'Move to', 'COPY-1099', 'Copy 1099 (copy-1099)');
  await page.click('button:text("Create the scan"):enabled');
  await page.waitForURL(/\/console\/scans\/\d+\/$/);
  const [, id] = /(\d+)\/$/.exec(page.url()) ?? [];
  t.match((await world.call('GET', `/v6/scans/${id}/`)).json.configuration, {
    ...{ workspace: 'copy-1100', scanner: { type: 'dir' } },
    files_to_ingest: [{ new_workspace: 'copy-1099' }],
  });
  t.strictSame(troubles, []);
}

async function choosesDataset(t: Test, world: ConsoleWorld): Promise<void> {
  const { page, troubles } = await openPage(t, world, '/console/batches/new/');
  const [dataset] = (await world.call('GET', `/v6/datasets/?keyword=${LAST}`)).json.results;
  await choose(page, 'Dataset', String(dataset.id), LAST);
  await choose(page, 'Recipe type', LAST);
  // What the service says of the choice: copies of a dataset have no members.
  await page.locator('[aria-label=Preview] .problems, [aria-label=Preview] .facts').first().waitFor();
  t.strictSame(troubles, []);
}

async function choosesBatch(t: Test, world: ConsoleWorld): Promise<void> {
  const { page, troubles } = await openPage(t, world, '/console/batches/new/');
  await page.click('button:text("An earlier batch")');
  t.ok(await chooserOf(page, 'Batch').isDisabled(), 'of a type that is yet to be chosen');
  const [last] = (await world.call('GET', `/v6/batches/?keyword=${LAST}`)).json.results;
  await choose(page, 'Recipe type', last.recipe_type.name);
  await choose(page, 'Batch', LAST);
  const asked = page.waitForRequest((request) => request.url().endsWith('/v6/batches/validation/'));
  await page.getByLabel('Title').fill('The next');
  t.match((await asked).postDataJSON(), { definition: { previous_batch: { root_batch_id: last.id } } });
  // As the page of a batch leads here.
  await page.goto(new URL(`/console/batches/new/?after=${last.id}`, world.url).href);
  await page.locator(`.chooser:has-text("${LAST}")`).waitFor();
  t.equal(await page.getByLabel('Title').inputValue(), LAST);
  t.strictSame(troubles, []);
}

async function completes(t: Test, world: ConsoleWorld): Promise<void> {
  const { page, troubles } = await openPage(t, world, '/console/new-recipe-type/');
  await page.locator('.type-text [role=status]:text-is("Not complete yet")').waitFor();
  await page.locator('.cm-content').focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('{"definition": {"nodes": {"a": {"node_type": {"node_type": "job"');
  await page.keyboard.insertText(', "job_type_name": "opy-1100"');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Control+Space');
  const option = page.locator('.cm-tooltip-autocomplete li[aria-selected=true]');
  // The editor ignores Enter for a moment after the options have come.
  await option.filter({ hasText: '"copy-1100"' }).click();
  await page.locator('.cm-content:has-text(\'"job_type_name": "copy-1100"\')').waitFor();
  await page.keyboard.insertText(', "job_type_version": ');
  await page.keyboard.press('Control+Space');
  await option.filter({ hasText: '"1.0.0"' }).waitFor();
  t.strictSame(troubles, []);
}

/** What reaches beyond the page, or out of the dialog. */
const OUTSIDE = `[document.documentElement, ...document.querySelectorAll('.palette, .palette *, .chooser')]
  .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== 'hidden'
    && getComputedStyle(one).display !== 'inline' || one.getBoundingClientRect().right > innerWidth)
  .map((one) => one.outerHTML.slice(0, 200))`;

/** The smallest height that WCAG 2.2 asks for (2.5.8). */
const FINGER_PX = 24;
const LOWEST =
  'Math.min(...[...document.querySelectorAll("[role=option]")].map((one) => one.getBoundingClientRect().height))';

async function fitsPhone(t: Test, world: ConsoleWorld): Promise<void> {
  const { page, troubles } = await openPage(t, world, '/console/arrivals/', 'admin', PHONE);
  await page.locator(SETTLED).waitFor();
  const chooser = chooserOf(page, 'Strike');
  await chooser.tap();
  const options = page.getByRole('option');
  await page.locator('.palette [role=status]:has-text("more: type")').waitFor();
  t.strictSame(await page.evaluate(OUTSIDE), []);
  t.strictSame(await axeFindings(page), []);
  const lowest = await page.evaluate<number>(LOWEST);
  t.ok(lowest >= FINGER_PX, `each has room for a finger: ${lowest}`);
  const text = (await options.last().innerText()).trim();
  await options.last().tap();
  await page.locator(`.chooser:has-text("${text}")`).waitFor();
  t.strictSame(await page.evaluate(OUTSIDE), [], 'the longest title has room');
  await chooser.focus();
  await page.keyboard.press('Enter');
  await page.keyboard.type(LAST);
  await page.locator(`.palette [aria-selected=true]:has-text("${LAST}")`).waitFor();
  await page.keyboard.press('Enter');
  await page.locator(`.chooser:has-text("${LAST}")`).waitFor();
  t.strictSame(troubles, []);
}

async function choosesInFirefox(t: Test, world: ConsoleWorld): Promise<void> {
  const { page, troubles } = await logInWithFirefox(t, world);
  for (const [path, label] of [
    ['/console/arrivals/', 'Strike'],
    ['/console/scans/new/', 'Workspace'],
    ['/console/batches/new/', 'Dataset'],
  ] as const) {
    await open(page, world, path);
    const chooser = await page.waitForSelector(`::-p-aria([name="${label}"][role="combobox"])`);
    await chooser?.click();
    await page.waitForSelector('.palette input:focus');
    await page.keyboard.type(LAST);
    await untilText(page, '.palette [aria-selected=true]', LAST);
    await page.keyboard.press('Enter');
    await page.waitForSelector('.palette', { hidden: true });
    await untilText(page, '.chooser', LAST);
  }
  t.strictSame(troubles, []);
}
