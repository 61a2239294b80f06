/** The console in Firefox, with its policy on: every list and form, live changes, keys, hostile texts. */
import type { Page } from 'puppeteer-core';
import t, { type Test } from 'tap';
import { CONSOLE_PATHS } from '../../src/api/console/console-routes.ts';
import { axeFindings } from './axe.ts';
import { type ConsoleService, HOSTILE, PASSWORD, SETTLED, startService } from './console-world.ts';
import { needsFirefox, startFirefox } from './firefox.ts';

const SCRIPT = `echo "${HOSTILE.replaceAll('"', '')}"; exit 3`;
const SELECTORS = { live: '.connection.live', logLine: '.log-line' };

t.test('console in Firefox', needsFirefox(), async (t) => {
  const service = await startService(t);
  const failing = await service.jobType('firefox-failing', SCRIPT);
  const failed = await service.job(failing);
  await service.status(failed, 'FAILED');
  const firefox = await startFirefox(t);
  const page = await firefox.newPage();
  await logIn(page, service);
  const troubles = watch(page);

  await t.test('no page has an error or a finding of axe-core', async (t) => {
    const lists = CONSOLE_PATHS.filter((path) => !path.includes('{'));
    for (const path of [...lists, `/console/jobs/${failed}/`]) await checkPage(t, page, service, path);
  });
  await t.test('a change made elsewhere is shown by itself', async () => {
    await open(page, service, '/console/jobs/');
    const added = await service.job(failing);
    await page.waitForSelector(`a[href="/console/jobs/${added}/"]`);
  });
  await t.test('a failed job is found and read by the keyboard, and its log is shown as text', (t) =>
    findByKeys(t, page, service, failed),
  );
  t.strictSame(troubles, [], 'no error of the browser, no failed request');
});

async function logIn(page: Page, { url }: ConsoleService): Promise<void> {
  await page.goto(new URL('/login/', url).href);
  await page.type('#username', 'admin');
  await page.type('#password', PASSWORD);
  await page.click('#enter');
  await page.waitForSelector(SELECTORS.live);
}

function watch(page: Page): string[] {
  const troubles: string[] = [];
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warn') return;
    // The text of a logged error is not its message, which is read from the page, if that is still there.
    const at = troubles.push(`${page.url()} ${message.text()} ${JSON.stringify(message.stackTrace())}`) - 1;
    for (const arg of message.args()) {
      arg.evaluate(String).then(
        (text) => {
          troubles[at] += ` ${text}`;
        },
        () => undefined,
      );
    }
  });
  page.on('pageerror', (error) => troubles.push(String(error)));
  page.on('response', (response) => {
    if (response.status() >= 400) troubles.push(`${response.status()} ${response.url()}`);
  });
  return troubles;
}

async function open(page: Page, { url }: ConsoleService, path: string): Promise<void> {
  await page.goto(new URL(path, url).href);
  for (const selector of [SELECTORS.live, SETTLED]) await page.waitForSelector(selector);
}

async function checkPage(t: Test, page: Page, service: ConsoleService, path: string): Promise<void> {
  await open(page, service, path);
  for (const theme of ['light', 'dark']) {
    await page.evaluate(`document.documentElement.setAttribute('data-theme', '${theme}')`);
    t.strictSame(await axeFindings(page), [], `${path} ${theme}`);
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
  await page.waitForSelector(`a[href="/console/jobs/${failed}/"]`);
  await page.keyboard.press('j');
  await page.waitForSelector('tr.at');
  await page.keyboard.press('Enter');
  await page.waitForSelector(SELECTORS.logLine);
  t.match(await page.$eval(SELECTORS.logLine, (line) => line.textContent), '<img src=x');
  t.equal((await page.$$('main img')).length, 0, 'the log makes no element');
}
