/** Pages used as somebody does who has no pointer. */
import type { Page } from 'playwright-core';

const TABS_MAX = 150;

/** Presses Tab until a link or button with this text has the focus. */
export async function tabTo(page: Page, text: string | RegExp): Promise<void> {
  const isText = typeof text === 'string' ? (one: string) => one === text : (one: string) => text.test(one);
  for (let press = 0; press < TABS_MAX; press += 1) {
    await page.keyboard.press('Tab');
    if ((await page.locator('a:focus, button:focus').allTextContents()).some(isText)) return;
  }
  throw new Error(`Tab does not lead to ${text}`);
}

/** Opens the palette, and enters what it chooses for a text: an entry that has `chosen` in it. */
export async function goTo(page: Page, text: string, chosen: string): Promise<void> {
  await page.keyboard.press('/');
  await page.locator('.palette input:focus').waitFor();
  await page.keyboard.type(text);
  await page.locator(`.palette [aria-selected=true]:has-text("${chosen}")`).waitFor();
  await page.keyboard.press('Enter');
  // Until it is closed it has the keys.
  await page.locator('.palette').waitFor({ state: 'detached' });
}
