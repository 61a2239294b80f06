/** The page of a scan that is edited after it has counted: its counts stay with the rules that they belong to. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { needsBrowser } from '../../support/browser.ts';
import { openPage, startConsole } from '../console-world.ts';

const TEXTS = { filename_regex: '.*\\.txt' };
const TABLES = { filename_regex: '.*\\.csv', new_workspace: 'tables' };

t.test('console: the counts of an edited scan are shown with their rules', needsBrowser(), async (t) => {
  const world = await startConsole(t);
  for (const name of ['old', 'tables']) {
    const folder = join(world.folder, name);
    mkdirSync(folder);
    const body = { title: name, name, configuration: { broker: { type: 'host', host_path: folder } } };
    t.equal((await world.call('POST', '/v6/workspaces/', body)).status, 201);
  }
  for (const file of ['a.txt', 'b.txt', 'c.csv']) writeFileSync(join(world.folder, 'old', file), file);
  const configuration = (...rules: object[]) => ({
    ...{ workspace: 'old', scanner: { type: 'dir' }, recursive: true },
    files_to_ingest: rules,
  });
  const scan = await world.call('POST', '/v6/scans/', {
    title: 'Edited',
    configuration: configuration(TEXTS),
  });
  t.equal(scan.status, 201, JSON.stringify(scan.json));
  const { id } = scan.json;

  const { page, troubles } = await openPage(t, world, `/console/scans/${id}/`);
  const counts = page.locator('section[aria-label="Files"]');
  const rows = counts.locator('tbody tr');
  const note = counts.locator('.note:has-text("The scan has other rules since")');
  const runDry = async (): Promise<void> => {
    await page.click('button:text("Dry run…")');
    await page.click('button:text("Start the dry run")');
    await page.locator('.dialog').waitFor({ state: 'detached' });
  };
  await runDry();
  await counts.locator('h2:has-text("counted by the dry run")').waitFor();
  await counts.locator('.section-head:has-text("as of")').waitFor();
  const counted = ['.*\\.txt 2 stays in place', 'No rule takes them 1'];
  const shown = async (): Promise<string[]> =>
    (await rows.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());
  t.strictSame(await shown(), counted);
  t.equal(await note.count(), 0);

  // Somebody else edits it while the page is open.
  const edited = configuration(TABLES, TEXTS);
  t.equal((await world.call('PATCH', `/v6/scans/${id}/`, { configuration: edited })).status, 204);
  await note.waitFor();
  t.strictSame(await shown(), counted, 'the rules that counted, not those that the scan has');

  await runDry();
  await note.waitFor({ state: 'detached' });
  await rows.nth(2).waitFor();
  await counts.locator('.section-head:has-text("as of")').waitFor();
  t.strictSame(await shown(), [
    ...['.*\\.csv 1 tables', '.*\\.txt 2 stays in place', 'No rule takes them 0'],
  ]);
  t.strictSame(troubles, []);
});
