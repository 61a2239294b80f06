/** The console in Firefox, with its policy on: every list and form, live changes, keys, hostile texts. */
import type { Page } from 'puppeteer-core';
import t, { type Test } from 'tap';
import { CONSOLE_PATHS } from '../../src/api/console/console-routes.ts';
import { axeFindings, COLOUR_RULES } from './axe.ts';
import { type ConsoleService, HOSTILE, SETTLED, startService } from './console-world.ts';
import { logInWithFirefox, needsFirefox, open } from './firefox.ts';
import { visit } from './pages/visit.ts';

const SCRIPT = `echo "${HOSTILE.replaceAll('"', '')}"; exit 3`;
const LOG_LINE: string = '.log-line';

t.test('console in Firefox', needsFirefox(), async (t) => {
  const service = await startService(t);
  const failing = await service.jobType('firefox-failing', SCRIPT);
  const failed = await service.job(failing);
  await service.status(failed, 'FAILED');
  const { page, troubles } = await logInWithFirefox(t, service);

  await t.test('no page has an error or a finding of axe-core', async (t) => {
    const lists = CONSOLE_PATHS.filter((path) => !path.includes('{'));
    for (const path of [...lists, `/console/jobs/${failed}/`]) await checkPage(t, page, path);
  });
  await t.test('a change made elsewhere is shown by itself', async () => {
    await open(page, service, '/console/jobs/');
    const added = await service.job(failing);
    await page.waitForSelector(`.cell-id a[href="/console/jobs/${added}/"]`);
  });
  await t.test('a failed job is found and read by the keyboard, and its log is shown as text', (t) =>
    findByKeys(t, page, service, failed),
  );
  t.strictSame(troubles, [], 'no error of the browser, no failed request');
});

async function checkPage(t: Test, page: Page, path: string): Promise<void> {
  await visit(page, path);
  await page.waitForSelector(SETTLED);
  for (const [theme, rules] of [['light'], ['dark', COLOUR_RULES]] as const) {
    await page.evaluate(`document.documentElement.setAttribute('data-theme', '${theme}')`);
    t.strictSame(await axeFindings(page, rules), [], `${path} ${theme}`);
  }
}

async function findByKeys(t: Test, page: Page, service: ConsoleService, failed: number): Promise<void> {
  await open(page, service, '/');
  await page.keyboard.press('/');
  await page.waitForSelector('.palette input:focus');
  await page.keyboard.type('failed');
  await page.keyboard.press('Enter');
  // The address changes before the page, and keys are the dialog's until it is gone.
  await page.waitForFunction('location.search.includes("status=FAILED")');
  await page.waitForSelector('.palette', { hidden: true });
  await page.waitForSelector(`.cell-id a[href="/console/jobs/${failed}/"]`);
  await page.keyboard.press('j');
  await page.waitForSelector('tr.at');
  await page.keyboard.press('Enter');
  await page.waitForSelector(LOG_LINE);
  t.match(await page.$eval(LOG_LINE, (line) => line.textContent), '<img src=x');
  t.equal((await page.$$('main img')).length, 0, 'the log makes no element');
}
