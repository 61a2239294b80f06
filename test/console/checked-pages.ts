/** What every page of the console has to pass, in both themes and on a phone; and pictures of them for people. */
import type { Page } from 'playwright-core';
import type { Test } from 'tap';
import { until } from '../e2e/harness/until.ts';
import { axeFindings, COLOUR_RULES } from './axe.ts';
import { type ConsoleWorld, openPage, SETTLED } from './console-world.ts';
import { visit } from './pages/visit.ts';

const PHONE = 390;
const DESKTOP = 1_280;

const widthOf = async (page: Page): Promise<number> =>
  Number(await page.evaluate('document.documentElement.scrollWidth'));

/** Tables of which a part is beyond the edge. */
const CUT_TABLES = `[...document.querySelectorAll('section.wide')]
  .filter((table) => table.scrollWidth > table.clientWidth).map((table) => table.getAttribute('aria-label'))`;
/** Sets the amounts of nodes as wide as any machine has them: how wide they are here depends on this one. */
const WIDEST_AMOUNTS = `for (const { lastChild } of document.querySelectorAll('.use-amounts > span'))
  lastChild.nodeValue = '1,023.9 GiB';`;
const LINKS = `[...document.querySelectorAll('main a[href]')].map(({ pathname }) => pathname)`;

/** The addresses within the service that the page links to and that do not exist. */
async function brokenLinks(page: Page, world: ConsoleWorld): Promise<readonly string[]> {
  const broken: string[] = [];
  for (const path of new Set((await page.evaluate(LINKS)) as readonly string[])) {
    const { status } = await world.call('HEAD', path);
    if (status === 404) broken.push(path);
  }
  return broken;
}

/**
 * No error, no failed request, no link to nowhere, no finding of axe-core, no table that is cut, no wider than a
 * phone, nor any of its tables: at each of these addresses.
 */
export async function checkPages(t: Test, world: ConsoleWorld, paths: readonly string[]): Promise<void> {
  const { page, troubles } = await openPage(t, world);
  for (const path of paths) {
    await visit(page, path);
    await page.locator('.connection.live').waitFor();
    await page.locator(SETTLED).waitFor({ state: 'attached' });
    t.strictSame(await brokenLinks(page, world), [], `${path}: its links lead somewhere`);
    t.strictSame(await page.evaluate(CUT_TABLES), [], `${path}: its tables fit the window`);
    for (const [theme, rules] of [['light'], ['dark', COLOUR_RULES]] as const) {
      await page.evaluate(`document.documentElement.setAttribute('data-theme', '${theme}')`);
      t.strictSame(await axeFindings(page, rules), [], `${path} ${theme}`);
      await picture(page, `${path} ${theme}`);
    }
    await page.setViewportSize({ width: PHONE, height: 844 });
    // Charts and graphs take the new width some frames after the window has it.
    await until(`${path} is not wider than a phone`, async () => (await widthOf(page)) <= PHONE);
    await page.evaluate(WIDEST_AMOUNTS);
    t.strictSame(await page.evaluate(CUT_TABLES), [], `${path}: its tables fit a phone`);
    t.strictSame(await axeFindings(page), [], `${path} on a phone`);
    await picture(page, `${path} phone`);
    await page.setViewportSize({ width: DESKTOP, height: 860 });
    await until('the window is wide again', async () => (await page.evaluate('innerWidth')) === DESKTOP);
  }
  t.strictSame(troubles, [], 'no error, no failed request');
}

async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.CONSOLE_PICTURES;
  if (folder === undefined) return;
  const file = name.replaceAll(/[^a-z0-9]+/gi, '-').replaceAll(/^-|-$/g, '');
  await page.screenshot({ path: `${folder}/${file}.png` });
}
