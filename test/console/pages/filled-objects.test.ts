/** The page of an object of each kind, with objects: in both themes and on a phone. */
import t from 'tap';
import { needsBrowser } from '../../support/browser.ts';
import { checkPages } from '../checked-pages.ts';
import { openPage, startConsole } from '../console-world.ts';
import { filledPages } from './addresses-of-pages.ts';

t.test('console: the page of an object works for each kind', needsBrowser(), async (t) => {
  const world = await startConsole(t);
  const { objects } = await filledPages(t, world);
  await checkPages(t, world, objects);
  const scan = objects.find((path) => path.startsWith('/console/scans/'));
  const { page, troubles } = await openPage(t, world, scan);
  const runs = page.locator('section[aria-label="The last two runs"]');
  t.match(
    await runs.locator('tr', { hasText: 'Files matched' }).innerText(),
    /1\s+1/,
    'a scan beside its run before',
  );
  t.match(
    await page.locator('section[aria-label="List of runs"] tr', { hasText: 'Dry run' }).innerText(),
    /Completed\s+1 file\s+\d\d:\d\d:\d\d/,
    'what a run counted has its unit and its instant',
  );
  t.strictSame(troubles, []);
});
