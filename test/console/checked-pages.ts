/** What every page of the console has to pass, in both themes and on a phone; and pictures of them for people. */
import type { Page } from 'playwright-core';
import type { Test } from 'tap';
import { until } from '../e2e/harness/until.ts';
import { axeFindings } from './axe.ts';
import { type ConsoleWorld, openPage, SETTLED } from './console-world.ts';

const PHONE = 390;

const widthOf = async (page: Page): Promise<number> =>
  Number(await page.evaluate('document.documentElement.scrollWidth'));

/** No error, no failed request, no finding of axe-core, no wider than a phone: at each of these addresses. */
export async function checkPages(t: Test, world: ConsoleWorld, paths: readonly string[]): Promise<void> {
  const { page, troubles } = await openPage(world);
  for (const path of paths) {
    await page.goto(new URL(path, world.url).href);
    await page.locator('.connection.live').waitFor();
    await page.locator(SETTLED).waitFor({ state: 'attached' });
    for (const theme of ['light', 'dark']) {
      await page.evaluate(`document.documentElement.setAttribute('data-theme', '${theme}')`);
      t.strictSame(await axeFindings(page), [], `${path} ${theme}`);
      await picture(page, `${path} ${theme}`);
    }
    await page.setViewportSize({ width: PHONE, height: 844 });
    // Charts and graphs take the new width some frames after the window has it.
    await until(`${path} is not wider than a phone`, async () => (await widthOf(page)) <= PHONE);
    t.strictSame(await axeFindings(page), [], `${path} on a phone`);
    await picture(page, `${path} phone`);
    await page.setViewportSize({ width: 1_280, height: 860 });
  }
  t.strictSame(troubles, [], 'no error, no failed request');
}

async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.CONSOLE_PICTURES;
  if (folder === undefined) return;
  const file = name.replaceAll(/[^a-z0-9]+/gi, '-').replaceAll(/^-|-$/g, '');
  await page.screenshot({ path: `${folder}/${file}.png` });
}
