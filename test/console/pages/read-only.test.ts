/** An account that may only read opens every page, and is offered nothing there that it may not do. */
import t from 'tap';
import { needsBrowser } from '../../support/browser.ts';
import { openPage, SETTLED, startConsole } from '../console-world.ts';
import { filledPages } from './addresses-of-pages.ts';
import { visit } from './visit.ts';

/** Buttons that only read or choose what is shown, and the one for tokens of one's own. */
const READS = [
  /^Last (?:hour|day|7 days)$/,
  /^(?:stdout|stderr|↑ ?Previous match|↓ ?Next match)$/,
  /^(?:Both ways|Ancestors|Descendants|As it is|Table|Indented|Show all)$/,
  /^(?:Export as CSV|Look|Try|Try names…|Why|New token…|Show what changed in recipe \d+)$/,
];
const TABS = ['revisions', 'try', 'edit', 'definition'];

t.test('console: an account that may only read is offered nothing else', needsBrowser(), async (t) => {
  const world = await startConsole(t);
  const { lists, objects } = await filledPages(t, world);
  const account = { username: 'reader', password: 'a-password-of-tests', is_staff: false };
  t.equal((await world.call('POST', '/v6/accounts/', account)).status, 201);
  const { page, troubles } = await openPage(t, world, '/', 'reader');
  const tabs = objects
    .filter((path) => path.includes('-types/'))
    .flatMap((path) => TABS.map((tab) => `${path}?tab=${tab}`));
  for (const path of [...lists, ...objects, ...tabs]) {
    await visit(page, path);
    await page.locator(SETTLED).waitFor({ state: 'attached' });
    const buttons = await page.locator('main button:visible:not(.graph-box *)').allInnerTexts();
    const words = buttons.map((text) => text.trim().replaceAll(/\s+/g, ' '));
    const offered = words.filter((text) => text !== '' && !READS.some((one) => one.test(text)));
    t.strictSame(offered, [], path);
    t.equal(await page.locator('main .cm-editor').count(), 0, `${path}: no editor`);
  }
  t.strictSame(troubles, []);
});
