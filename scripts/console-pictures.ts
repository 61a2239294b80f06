/**
 * `node scripts/console-pictures.ts <address> <folder>`: pictures of every page of the console of a running service, in
 * both themes and as on a phone, to be looked at. With `--docs` instead of a folder, those that docs/ shows, or the
 * ones that are named after it. With `--make` it first makes what `npm run demo` leaves out, so that
 * no page is empty: for services with the demo's data only.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import { CONSOLE_PATHS } from '../src/api/console/console-routes.ts';
import { makeObjects } from './picture-objects.ts';

const DOCS = join(import.meta.dirname, '../docs');
const DESKTOP = { width: 1_280, height: 860 };
const PHONE = { width: 390, height: 844 };
/** Graphs and charts are drawn when their data is there. */
const DRAWN_MS = 1_500;
/** What is shown of a type, besides its first part. */
const TABS: Readonly<Record<string, readonly string[]>> = {
  'job-types': ['revisions', 'try', 'edit'],
  'recipe-types': ['definition', 'revisions', 'try', 'edit'],
};

/** Objects whose pages look different, as filters of their lists. */
const OBJECTS: Readonly<Record<string, readonly string[]>> = {
  jobs: ['status=COMPLETED', 'status=FAILED', 'status=QUEUED'],
  batches: ['order=id', 'order=-id'],
};

// biome-ignore lint/suspicious/noExplicitAny: records of any list
type Json = any;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { docs: { type: 'boolean', default: false }, make: { type: 'boolean', default: false } },
});
const [address = '', ...names] = positionals;
const [folder = ''] = names;

async function first(list: string, query = ''): Promise<Json | undefined> {
  const response = await fetch(new URL(`/v6/${list}/?page_size=1&${query}`, address));
  return ((await response.json()) as Json).results[0];
}

/** The path itself; one with places as the pages of objects of its list: the first one, or those that differ. */
async function addressesOf(path: string): Promise<readonly string[]> {
  if (!path.includes('{')) return [path];
  const list = path.split('/')[2] ?? '';
  const queries = OBJECTS[list] ?? [''];
  const found = await Promise.all(
    queries.map((query) => first(list === 'arrivals' ? 'ingests' : list, query)),
  );
  const places = found
    .filter((object) => object !== undefined)
    .map((object) => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(object[name])));
  const tabs = places.slice(0, 1).flatMap((place) => (TABS[list] ?? []).map((tab) => `${place}?tab=${tab}`));
  return [...places, ...tabs];
}

/** What README and docs/ show: the page, the name of its picture, and how high it is. */
async function docsPictures(): Promise<readonly (readonly [path: string, name: string, height: number])[]> {
  const [job, file, recipe, type] = await Promise.all([
    first('jobs', 'status=FAILED'),
    first('files', 'file_type=PRODUCT&order=-id'),
    first('recipes', 'recipe_type_name=demo-recipe&order=-id'),
    first('recipe-types'),
  ]);
  return [
    ['/', 'console-overview', 860],
    ['/console/flow/', 'console-flow', 580],
    [`/console/jobs/${job?.id}/`, 'console-job', 860],
    [`/console/files/${file?.id}/`, 'console-file', 860],
    [`/console/recipes/${recipe?.id}/`, 'console-recipe', 860],
    [`/console/recipe-types/${type?.name}/`, 'console-grid', 500],
  ];
}

async function show(page: Page, path: string): Promise<void> {
  await page.goto(new URL(path, address).href);
  await page.locator('main h1').waitFor();
  await page.locator('.loading').first().waitFor({ state: 'detached' });
  await page.waitForTimeout(DRAWN_MS);
}

const setTheme = (page: Page, theme: string) =>
  page.evaluate(`document.documentElement.setAttribute('data-theme', '${theme}')`);

async function takeAll(page: Page): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const path of (await Promise.all(CONSOLE_PATHS.map(addressesOf))).flat()) {
    const name = path.replaceAll(/[^a-z0-9]+/gi, '-').replaceAll(/^-|-$/g, '') || 'overview';
    await page.setViewportSize(DESKTOP);
    await show(page, path);
    for (const theme of ['light', 'dark']) {
      await setTheme(page, theme);
      await page.screenshot({ path: join(folder, `${name}-${theme}.png`) });
    }
    await page.setViewportSize(PHONE);
    await page.waitForTimeout(DRAWN_MS);
    for (const theme of ['light', 'dark']) {
      await setTheme(page, theme);
      await page.screenshot({ path: join(folder, `${name}-phone-${theme}.png`) });
    }
  }
}

async function takeForDocs(page: Page): Promise<void> {
  for (const [path, name, height] of await docsPictures()) {
    if (names.length > 0 && !names.includes(name)) continue;
    await page.setViewportSize({ ...DESKTOP, height });
    await show(page, path);
    await page.screenshot({ path: join(DOCS, `${name}.png`) });
  }
}

if (values.make) await makeObjects(address);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
});
try {
  const page = await browser.newPage({ colorScheme: 'light' });
  await (values.docs ? takeForDocs(page) : takeAll(page));
} finally {
  await browser.close();
}
