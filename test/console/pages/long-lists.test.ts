/** Lists of several pages in a real browser: scrolled, filtered, and worked through by keyboard. */
import t, { type Test } from 'tap';
import { needsBrowser } from '../../support/browser.ts';
import { type ConsoleWorld, openPage, startConsole } from '../console-world.ts';

/** Four pages of a list. */
const JOBS = 320;
/** One at the end of a list of all. */
const AT_ONCE = 20;

t.test('console: lists of several pages', needsBrowser(), async (t) => {
  const world = await startConsole(t);
  const jobs = await waitingJobs(world);
  await t.test('the end of a list is reached at once, and a filter leads back', (t) =>
    reachesEnd(t, world, jobs),
  );
  await t.test('a row that was opened is chosen after a return', (t) => returnsToRow(t, world));
  await t.test('the chosen row stays with its record', (t) => staysWithRecord(t, world, jobs));
});

/** Jobs that no node can run, the oldest first, and one that fails. */
async function waitingJobs(world: ConsoleWorld): Promise<readonly number[]> {
  const huge = await world.jobType('lists-huge', 'sleep 0', { mem: 9_000_000 });
  const ids: number[] = [];
  while (ids.length < JOBS) {
    ids.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => world.job(huge)))));
  }
  const failed = await world.job(await world.jobType('lists-broken', 'exit 3'));
  await world.status(failed, 'FAILED');
  return ids.sort((one, other) => one - other);
}

const BY_ID = '/console/jobs/?order=id';

async function reachesEnd(t: Test, world: ConsoleWorld, jobs: readonly number[]): Promise<void> {
  const { page, troubles } = await openPage(t, world, BY_ID);
  await page.locator(`.cell-id a[href="/console/jobs/${jobs[0]}/"]`).waitFor();
  // As somebody who drags the bar, or presses End: no page between is ever in view.
  await page.locator('.table-scroller').focus();
  await page.keyboard.press('End');
  await page.locator(`.cell-id a[href="/console/jobs/${jobs.at(-1)}/"]`).waitFor();
  t.match(await page.locator('.page-head [role=status]').textContent(), new RegExp(`^${JOBS + 1} jobs`));
  await page.getByLabel('Status').selectOption('FAILED');
  await page.locator('.grid-body .status:text("Failed")').waitFor();
  t.equal(await page.locator('.grid-body tr').count(), 1);
  t.strictSame(troubles, []);
  await page.close();
}

async function returnsToRow(t: Test, world: ConsoleWorld): Promise<void> {
  const { page, troubles } = await openPage(t, world, BY_ID);
  const chosen = page.locator('.grid-row.at .cell-id a');
  await page.locator('.grid-body a').first().waitFor();
  await page.locator('.table-scroller').focus();
  await page.keyboard.press('End');
  await page.locator(`.grid-body tr[aria-rowindex="${JOBS + 2}"] .cell-id a`).waitFor();
  await page.keyboard.press('j');
  const first = Number(await chosen.textContent());
  t.ok(await chosen.isVisible(), 'it begins with the rows in view');
  await page.keyboard.press('j');
  await page.locator(`.grid-row.at .cell-id a:not(:text-is("${first}"))`).waitFor();
  const opened = Number(await chosen.textContent());
  t.ok(opened > first);
  await page.keyboard.press('Enter');
  await page.waitForURL(new URL(`/console/jobs/${opened}/`, world.url).href);
  await page.locator(`h1:has-text("${opened}")`).waitFor();
  await page.goBack();
  await page.locator(`.grid-row.at .cell-id a:text-is("${opened}")`).waitFor();
  await page.keyboard.press('j');
  await page.locator(`.grid-row.at .cell-id a:not(:text-is("${opened}"))`).waitFor();
  t.ok(Number(await chosen.textContent()) > opened, 'and leads to the next one');
  await page.click('nav a:text-is("Jobs")');
  await page.waitForURL(new URL('/console/jobs/', world.url).href);
  await page.locator('.grid-body a').first().waitFor();
  t.equal(await chosen.count(), 0, 'another visit begins anew');
  t.strictSame(troubles, []);
  await page.close();
}

async function staysWithRecord(t: Test, world: ConsoleWorld, jobs: readonly number[]): Promise<void> {
  const { page, troubles } = await openPage(t, world, '/console/jobs/?status=QUEUED&order=id');
  const [first = 0, second = 0] = jobs;
  await page.locator(`.cell-id a[href="/console/jobs/${first}/"]`).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.locator(`.grid-row.at .cell-id a:text-is("${second}")`).waitFor();
  await world.call('POST', '/v6/jobs/cancel/', { job_ids: [first] });
  await page.locator(`.cell-id a[href="/console/jobs/${first}/"]`).waitFor({ state: 'detached' });
  t.equal(await page.locator('.grid-row.at .cell-id a').textContent(), String(second));
  await page.keyboard.press('Enter');
  await page.waitForURL(new URL(`/console/jobs/${second}/`, world.url).href);
  t.strictSame(troubles, []);
  await page.close();
}
