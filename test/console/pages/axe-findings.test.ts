/** What the checks of pages find on a page that has it. */
import t from 'tap';
import { needsBrowser, startBrowser } from '../../support/browser.ts';
import { axeFindings, COLOUR_RULES } from '../axe.ts';

const PAGE = `<!doctype html><html lang=en><title>A page</title><main><h1>A page</h1>
  <img src=data:,><p style="color: #999; background: #fff">A pale text</p></main></html>`;

t.test('axe: findings are those of the rules that are asked', needsBrowser(), async (t) => {
  const page = await (await startBrowser(t)).newPage();
  await page.setContent(PAGE);
  const rulesOf = (findings: readonly string[]) => findings.map((one) => one.split(':')[0]).sort();
  t.strictSame(rulesOf(await axeFindings(page)), ['color-contrast', 'image-alt']);
  t.strictSame(rulesOf(await axeFindings(page, COLOUR_RULES)), ['color-contrast']);
  await page.evaluate(`document.querySelector('p').style.color = '#000'`);
  t.strictSame(await axeFindings(page, COLOUR_RULES), []);
});
