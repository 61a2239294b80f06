/** A dataset is created in a real browser: its files are found first, and then stored as its members. */
import t from 'tap';
import { needsBrowser } from '../../support/browser.ts';
import { openPage, startConsole } from '../console-world.ts';
import { watchFiles } from '../file-world.ts';

t.test('console: a dataset is created of files that are found first', needsBrowser(), async (t) => {
  const world = await startConsole(t);
  const files = await watchFiles(world);
  const ids = [await files.arrive('north.csv', 'a\n1\n'), await files.arrive('south.csv', 'a\n2\n')];
  await files.arrive('east.txt', 'no table');
  const { page, troubles } = await openPage(t, world, '/console/datasets/new/');
  await page.getByLabel('Title').fill('Tables');
  await page.getByLabel('Part of the name').fill('nothing like it');
  await page.click('button:text("Find the files")');
  await page.locator('.empty:has-text("No stored file matches")').waitFor();
  await page.getByLabel('Part of the name').fill('.csv');
  await page.click('button:text("Find the files")');
  await page.locator('text=2 members, one for each file').waitFor();
  t.equal((await world.call('GET', '/v6/datasets/')).json.count, 0, 'nothing is stored yet');
  await page.click('button:text("Create the dataset")');
  await page.waitForURL(/\/console\/datasets\/\d+\/$/);
  const [, id] = /(\d+)\/$/.exec(page.url()) ?? [];
  t.match((await world.call('GET', `/v6/datasets/${id}/`)).json, { title: 'Tables' });
  const { json } = await world.call('GET', `/v6/datasets/${id}/members/`);
  const members = json.results.map(
    ({ data }: { data: { files: { FILE: unknown } } }) => [data.files.FILE].flat()[0],
  );
  t.strictSame(members.sort(), ids.sort());
  await page.locator('.member-files a:text-is("south.csv")').waitFor();
  await page.click('.member-files a:text-is("north.csv")');
  await page.waitForURL(new RegExp(`/console/files/${ids[0]}/`));
  t.strictSame(troubles, []);
});
