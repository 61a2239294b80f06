/** A service over bulk data, pages of a browser, and what both are asked. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { buildConsole } from '../../scripts/build/console.ts';
import type { StoreWorld } from '../../test/store/store-world.ts';
import { FOR_PEOPLE, startBrowser } from '../../test/support/browser.ts';
import { InterfaceClient } from '../../test/support/clients/interface-client.ts';
import { freePort } from '../../test/support/services/free-port.ts';
import type { Bench } from '../harness/bench.ts';
import { millrace } from '../harness/program.ts';
import { until } from '../harness/work.ts';

const LOOK_MS = 100;

export interface Served {
  readonly url: string;
  readonly client: InterfaceClient;
  /** A folder of files that a node reaches. */
  readonly folder: string;
  newPage(): Promise<Page>;
}

export async function startConsole(
  bench: Bench,
  world: StoreWorld,
  folder: string,
  atEnd: (down: () => Promise<void>) => void,
): Promise<Served> {
  // The runner of the tests has built it.
  if (process.env.MILLRACE_TEST_BUILT === undefined)
    await buildConsole(join(import.meta.dirname, '../../dist/console'));
  const grpc = `127.0.0.1:${await freePort()}`;
  const coordinator = millrace(bench, 'coordinator', {
    ...{ DATABASE_URL: world.url, MILLRACE_HTTP: '127.0.0.1:0', MILLRACE_GRPC: grpc },
    MILLRACE_DATA_DIR: join(folder, 'coordinator'),
  });
  atEnd(() => coordinator.stop());
  const url = await coordinator.ready;
  const agent = millrace(bench, 'agent', {
    ...{ MILLRACE_COORDINATORS: grpc, MILLRACE_EXECUTORS: 'process:default' },
    MILLRACE_DATA_DIR: join(folder, 'agent'),
  });
  atEnd(() => agent.stop());
  await agent.ready;
  const browser = await startBrowser({ teardown: atEnd }, bench.isTiny ? undefined : FOR_PEOPLE);
  const client = new InterfaceClient(url);
  await until('the node is online', async () => (await client.count('/v6/nodes/')) > 2, LOOK_MS);
  const files = join(folder, 'files');
  mkdirSync(files);
  return { url, client, folder: files, newPage: () => browser.newPage() };
}

export async function makeJob(
  client: InterfaceClient,
  name: string,
  script: string,
  cpus: number,
): Promise<number> {
  const job = {
    ...{ name, jobVersion: '1.0.0', packageVersion: '1.0.0', title: name, timeout: 3_600, description: name },
    maintainer: { name: 'Bench', email: 'bench@example.com' },
    resources: { scalar: [{ name: 'cpus', value: cpus }] },
    interface: { command: `sh -c '${script}'` },
  };
  const { id } = await client.post<{ id: number }>('/v6/job-types/', {
    ...{ container_image: 'process:default', manifest: { seedVersion: '1.0.0', job } },
    configuration: { log_limit: 256 },
  });
  return id;
}

/** What the page keeps after garbage was collected. */
export async function heldBy(page: Page): Promise<{ mib: number; nodes: number }> {
  const session = await page.context().newCDPSession(page);
  try {
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    const { nodes } = await session.send('Memory.getDOMCounters');
    return { mib: usedSize / 2 ** 20, nodes };
  } finally {
    await session.detach();
  }
}

/** What a page has as long as data is missing: a part that is read, a chart, a row, or all rows of a list. */
const UNREAD = '.loading, .plot-space, .unread, table.grid[aria-rowcount="1"]';
/** The place of a graph that is not drawn yet, on a page that may have all its data. */
const UNDRAWN = '.graph-space .loading';

/** Milliseconds until the browser paints content, and until the page has its data. */
export async function firstContent(page: Page, url: string): Promise<{ painted: number; shown: number }> {
  const began = performance.now();
  await page.goto(url, { waitUntil: 'commit' });
  // What could not be read is among the failed requests.
  const head = page.locator('main :is(h1, .failure)').first();
  await head.waitFor({ state: 'attached' }).catch((cause: unknown) => {
    throw new Error(`nothing shows at ${url}`, { cause });
  });
  await page.locator(UNREAD).first().waitFor({ state: 'detached' });
  const shown = performance.now() - began;
  // The browser reports a paint some time after it.
  const painted = await page.evaluate(`new Promise((resolve) => new PerformanceObserver((list) => {
    const [paint] = list.getEntriesByName('first-contentful-paint');
    if (paint !== undefined) resolve(paint.startTime);
  }).observe({ type: 'paint', buffered: true }))`);
  return { painted: Number(painted), shown };
}

export interface Click {
  /** Milliseconds until the page that the link leads to has its data. */
  readonly shown: number;
  /** Until its graph is drawn, too. */
  readonly drawn: number;
}

/** Clicks on the first link of the page whose path matches. Undefined: there is no such link. */
export const clickTo = (page: Page, path: RegExp): Promise<Click | undefined> =>
  page.evaluate(`new Promise((resolve, reject) => {
    const links = [...document.querySelectorAll('nav a, main a')];
    const link = links.find((one) => ${path}.test(one.getAttribute('href')));
    if (link === undefined) return resolve(undefined);
    const heading = () => document.querySelector('main h1')?.textContent;
    const before = heading();
    const began = performance.now();
    link.click();
    let shown;
    const look = () => {
      // The link is marked before the page that it leads to has come.
      const isThere = heading() !== undefined && heading() !== before;
      const took = performance.now() - began;
      const unread = [...document.querySelectorAll('${UNREAD}')];
      if (isThere && unread.every((part) => part.matches('${UNDRAWN}'))) shown ??= took;
      if (isThere && unread.length === 0) resolve({ shown, drawn: took });
      else if (took > 30_000) reject(new Error(link.href + ' is not shown'));
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  })`) as Promise<Click | undefined>;
