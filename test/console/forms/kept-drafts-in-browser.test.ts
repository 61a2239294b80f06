/** Texts of the editors of types that are not saved: what begins without a complaint, and what outlives a session. */
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { needsBrowser } from '../../support/browser.ts';
import { axeFindings } from '../axe.ts';
import { type ConsoleWorld, openPage, PASSWORD, startConsole } from '../console-world.ts';

const EDITOR = '/console/job-types/kept/1.0.0/?tab=edit';
const TYPED = 'typed and not saved';

t.test('console: texts that are not saved', needsBrowser(), async (t) => {
  const world = await startConsole(t);
  await world.jobType('kept', 'true');
  for (const username of ['carol', 'dave']) {
    const body = { username, password: PASSWORD, is_staff: true };
    t.equal((await world.call('POST', '/v6/accounts/', body)).status, 201);
  }
  await t.test('a new recipe type begins with the next step instead of problems', (t) => begins(t, world));
  await t.test('a text outlives its session, and is discarded on request', (t) => outlives(t, world));
  await t.test('another account does not get the text', (t) => isOfOneAccount(t, world));
  await t.test('a logout forgets the text, in all tabs', (t) => forgets(t, world));
  await t.test('a saved text is kept no longer', (t) => isSaved(t, world));
});

const lines = (page: Page) => page.locator('.cm-content');
/** The router keeps something of its own there. */
const KEPT = `Object.keys(sessionStorage).filter((key) => key.startsWith('millrace-draft ')).length`;
const keptCount = async (page: Page): Promise<number> => Number(await page.evaluate(KEPT));

/** Replaces the text by the type with another description, as a person would. */
async function write(page: Page, world: ConsoleWorld, description: string): Promise<void> {
  const { container_image, manifest } = (await world.call('GET', '/v6/job-types/kept/1.0.0/')).json;
  const document = { container_image, manifest: { ...manifest, job: { ...manifest.job, description } } };
  await lines(page).focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(JSON.stringify(document));
  await page.locator('.type-text [role=status]:text-is("Valid")').waitFor();
}

/** A password that staff sets ends the sessions of the account. */
async function endSessions(t: Test, world: ConsoleWorld, username: string): Promise<void> {
  const { json } = await world.call('GET', '/v6/accounts/');
  const { id } = json.results.find((one: { username: string }) => one.username === username);
  const { status } = await world.call('POST', `/v6/accounts/${id}/password/`, { password: PASSWORD });
  t.equal(status, 204);
}

async function logIn(page: Page, username: string): Promise<void> {
  await page.waitForURL(/\/login\//);
  await page.fill('#username', username);
  await page.fill('#password', PASSWORD);
  await page.click('#enter');
  await page.locator('.connection.live').waitFor();
}

async function begins(t: Test, world: ConsoleWorld): Promise<void> {
  const { page, troubles } = await openPage(t, world, '/console/new-recipe-type/');
  const status = page.locator('.type-text [role=status]');
  await status.and(page.locator(':text-is("Not complete yet")')).waitFor();
  t.equal(await page.locator('.type-text .problems').count(), 0);
  await page.locator('.type-text p:has-text("Next: write a title")').waitFor();
  t.ok(await page.locator('button:text-is("Create recipe type")').isDisabled());
  t.strictSame(await axeFindings(page), []);
  // What is typed is checked as before.
  await lines(page).focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('{"title": "", "definition": {"nodes": {}}}');
  await page.locator('.type-text .problems li:has-text("title")').waitFor();
  await status.and(page.locator(':has-text("problem")')).waitFor();
  t.strictSame(troubles, []);
}

/** Failed requests are what this is about: they are not counted as troubles. */
async function outlives(t: Test, world: ConsoleWorld): Promise<void> {
  const { page } = await openPage(t, world, EDITOR, 'carol');
  await write(page, world, TYPED);
  await endSessions(t, world, 'carol');
  await logIn(page, 'carol');
  await page.locator(`.cm-content:has-text("${TYPED}")`).waitFor();
  await page.locator('.type-beside:has-text("description")').waitFor();
  t.ok(await page.locator('button:text-is("Create revision 2")').isEnabled(), 'it can be saved');
  await page.locator('.unsaved:has-text("not saved yet")').waitFor();
  t.strictSame(await axeFindings(page), []);
  // Somebody else has been faster: the text began as the revision of before.
  const { json } = await world.call('GET', '/v6/job-types/kept/1.0.0/');
  const { job } = json.manifest;
  const manifest = { ...json.manifest, job: { ...job, title: 'Theirs', packageVersion: '1.0.1' } };
  const changed = await world.call('PATCH', '/v6/job-types/kept/1.0.0/', { manifest });
  t.equal(changed.status, 204, JSON.stringify(changed.json));
  await page.reload();
  await page.locator('.note:has-text("created revision 2 meanwhile")').waitFor();
  await page.click('button:text-is("Discard it and begin anew")');
  await page.locator('.cm-content:has-text("Theirs")').waitFor();
  t.equal(await page.locator('.type-text .note').count(), 0);
  t.equal(await keptCount(page), 0);
}

async function isOfOneAccount(t: Test, world: ConsoleWorld): Promise<void> {
  const { page } = await openPage(t, world, EDITOR, 'carol');
  await write(page, world, TYPED);
  t.equal(await keptCount(page), 1);
  await endSessions(t, world, 'carol');
  await logIn(page, 'dave');
  await page.locator('.type-text [role=status]:text-is("Valid")').waitFor();
  t.equal(await page.locator(`.cm-content:has-text("${TYPED}")`).count(), 0);
  t.equal(await page.locator('.unsaved').count(), 0);
  t.equal(await keptCount(page), 0, 'nor does the browser have it');
}

async function forgets(t: Test, world: ConsoleWorld): Promise<void> {
  const { page } = await openPage(t, world, EDITOR, 'carol');
  await write(page, world, TYPED);
  const other = await page.context().newPage();
  await other.goto(new URL(EDITOR, world.url).href);
  await other.locator('.type-text [role=status]:text-is("Valid")').waitFor();
  t.equal(await other.locator('.unsaved').count(), 0, 'each tab has texts of its own');
  await write(other, world, 'in another tab');
  await page.click('button:text-is("Log out")');
  for (const one of [page, other]) {
    await one.waitForURL(/\/login\//);
    t.equal(await keptCount(one), 0);
  }
}

async function isSaved(t: Test, world: ConsoleWorld): Promise<void> {
  const { page, troubles } = await openPage(t, world, EDITOR);
  await write(page, world, TYPED);
  await page.locator('button.primary:has-text("Create revision"):not(:disabled)').click();
  await page.waitForURL(/tab=revisions/);
  t.equal(await keptCount(page), 0);
  await page.click('.tabs a:text("New revision")');
  await page.locator(`.cm-content:has-text("${TYPED}")`).waitFor();
  t.equal(await page.locator('.unsaved').count(), 0);
  t.strictSame(troubles, []);
}
