/** A click on the title of a record opens its page; the keyboard has one way there, by its id. */
import t from 'tap';
import { needsBrowser } from '../../support/browser.ts';
import { openPage, startConsole } from '../console-world.ts';
import { filledPages } from './addresses-of-pages.ts';

const LISTS = { jobs: 'type', recipes: 'type', batches: 'title', datasets: 'title' } as const;

t.test('console: titles of records lead to their pages', needsBrowser(), async (t) => {
  const world = await startConsole(t);
  await filledPages(t, world);
  const { page, troubles } = await openPage(t, world);
  for (const [list, column] of Object.entries(LISTS)) {
    await page.goto(new URL(`/console/${list}/`, world.url).href);
    const row = page.locator('.grid-body tr').first();
    const id = await row.locator('.cell-id a').textContent();
    const path = `/console/${list}/${id}/`;
    t.equal(await row.locator(`a[href="${path}"]`).count(), 2, `${list}: id and title`);
    t.equal(await row.locator(`a[href="${path}"]:not([tabindex="-1"])`).count(), 1, `${list}: one for Tab`);
    await row.locator(`.cell-${column} a`).click();
    await page.waitForURL(new URL(path, world.url).href);
    await page.locator('main h1').waitFor();
  }
  t.strictSame(troubles, []);
});
