/** The pages of files in a real browser: search, previews of any content, lineage, and a purge. */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { until } from '../e2e/harness/until.ts';
import { needsBrowser } from '../support/browser.ts';
import { checkPages } from './checked-pages.ts';
import { type ConsoleWorld, HOSTILE, openPage, startConsole } from './console-world.ts';
import { type FileWorld, png, watchFiles } from './file-world.ts';

const HOSTILE_NAME = '<img src=x onerror=document.title=1>.txt';
const SVG = `<svg xmlns="http://www.w3.org/2000/svg"><script>document.title=1</script></svg>`;
/** Once it is drawn, in pixels. */
const PICTURE_WIDTH = `(async (one) => (await one.decode(), one.naturalWidth))(document.querySelector('img.picture'))`;

/** A file of each kind, by what it is. */
async function arriveAll(files: FileWorld) {
  return {
    table: await files.arrive('measured.csv', 'station,value\n"north, upper",12.5\nsouth,7\n'),
    json: await files.arrive('state.json', '{"id":12345678901234567890,"empty":[],"list":[1,{"a":"x: {"}]}'),
    image: await files.arrive('grey.png', png(64)),
    huge: await files.arrive('huge.png', png(8, 60_000)),
    broken: await files.arrive('broken.jpg', Buffer.from('ffd8ffe000104a46', 'hex')),
    svg: await files.arrive('drawn.svg', SVG),
    html: await files.arrive('page.html', `<h1>${HOSTILE}</h1>`),
    bytes: await files.arrive(
      'bytes.bin',
      Uint8Array.from({ length: 5_000 }, (_, at) => at % 256),
    ),
    long: await files.arrive('long.txt', `${'0123456789abcdé\n'.repeat(20_000)}the end`),
    empty: await files.arrive('empty.txt', ''),
    hostile: await files.arrive(HOSTILE_NAME, HOSTILE),
  };
}

async function asksOnce(t: Test, world: ConsoleWorld, fileId: number): Promise<void> {
  const directory = join(world.folder, 'arrivals');
  const content = async () => (await world.call('GET', `/v6/files/${fileId}/content/`)).status;
  renameSync(directory, `${directory}-away`);
  await until('no agent reads the content', async () => (await content()) === 503);
  const { page } = await openPage(t, world);
  let asked = 0;
  page.on('request', (request) => {
    if (request.url().includes(`/v6/files/${fileId}/content/`)) asked += 1;
  });
  await page.goto(new URL(`/console/files/${fileId}/`, world.url).href);
  const failure = page.locator('.preview .failure');
  await failure.waitFor();
  t.equal(asked, 1);
  t.match(
    await failure.locator('p').first().textContent(),
    /^See .*, then try again\.$/,
    'what to do is said',
  );
  t.match(await failure.locator('p').last().textContent(), /^(?:AGENT|WORKSPACE)_UNAVAILABLE, request \w/);
  renameSync(`${directory}-away`, directory);
  await until('an agent reads the content', async () => (await content()) === 200);
  await page.click('.preview button:text("Try again")');
  await page.locator('.preview pre.content').waitFor();
}

/** A list has shown that there is content. */
async function readsContentBesideDetails(t: Test, world: ConsoleWorld, fileId: number): Promise<void> {
  const { page, troubles } = await openPage(t, world, '/console/files/');
  const held = Promise.withResolvers<void>();
  await page.route(new RegExp(`/v6/files/${fileId}/$`), async (route) => {
    await held.promise;
    await route.continue();
  });
  let asked = 0;
  page.on('request', (request) => {
    if (request.url().includes(`/v6/files/${fileId}/content/`)) asked += 1;
  });
  const content = page.waitForRequest(`**/v6/files/${fileId}/content/?*`);
  await page.click(`a[href="/console/files/${fileId}/"]`);
  await content;
  held.resolve();
  await page.locator('.preview :is(pre.content, table)').waitFor();
  t.equal(asked, 1);
  t.strictSame(troubles, []);
}

async function purges(t: Test, world: ConsoleWorld, table: number, productId: number): Promise<void> {
  const { page } = await openPage(t, world, `/console/files/${table}/`);
  await page.locator('.graph-box:has-text("measured.csv")').waitFor();
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() === 404) refused.push(new URL(response.url()).pathname);
  });
  await page.click('button:text("Purge…")');
  const confirm = page.locator('button.danger:not(:disabled)');
  await confirm.waitFor();
  t.equal(await confirm.textContent(), 'Purge 3 files');
  t.match(await page.locator('.dialog').textContent(), /3 jobs and 1 recipe will be removed/);
  t.equal((await world.call('GET', `/v6/files/${table}/`)).status, 200, 'nothing is removed yet');
  await page.getByLabel(/Remove the bytes of the source/).check();
  await confirm.click();
  await page.locator('.receipt .status:has-text("Completed")').waitFor();
  t.match(await page.locator('.receipt').textContent(), /measured\.csv/);
  t.equal((await world.call('GET', `/v6/files/${table}/`)).status, 404);
  t.equal((await world.call('GET', `/v6/files/${productId}/`)).status, 404);
  const { json } = await world.call('GET', `/v6/purges/?file_id=${table}`);
  t.match(json.results[0], { status: 'COMPLETED', delete_source_bytes: true, removed: { jobs: 3 } });
  // The receipt is shown before the page has learnt that the file is gone.
  await page.locator(`h1 .number:text-is("${table}")`).waitFor();
  // Whether the file itself is asked for again depends on which change the page gets first.
  t.strictSame(
    refused.filter((path) => path !== `/v6/files/${table}/`),
    [],
    'nothing else of the removed file is asked for',
  );
  const again = await openPage(t, world, `/console/files/${table}/`);
  await again.page.locator('.receipt .status:has-text("Completed")').waitFor();
  t.strictSame(again.troubles, [], 'its address shows the receipt, and asks for no removed file');
  await again.page.goto(new URL(`/console/files/${productId}/`, world.url).href);
  await again.page.locator('text=removed with the source that it was made of, measured.csv').waitFor();
  await again.page.locator('.receipt .status:has-text("Completed")').waitFor();
  t.strictSame(again.troubles, [], 'so does that of its product');
}

async function readsOnly(t: Test, world: ConsoleWorld, fileId: number): Promise<void> {
  const account = { username: 'reader', password: 'a-password-of-tests', is_staff: false };
  t.equal((await world.call('POST', '/v6/accounts/', account)).status, 201);
  const { page, troubles } = await openPage(t, world, `/console/files/${fileId}/`, 'reader');
  await page.locator('pre.content').waitFor();
  t.equal(await page.locator('button:text("Purge…")').count(), 0);
  t.strictSame(troubles, []);
}

t.test('files in a browser', needsBrowser(), async (t) => {
  const world = await startConsole(t);

  await t.test('without files, the list says what to do first', (t) =>
    checkPages(t, world, ['/console/files/', '/console/files/?name=x']),
  );

  const files = await watchFiles(world);
  const all = await arriveAll(files);
  const { table, json, image, bytes, long } = all;
  const products = await files.products(table, 2);

  await t.test('no page has an error, a finding of axe-core, or is too wide', (t) =>
    checkPages(t, world, [
      '/console/files/',
      '/console/files/?type=PRODUCT&order=file_size',
      ...[table, json, image, bytes, long].map((id) => `/console/files/${id}/`),
      `/console/files/${products[0]}/?direction=ancestors&depth=1`,
    ]),
  );

  await t.test('files are found by a part of their name, and opened', async (t) => {
    const { page, troubles } = await openPage(t, world, '/console/files/');
    await page.locator('tbody tr').first().waitFor();
    await page.setViewportSize({ width: 1_280, height: 860 });
    const filters = await page.locator('.filters > *').all();
    t.equal(filters.length, 6);
    const tops = await Promise.all(filters.map(async (one) => (await one.boundingBox())?.y));
    t.equal(new Set(tops).size, 1, 'the filters stand in one line');
    await page.getByLabel('Name').fill('MEASURED');
    await page.waitForURL(/name=MEASURED/);
    await page.locator('.page-head [role=status]:text-is("1 file")').waitFor();
    await page.click('a:text("measured.csv")');
    await page.waitForURL(new RegExp(`/console/files/${table}/`));
    await page.goBack();
    t.equal(await page.getByLabel('Name').inputValue(), 'MEASURED', 'the address holds the search');
    await page.getByLabel('Type', { exact: true }).selectOption('PRODUCT');
    await page.locator('text=No file matches these filters').waitFor();
    t.strictSame(troubles, []);
  });

  const show = async (page: Page, id: number) => {
    await page.goto(new URL(`/console/files/${id}/`, world.url).href);
    await page.locator('section.preview h2').waitFor();
  };

  await t.test('a table, JSON and an image are shown as what they are', async (t) => {
    const { page, troubles } = await openPage(t, world);
    await show(page, table);
    t.strictSame(await page.locator('.table-content th').allTextContents(), ['station', 'value']);
    const cells = await page.locator('.table-content td').allTextContents();
    t.strictSame(cells, ['north, upper', '12.5', 'south', '7']);
    await show(page, json);
    t.equal(
      await page.locator('pre.content').textContent(),
      '{\n  "id": 12345678901234567890,\n  "empty": [],\n  "list": [\n    1,\n    {\n      "a": "x: {"\n    }\n  ]\n}',
      'numbers keep their digits',
    );
    await show(page, image);
    await page.locator('img.picture').waitFor();
    t.equal(await page.evaluate(PICTURE_WIDTH), 64);
    t.match(await page.locator('.preview').textContent(), /64 × 64 pixels/);
    t.strictSame(troubles, []);
  });

  await t.test('files that are too large, damaged or hostile are not drawn', async (t) => {
    const { page, troubles } = await openPage(t, world);
    for (const [id, words] of [
      [all.huge, /3,600 megapixels/],
      [all.broken, /could not be read from its beginning/],
      [bytes, /neither text nor a supported image/],
      [all.empty, /is empty/],
      [long, /the first 256 KiB of/],
    ] as const) {
      await show(page, id);
      t.match(await page.locator('.preview').textContent(), words);
      t.equal(await page.locator('.preview img').count(), 0);
    }
    for (const [id, text] of [
      [all.svg, SVG],
      [all.html, `<h1>${HOSTILE}</h1>`],
      [all.hostile, HOSTILE],
    ] as const) {
      await show(page, id);
      t.equal(await page.locator('pre.content').textContent(), text, 'it is text');
      t.equal(await page.locator('main img, main svg script').count(), 0);
      t.equal(await page.title(), 'Millrace');
    }
    t.strictSame(troubles, []);
  });

  await t.test('the lineage leads both ways', async (t) => {
    const { page, troubles } = await openPage(t, world, `/console/files/${table}/`);
    await page.locator('.graph-box').nth(4).waitFor();
    const boxes = await page.locator('.graph-box').allTextContents();
    t.equal(boxes.length, 5, 'the file, two jobs and their products');
    t.ok(boxes.some((text) => /^count/.test(text)));
    await page.locator('.graph-box a:text("copy.out")').click();
    await page.locator('h1:has-text("copy.out")').waitFor();
    await page.locator('.graph-box.main:has-text("copy.out")').waitFor();
    await page.locator('button:text("Descendants")').click();
    await page.waitForURL(/direction=descendants/);
    // Until the answer is there, the page shows the graph of both directions.
    await page.locator('.graph-box:has-text("measured.csv")').waitFor({ state: 'detached' });
    t.strictSame(troubles, []);
  });

  await t.test('a purge shows first what it would remove, and leaves a receipt', (t) =>
    purges(t, world, table, products[0] ?? 0),
  );

  await t.test('the content of a file of a list is read beside its details', (t) =>
    readsContentBesideDetails(t, world, json),
  );

  await t.test('content that no agent can read is asked for once, and again when a person wants it', (t) =>
    asksOnce(t, world, json),
  );

  await t.test('an account that may only read is offered no purge', (t) => readsOnly(t, world, json));
});
