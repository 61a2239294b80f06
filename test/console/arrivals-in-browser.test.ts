/** The pages of arrivals, strikes, workspaces and the flow in a real browser. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { until } from '../e2e/harness/until.ts';
import { needsBrowser } from '../support/browser.ts';
import { axeFindings } from './axe.ts';
import { checkPages } from './checked-pages.ts';
import { type ConsoleWorld, openPage, startConsole } from './console-world.ts';
import { type FileWorld, watchFiles } from './file-world.ts';

const HOSTILE_NAME = '<img src=x onerror=document.title=1>.txt';
const LISTS = ['arrivals', 'strikes', 'workspaces', 'flow'].map((name) => `/console/${name}/`);

interface Shown {
  readonly world: ConsoleWorld;
  readonly strikeId: number;
  readonly workspace: number;
}

async function followsCauses(t: Test, { world, strikeId, workspace }: Shown): Promise<void> {
  const strike = `/v6/strikes/${strikeId}/`;
  await world.call('PATCH', strike, { is_paused: true });
  const { page, troubles } = await openPage(t, world, `/console/workspaces/${workspace}/?path=later.txt`);
  await page.locator('.causes:has-text("is paused")').waitFor();
  t.notMatch(await page.locator('.causes').textContent(), '/v6/', 'words, not calls');
  await page.click('.causes button:text("Resume the strike")');
  t.equal((await world.call('GET', strike)).json.is_paused, true, 'it is asked first');
  await page.click('.dialog button.primary:text("Resume the strike")');
  await page.locator('.causes:has-text("no such file was seen")').waitFor();
  t.equal((await world.call('GET', strike)).json.is_paused, false);
  await page.goto(new URL(`/console/workspaces/${workspace}/?path=one.txt`, world.url).href);
  const { json } = await world.call('GET', '/v6/files/why/?workspace=arrivals&path=one.txt');
  const recipe = json.ingests[0].recipe.id;
  await page.click(`.causes a:text-is("Show recipe ${recipe}")`);
  await page.waitForURL(`**/console/recipes/${recipe}/`);
  t.strictSame(troubles, []);
}

async function triesNames(t: Test, { world, strikeId }: Shown): Promise<void> {
  const { page, troubles } = await openPage(t, world, `/console/strikes/${strikeId}/`);
  await page.getByLabel(/Names of files/).fill(`report.csv\nreport.csv_tmp\nmoved-x\nx.y\n${HOSTILE_NAME}`);
  await page.click('button:text("Try")');
  await page.locator('.tried tbody tr').nth(4).waitFor();
  const rows = await page.locator('.tried tbody tr').allTextContents();
  t.match(rows[0], /report\.csv.*✓Taken1 .*arrivals report\.csvchecked-files, revision 1/);
  t.match(rows[1], /Not taken.*transfer suffix _tmp/);
  t.match(rows[2], /Taken2 .*products moved\//);
  t.match(rows[3], /Not taken.*No rule/);
  t.match(rows[4], /^<img src=x/);
  await page.locator('[role=status]:text-is("3 of 5 names taken")').waitFor();
  t.equal(
    await page.locator('[role=status] table, table [role=status]').count(),
    0,
    'the table is not read out',
  );
  t.equal(await page.locator('main img').count(), 0);
  t.strictSame(troubles, []);
}

async function triesNamesOfArrivals(t: Test, { world, strikeId }: Shown): Promise<void> {
  const { page, troubles } = await openPage(t, world, '/console/arrivals/');
  await page.click('button:text("Try names…")');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(/Names of files/).waitFor();
  t.equal(await dialog.getByLabel('Strike').inputValue(), String(strikeId), 'a single strike is chosen');
  await dialog.getByLabel(/Names of files/).fill('report.csv\nx.y');
  await dialog.locator('button:text("Try")').click();
  await dialog.locator('.tried tbody tr').nth(1).waitFor();
  const rows = await dialog.locator('.tried tbody tr').allTextContents();
  t.match(rows[0], /Taken1 .*arrivals report\.csvchecked-files/);
  t.match(rows[1], /Not taken.*No rule/);
  for (const [name, width] of [
    ['desktop', 1_280],
    ['phone', 390],
  ] as const) {
    await page.setViewportSize({ width, height: 844 });
    t.strictSame(await axeFindings(page), [], name);
    const folder = process.env.CONSOLE_PICTURES;
    if (folder !== undefined) await page.screenshot({ path: `${folder}/try-names-${name}.png` });
  }
  t.strictSame(troubles, []);
}

/** What the page writes on its canvases. */
const NOTE_TEXTS = `window.drawn = [];
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
    window.drawn.push(text);
    return fillText.call(this, text, ...rest);
  };`;

async function dividesSizes(t: Test, world: ConsoleWorld, files: FileWorld): Promise<void> {
  await files.arrive('large.bin', new Uint8Array(5_000_000));
  const figures = '/v6/metrics/ingests/plot-data/?column=file_size_sum';
  await until('its size is counted', async () => {
    const [series] = (await world.call('GET', figures)).json.results;
    return series.values.some(({ value }: { value: number }) => value > 5_000_000);
  });
  const { page, troubles } = await openPage(t, world);
  await page.addInitScript(NOTE_TEXTS);
  await page.goto(new URL('/console/metrics/?type=ingests&column=file_size_sum', world.url).href);
  const sizes = async () =>
    ((await page.evaluate('window.drawn')) as readonly string[]).filter((text) => text.endsWith('B'));
  await until('the axis is drawn', async () => (await sizes()).length > 1);
  t.strictSame([...new Set(await sizes())].sort(), ['0 B', '2 MiB', '4 MiB']);
  t.strictSame(troubles, []);
}

t.test('browser: pages of arrivals', needsBrowser(), async (t) => {
  const world = await startConsole(t);
  const files = await watchFiles(world);
  await files.arrive('one.txt', 'one');
  const last = await files.arrive(HOSTILE_NAME, 'two');
  await files.products(last, 2);
  writeFileSync(join(world.folder, 'arrivals/unknown.xyz'), 'x');
  let deferred = 0;
  await until('the file that no rule takes is deferred', async () => {
    const { json } = await world.call('GET', '/v6/ingests/?status=DEFERRED');
    deferred = json.results[0]?.id ?? 0;
    return deferred > 0;
  });
  const { json: found } = await world.call('GET', '/v6/ingests/?status=INGESTED');
  const { json: places } = await world.call('GET', '/v6/workspaces/?name=arrivals');
  const [ingested, workspace] = [found.results[0].id, places.results[0].id];
  const shown = { world, strikeId: files.strikeId, workspace };

  await t.test('no page has an error, a finding of axe-core, or is too wide', (t) =>
    checkPages(t, world, [
      ...LISTS,
      `/console/arrivals/${ingested}/`,
      `/console/arrivals/${deferred}/`,
      `/console/strikes/${files.strikeId}/`,
      `/console/workspaces/${workspace}/?path=unknown.xyz`,
      `/console/flow/?range=P1D&at=strike-${files.strikeId}`,
    ]),
  );

  await t.test('an arrival says why it is not taken', async (t) => {
    const { page, troubles } = await openPage(t, world, '/console/arrivals/');
    await page.locator('tbody tr').nth(2).waitFor();
    t.match(await page.locator('tbody').textContent(), /<img src=x/, 'names are text');
    t.equal(await page.locator('main img').count(), 0);
    await page.getByLabel('Status').selectOption('DEFERRED');
    await page.waitForURL(/status=DEFERRED/);
    await page.click('a:text("unknown.xyz")');
    await page.locator('.page-head .status:has-text("Deferred")').waitFor();
    await page.locator('.causes:has-text("no rule")').waitFor();
    t.strictSame(troubles, []);
  });

  await t.test('a person tries names on the rules of a strike', (t) => triesNames(t, shown));
  await t.test('a person tries them beside the list of arrivals', (t) => triesNamesOfArrivals(t, shown));
  await t.test('a strike is paused and resumed', async (t) => {
    const { page, troubles } = await openPage(t, world, `/console/strikes/${files.strikeId}/`);
    const isPaused = async () => (await world.call('GET', `/v6/strikes/${files.strikeId}/`)).json.is_paused;
    await page.click('button:text("Pause")');
    await page.locator('.page-head .status:has-text("Paused")').waitFor();
    t.equal(await isPaused(), true);
    await page.click('button:text("Resume")');
    await page.locator('.page-head .status:has-text("Watching")').waitFor();
    t.equal(await isPaused(), false);
    t.strictSame(troubles, []);
  });

  await t.test('a form with one field watches a directory', async (t) => {
    const directory = join(world.folder, 'more');
    mkdirSync(directory);
    const { page, troubles } = await openPage(t, world, '/console/strikes/');
    await page.click('button:text("Watch a directory…")');
    await page.getByLabel('Directory', { exact: true }).fill('not/absolute');
    await page.click('.dialog button.primary');
    await page.locator('.dialog .failure').waitFor();
    t.match(await page.locator('.dialog .failure').textContent(), /host_path/, 'what is wrong is said');
    await page.getByLabel('Directory', { exact: true }).fill(directory);
    await page.click('.dialog button.primary');
    await page.locator('.page-head .status:has-text("Watching")').waitFor();
    writeFileSync(join(directory, 'three.txt_tmp'), 'three');
    writeFileSync(join(directory, 'three.txt'), 'three');
    await until('the file of the directory is recorded', async () => {
      const { json } = await world.call('GET', '/v6/files/?file_name=three.txt');
      return json.count === 1;
    });
    // The browser may say only now that the first directory was refused.
    t.strictSame(
      troubles.filter((one) => !/\b400\b/.test(one)),
      [],
    );
  });

  await t.test('a cause has a button that carries out its remedy', (t) => followsCauses(t, shown));
  await t.test('a click filters the flow, and its figures link to their lists', async (t) => {
    const { page, troubles } = await openPage(t, world, '/console/flow/');
    const box = (title: string) => page.locator(`.graph-box:has-text("${title}")`);
    await box('Arriving files').waitFor();
    t.match(await box('Arriving files').textContent(), /Strike: /, 'a workspace may have the same title');
    t.match(await page.locator('.graph-label').first().textContent(), /\d/);
    // Its middle is below the title, which is the button.
    await page.locator('.graph-box:has(button:text("Arriving files"))').click();
    await page.waitForURL(/at=strike-/);
    await page.locator('.graph-box.faint').first().waitFor();
    t.notMatch(await box('Checked files').getAttribute('class'), /faint/, 'what it starts stays');
    const figures = page.locator('section[aria-label=Figures] tbody tr');
    t.match(
      await figures.first().textContent(),
      /arrivals.*workspaceArriving files strike2 files.*\/h/,
      'two files were ingested',
    );
    await page.click('section[aria-label=Chosen] a:text("Arrivals")');
    await page.waitForURL(new RegExp(`/console/arrivals/\\?strike=${files.strikeId}`));
    await page.locator('.page-head [role=status]:text-is("3 files")').waitFor();
    t.strictSame(troubles, []);
  });

  await t.test('the axis of sizes is divided at powers of two', (t) => dividesSizes(t, world, files));
  await t.test('an account that may only read is offered no change', async (t) => {
    const account = { username: 'reader', password: 'a-password-of-tests', is_staff: false };
    t.equal((await world.call('POST', '/v6/accounts/', account)).status, 201);
    const { page, troubles } = await openPage(t, world, `/console/strikes/${files.strikeId}/`, 'reader');
    await page.getByLabel(/Names of files/).fill('a.txt');
    await page.click('button:text("Try")');
    await page.locator('.tried tbody tr').waitFor();
    t.equal(await page.locator('button:text("Pause")').count(), 0);
    await page.goto(new URL('/console/strikes/', world.url).href);
    await page.locator('tbody tr').first().waitFor();
    t.equal(await page.locator('.page-actions button').count(), 0);
    t.strictSame(troubles, []);
  });
});
