/** What an earlier session or version of the console has left behind: pages of another account, and old filters. */
import t, { type Test } from 'tap';
import { until } from '../../e2e/harness/until.ts';
import { needsBrowser } from '../../support/browser.ts';
import { type ConsoleWorld, openPage, PASSWORD, startConsole } from '../console-world.ts';

t.test('console: what was left behind', needsBrowser(), async (t) => {
  const world = await startConsole(t);
  const account = { username: 'bob', password: PASSWORD };
  t.equal((await world.call('POST', '/v6/accounts/', account)).status, 201);
  await t.test('a page of another account is read again when it is shown', (t) => showsOther(t, world));
  await t.test('a saved filter can be removed, however it is written', (t) => removesFilters(t, world));
});

/** Without a shared worker nobody tells a tab that another one has logged in. */
async function showsOther(t: Test, world: ConsoleWorld): Promise<void> {
  const { page } = await openPage(t, world);
  await page.context().addInitScript('delete globalThis.SharedWorker');
  await page.goto(new URL('/console/jobs/', world.url).href);
  await page.locator('header .account:has-text("admin")').waitFor();
  await page.evaluate('window.isOfAdmin = true');
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
  t.equal(await page.evaluate('window.isOfAdmin'), true, 'the same session keeps its page');
  const other = await page.context().newPage();
  await other.goto(new URL('/login/', world.url).href);
  await other.fill('#username', 'bob');
  await other.fill('#password', PASSWORD);
  await Promise.all([other.waitForURL(new URL('/', world.url).href), other.click('#enter')]);
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
  await page.locator('header .account:has-text("bob")').waitFor();
  t.equal(await page.evaluate('window.isOfAdmin'), undefined);
}

async function removesFilters(t: Test, world: ConsoleWorld): Promise<void> {
  const { page, troubles } = await openPage(t, world, '/console/jobs/');
  const searches = [
    'of_old=1&type=x%20y&status=FAILED',
    'status=%E0%A4%A&type=x',
    '?status=FAILED#status',
    '&&=',
  ];
  for (const [at, search] of searches.entries()) {
    const body = { list: 'jobs', title: `Filter ${at}`, search };
    t.equal((await world.call('POST', '/v6/saved-filters/', body)).status, 200);
    await page.goto(new URL('/console/jobs/', world.url).href);
    await page.getByLabel('Saved').selectOption(`Filter ${at}`);
    await page.click('button:text("Remove saved filter…")');
    await page.click('.dialog button.primary:text("Remove")');
    const left = async () => (await world.call('GET', '/v6/saved-filters/')).json.count;
    await until(`${search} is removed`, async () => (await left()) === 0);
  }
  t.strictSame(troubles, []);
}
