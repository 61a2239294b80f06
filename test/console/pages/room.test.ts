/** What needs most room: the widest amounts on a phone, and names of files that are superseded. */
import type { Page, Route } from 'playwright-core';
import t, { type Test } from 'tap';
import { needsBrowser } from '../../support/browser.ts';
import { type ConsoleWorld, openPage, SETTLED, startConsole } from '../console-world.ts';
import { filledPages } from './addresses-of-pages.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
type Json = any;

/** In MiB: shown as `1023 TiB`. */
const WIDEST_SIZE = 1_023 * 1_024 * 1_024;
const WIDEST_COUNT = 1_234_567;
const CUT_TABLES = `[...document.querySelectorAll('section.wide')]
  .filter((table) => table.scrollWidth > table.clientWidth).map((table) => table.getAttribute('aria-label'))`;
/** Amounts that take more than one line, except in cells that are divided: there each part has to be whole. */
const BROKEN = `[...document.querySelectorAll('main td.number:not(.divided), main td.divided > *')].filter((cell) => {
  const range = document.createRange();
  range.selectNodeContents(cell);
  return new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom / 10))).size > 1;
}).map((cell) => cell.textContent)`;

/** Asks again if the kept connection is one that the service, which closes idle ones, has just closed. */
const fetched = (route: Route) => route.fetch({ maxRetries: 3 });

const widened = (record: Readonly<Record<string, Json>>, value: Json): Json =>
  Object.fromEntries(Object.keys(record).map((name) => [name, value]));

interface Widened {
  readonly calls: string;
  change(answer: Json): Json;
}

const WIDENED: readonly Widened[] = [
  {
    calls: '**/v6/status/*',
    change: ({ nodes, ...status }) => ({
      ...status,
      nodes: nodes.map(({ resources, ...node }: Json) => ({
        ...node,
        resources: Object.fromEntries(
          Object.entries(resources).map(([name, amounts]) => [name, widened(amounts as Json, WIDEST_SIZE)]),
        ),
      })),
    }),
  },
  {
    calls: '**/v6/batches/*/',
    change: ({ job_metrics, ...batch }) => ({
      ...batch,
      job_metrics: Object.fromEntries(
        Object.entries(job_metrics).map(([name, metrics]) => [
          name,
          {
            ...widened(metrics as Json, WIDEST_COUNT),
            ...{ avg_job_duration: 'PT59M59S', min_job_duration: 'PT58M59S', max_job_duration: 'P99DT23H' },
          },
        ]),
      ),
    }),
  },
];

t.test('console: amounts stay whole on a phone, and names beside a state', needsBrowser(), async (t) => {
  const world = await startConsole(t);
  const { objects } = await filledPages(t, world);
  const at = (list: string): string => objects.find((path) => path.startsWith(`/console/${list}/`)) ?? list;
  await wholeAmounts(t, world, [
    at('nodes'),
    '/console/nodes/',
    '/console/queue/',
    at('batches'),
    at('jobs'),
  ]);
  await t.test('choices of a filter fill its field, and the ring of the focus is whole', (t) =>
    fieldsAndRings(t, world),
  );
  await t.test('the state of a file takes no room from its name', (t) => roomForNames(t, world));
  await t.test('a long word makes no page wider than its window', (t) =>
    longWords(t, world, ['/', '/console/strikes/', '/console/workspaces/', ...objects]),
  );
});

/** Filters whose choices end elsewhere than their field. */
const NARROW_CHOICES = `[...document.querySelectorAll('.filters .choice')].filter((field) => {
  const choices = field.querySelector('select, .chooser, input');
  return field.getBoundingClientRect().right - choices.getBoundingClientRect().right > 8;
}).map((field) => field.textContent.slice(0, 20))`;
/** Links and buttons whose ring stands out of a cell or box that cuts it off, when they have the focus. */
const CUT_RINGS = `[...document.querySelectorAll('.grid-body a, .graph-box button')].filter((one) => {
  one.focus({ preventScroll: true });
  const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(one);
  if (outlineStyle === 'none') return true;
  const out = parseFloat(outlineWidth) + parseFloat(outlineOffset);
  const [ring, cell] = [one.getBoundingClientRect(), one.parentElement.getBoundingClientRect()];
  const isCut = getComputedStyle(one.parentElement).overflowX === 'hidden';
  return isCut && (ring.left - out < cell.left || (ring.right <= cell.right && ring.right + out > cell.right));
}).map((one) => one.textContent)`;

async function fieldsAndRings(t: Test, world: ConsoleWorld): Promise<void> {
  const { page, troubles } = await openPage(t, world);
  await page.setViewportSize({ width: 640, height: 844 });
  for (const path of ['/console/jobs/', '/console/files/', '/console/flow/']) {
    await page.goto(new URL(path, world.url).href);
    await page.locator(SETTLED).waitFor({ state: 'attached' });
    await page.locator('.grid-body a, .graph-box button').first().waitFor();
    await page.keyboard.press('Tab');
    t.strictSame(await page.evaluate(NARROW_CHOICES), [], `${path}: its choices fill their fields`);
    t.strictSame(await page.evaluate(CUT_RINGS), [], `${path}: its rings are whole`);
  }
  t.strictSame(troubles, []);
}

/** As a path in the error of a program, or in the title of a strike. */
const LONG_WORD = `/${'long_'.repeat(50)}`;
const TEXTS: ReadonlySet<string> = new Set(['title', 'description', 'reason', 'help', 'pause_reason']);
/** Their titles are words of the service, which stand on buttons and beside states. */
const LABELLED: ReadonlySet<string> = new Set(['action', 'actions', 'state']);

/** An answer whose texts for people end with the long word. */
function withLongWords(value: Json, key = ''): Json {
  if (TEXTS.has(key) && (value === null || typeof value === 'string')) return `${value ?? ''} ${LONG_WORD}`;
  if (typeof value !== 'object' || value === null || LABELLED.has(key)) return value;
  if (Array.isArray(value)) return value.map((item) => withLongWords(item));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withLongWords(one, name)]));
}

async function longWords(t: Test, world: ConsoleWorld, paths: readonly string[]): Promise<void> {
  const { page, troubles } = await openPage(t, world);
  await page.route('**/v6/**', async (route) => {
    const response = await fetched(route);
    const isJson = response.headers()['content-type'] === 'application/json';
    await route.fulfill(isJson ? { response, json: withLongWords(await response.json()) } : { response });
  });
  for (const width of [390, 1_280]) {
    await page.setViewportSize({ width, height: 844 });
    for (const path of paths) {
      await page.goto(new URL(path, world.url).href);
      await page.locator(SETTLED).waitFor({ state: 'attached' });
      const wide = await page.evaluate('document.documentElement.scrollWidth');
      t.equal(wide, width, `${path} at ${width}`);
    }
  }
  await stopChanges(page);
  t.strictSame(troubles, []);
}

async function roomForNames(t: Test, world: ConsoleWorld): Promise<void> {
  const { page, troubles } = await openPage(t, world);
  await answersWider(page, '**/v6/files/?*', ({ results, ...list }) => ({
    ...list,
    results: results.map((file: Json) => ({ ...file, is_superseded: true })),
  }));
  await page.goto(new URL('/console/files/', world.url).href);
  const row = page.locator('.grid-body tr:has-text("Superseded")').first();
  await row.waitFor();
  t.match(await row.locator('.cell-type').getAttribute('title'), /^Superseded (source|product)$/);
  const name = (await row.locator('.cell-name').getAttribute('title')) ?? '';
  t.equal(await row.locator('.cell-name').innerText(), name, 'the name alone');
  await stopChanges(page);
  t.strictSame(troubles, []);
}

async function wholeAmounts(t: Test, world: ConsoleWorld, paths: readonly string[]): Promise<void> {
  const { page, troubles } = await openPage(t, world);
  await page.setViewportSize({ width: 390, height: 844 });
  for (const { calls, change } of WIDENED) await answersWider(page, calls, change);
  for (const path of paths) {
    await page.goto(new URL(path, world.url).href);
    await page.locator('.connection.live').waitFor();
    await page.locator(SETTLED).waitFor({ state: 'attached' });
    t.ok(await page.locator('main td.number').count(), `${path} has amounts`);
    t.strictSame(await page.evaluate(CUT_TABLES), [], `${path}: its tables fit`);
    t.strictSame(await page.evaluate(BROKEN), [], `${path}: each amount is in one line`);
  }
  await stopChanges(page);
  t.strictSame(troubles, []);
}

/** Changes no more answers. One that is on its way may find the page closed, which fails nothing then. */
async function stopChanges(page: Page): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
}

async function answersWider(page: Page, calls: string, change: Widened['change']): Promise<void> {
  await page.route(calls, async (route) => {
    const response = await fetched(route);
    await route.fulfill({ response, json: change(await response.json()) });
  });
}
