/**
 * Which code a page has before a click needs it (requests are counted, no time is measured), and what it does when code
 * could not be fetched, as when the network changes meanwhile.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { until } from '../../e2e/harness/until.ts';
import { needsBrowser } from '../../support/browser.ts';
import { type ConsoleWorld, openPage, startConsole } from '../console-world.ts';
import { watchFiles } from '../file-world.ts';

const BUILT = join(import.meta.dirname, '../../../dist/console');

t.test('console: code is fetched before it is needed', needsBrowser(), async (t) => {
  const world = await startConsole(t);
  const files = await watchFiles(world);
  await files.products(await files.arrive('one.txt', 'one'), 2);
  await t.test('a click on a page with charts or a graph fetches no code', (t) => opensPages(t, world));
  await t.test('code of other pages waits for the data of the page', (t) => waitsForData(t, world));
  await t.test('a graph that was seen before is drawn without the worker', (t) => keepsLayouts(t, world));
  await t.test('a tab without the worker of changes has a connection of its own', (t) => isAlone(t, world));
  await t.test('a page without its script says what to do', (t) => saysWhatToDo(t, world));
});

/** The names of the console's scripts that the page asks for from now on. */
function scriptsOf(page: Page): string[] {
  const names: string[] = [];
  page.on('request', (request) => {
    const [, name] = /\/console\/assets\/([^?]+\.js)$/.exec(request.url()) ?? [];
    if (name !== undefined) names.push(name);
  });
  return names;
}

const isWorker = (name: string): boolean => name.startsWith('layout-');
const has = (names: readonly string[], text: string): boolean =>
  names.some((name) => readFileSync(join(BUILT, name), 'utf8').includes(text));

async function opensPages(t: Test, world: ConsoleWorld): Promise<void> {
  const { page, troubles } = await openPage(t, world, '/console/tokens/');
  const names = scriptsOf(page);
  await page.reload();
  await until('the code of charts, of the flow and of graphs is there', async () =>
    ['u-over', 'Nothing flowed in the', 'react-flow__'].every((text) => has(names, text)),
  );
  t.notOk(has(names, 'cm-tooltip-autocomplete'), 'editors are fetched on the way there');
  await until('the worker is started after that', async () => names.some(isWorker));
  t.ok(names.findIndex(isWorker) > names.findIndex((name) => has([name], 'react-flow__')), 'last of all');
  const code = () => names.filter((name) => !isWorker(name));
  const before = code().length;
  await page.click('nav a:text-is("Overview")');
  await page.locator('main h1:text-is("Overview")').waitFor({ state: 'attached' });
  await page.click('nav a:text-is("Flow")');
  await page.locator('.graph-box').first().waitFor();
  // The worker's script asks for parts that the page has.
  const earlier = code().slice(0, before);
  t.strictSame(
    code().filter((name) => !earlier.includes(name)),
    [],
  );
  t.strictSame(troubles, []);
}

/** Whether the browser has nothing to do is asked for many times, so that code would have been fetched meanwhile. */
const IDLE_TIMES = 20;

async function waitsForData(t: Test, world: ConsoleWorld): Promise<void> {
  const { page, troubles } = await openPage(t, world, '/console/tokens/');
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(/\/v6\/tokens\//, async (route) => {
    await held;
    await route.continue();
  });
  const asked = page.waitForRequest(/\/v6\/tokens\//);
  await page.reload();
  await asked;
  const names = scriptsOf(page);
  await page.evaluate(`(async () => {
    for (let time = 0; time < ${IDLE_TIMES}; time += 1) {
      await new Promise((resolve) => requestIdleCallback(() => setTimeout(resolve, 50)));
    }
  })()`);
  t.strictSame(
    names.filter((name) => has([name], 'Nothing flowed in the')),
    [],
    'while the page reads',
  );
  answer();
  await until('the code of other pages is there', async () => has(names, 'Nothing flowed in the'));
  t.strictSame(troubles, []);
}

async function keepsLayouts(t: Test, world: ConsoleWorld): Promise<void> {
  const { page, troubles } = await openPage(t, world, '/console/flow/');
  const boxes = page.locator('.graph-box');
  await boxes.first().waitFor();
  const kept = () =>
    page.evaluate(`new Promise((resolve, reject) => {
      const opened = indexedDB.open('millrace-layouts');
      opened.onerror = () => reject(opened.error);
      opened.onsuccess = () => {
        const { result } = opened;
        const counted = result.transaction('layouts').objectStore('layouts').count();
        counted.onsuccess = () => {
          result.close();
          resolve(counted.result);
        };
      };
    })`);
  await until('the layout is kept', async () => (await kept()) === 1);
  let asked = 0;
  await page.route(/\/assets\/layout-/, () => {
    asked += 1; // and is never answered
  });
  await page.reload();
  await boxes.first().waitFor();
  t.ok(asked > 0, 'the worker did not come');
  await page.unroute(/\/assets\/layout-/);
  t.strictSame(troubles, []);
  await page.locator('button:text-is("Log out")').click();
  await page.waitForURL(/\/login\//);
  t.equal(await kept(), 0, 'a logout forgets what was drawn');
}

async function isAlone(t: Test, world: ConsoleWorld): Promise<void> {
  const { page } = await openPage(t, world, '/console/jobs/');
  await page.addInitScript(`{
    const Real = SharedWorker;
    window.SharedWorker = class extends Real {
      constructor(address, options) {
        super(address + '.none', options);
      }
    };
  }`);
  const socket = page.waitForEvent('websocket');
  await page.reload();
  t.match((await socket).url(), '/v6/changes/');
  await page.locator('.connection.live').waitFor();
  const added = await world.job(await world.jobType('alone', 'sleep 0'));
  await page.locator(`.cell-id a[href="/console/jobs/${added}/"]`).waitFor();
}

async function saysWhatToDo(t: Test, world: ConsoleWorld): Promise<void> {
  const { page } = await openPage(t, world, '/console/jobs/');
  const words = page.locator('text=If this stays, load the page again.');
  t.equal(await words.count(), 0);
  await page.route(/\/assets\/main-/, (route) => route.abort());
  await page.reload();
  await words.waitFor();
  await page.unroute(/\/assets\/main-/);
  await page.reload();
  await page.locator('.connection.live').waitFor();
  t.equal(await words.count(), 0);
}
