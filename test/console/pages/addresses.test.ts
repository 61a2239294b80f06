/** What one chooses on a page is in its address, so that it is there again, and others see it by its address. */
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { needsBrowser } from '../../support/browser.ts';
import { type ConsoleWorld, openPage, startConsole } from '../console-world.ts';

t.test('console: pages keep their state in the address', needsBrowser(), async (t) => {
  const world = await startConsole(t);
  await t.test('the overview keeps its range in the address', (t) => holdsRange(t, world));
  await t.test('the page of a job keeps the stream of its log in the address', (t) => holdsStream(t, world));
  await t.test('figures of the overview link to what they count', (t) => leadsToLists(t, world));
  await t.test('the number of failed jobs is that of all job types, however many', (t) =>
    countsFailed(t, world),
  );
  await t.test('a filter whose value is no choice is ignored', (t) => leavesOut(t, world));
});

const pressed = (page: Page, name: string) => page.locator(`button[aria-pressed=true]:text-is("${name}")`);

async function holdsRange(t: Test, world: ConsoleWorld): Promise<void> {
  const { page, troubles } = await openPage(t, world);
  await pressed(page, 'Last hour').waitFor();
  await page.click('button:text-is("Last day")');
  await page.waitForURL(/\/\?range=P1D$/);
  await page.reload();
  await pressed(page, 'Last day').waitFor();
  await page.click('button:text-is("Last hour")');
  await page.waitForURL(new URL('/', world.url).href);
  t.strictSame(troubles, []);
}

async function holdsStream(t: Test, world: ConsoleWorld): Promise<void> {
  const job = await world.job(await world.jobType('addresses-failing', 'echo begun; echo broke >&2; exit 3'));
  await world.status(job, 'FAILED');
  const { page, troubles } = await openPage(t, world, `/console/jobs/${job}/`);
  await pressed(page, 'stderr').waitFor();
  await page.click('.log button:text-is("stdout")');
  await page.waitForURL(/\?log=stdout$/);
  await page.reload();
  await page.locator('.log-line:has-text("begun")').waitFor();
  await pressed(page, 'stdout').waitFor();
  t.strictSame(troubles, []);
}

async function leadsToLists(t: Test, world: ConsoleWorld): Promise<void> {
  const { page, troubles } = await openPage(t, world);
  const figures = page.locator('section[aria-label=Now] .figure');
  await figures.nth(4).waitFor();
  const paths = await Promise.all((await figures.all()).map((one) => one.getAttribute('href')));
  t.strictSame(paths, [
    '/console/arrivals/?status=TRANSFERRING&changed=P1D',
    '/console/jobs/?waits_for=input',
    ...['QUEUED', 'RUNNING'].map((status) => `/console/jobs/?status=${status}`),
    '/console/jobs/?status=FAILED&changed=P1D',
  ]);
  t.strictSame(troubles, []);
}

async function countsFailed(t: Test, world: ConsoleWorld): Promise<void> {
  // More than a page of types holds, and the failed job has the newest one.
  for (let first = 0; first < 200; first += 20) {
    await Promise.all(Array.from({ length: 20 }, (_, at) => world.jobType(`many-${first + at}`, 'true')));
  }
  await world.status(await world.job(await world.jobType('newest', 'exit 1')), 'FAILED');
  const { json } = await world.call('GET', '/v6/jobs/?status=FAILED&started=P1D&page_size=1');
  const { page, troubles } = await openPage(t, world);
  const failed = page.locator('section[aria-label=Now] .figure:has-text("Failed") .figure-value');
  await page.locator(`.figure:has-text("Failed") .figure-value:text-is("${json.count}")`).waitFor();
  t.equal(await failed.textContent(), `${json.count}`);
  t.ok(json.count > 0);
  t.strictSame(troubles, []);
}

async function leavesOut(t: Test, world: ConsoleWorld): Promise<void> {
  const { page, troubles } = await openPage(
    t,
    world,
    '/console/jobs/?status=NOPE&type=addresses-failing&order=x',
  );
  await page.locator('tbody tr:has-text("addresses-failing")').first().waitFor();
  await page.waitForURL(/\/console\/jobs\/\?type=addresses-failing$/);
  t.strictSame(troubles, []);
}
