/** The log of a job that colours its output, in a browser: legible in both themes, found across colours. */
import t from 'tap';
import { needsBrowser } from '../../support/browser.ts';
import { axeFindings } from '../axe.ts';
import { openPage, startConsole } from '../console-world.ts';

const COLOURS = ['red', 'green', 'yellow', 'blue', 'magenta', 'cyan'];

t.test('console: a coloured log is shown in its colours', needsBrowser(), async (t) => {
  const world = await startConsole(t);
  const lines = COLOURS.map((name, at) => `\\033[1;3${at + 1}m${name}\\033[0m dish`);
  const type = await world.jobType(
    'coloured',
    `printf "${lines.join('\\n')}\\n\\033[90mgrey <b>text</b>\\n"`,
  );
  const job = await world.job(type);
  await world.status(job, 'COMPLETED');
  const { page, troubles } = await openPage(t, world, `/console/jobs/${job}/`);
  for (const name of COLOURS) await page.locator(`.log-line .log-${name}:text-is("${name}")`).waitFor();
  await page.locator('.log-line .log-grey:text-is("grey <b>text</b>")').waitFor();
  for (const theme of ['light', 'dark']) {
    await page.evaluate(`document.documentElement.setAttribute('data-theme', '${theme}')`);
    t.strictSame(await axeFindings(page), [], theme);
    const folder = process.env.CONSOLE_PICTURES;
    if (folder !== undefined) await page.screenshot({ path: `${folder}/coloured-log-${theme}.png` });
  }
  await page.getByLabel('Find in the log').fill('red dish');
  await page.locator('.log-line mark:text-is("red")').waitFor();
  t.equal(await page.locator('.log-line mark').count(), 2, 'both parts are marked');
  t.strictSame(troubles, []);
});
