/**
 * The console in Chromium over 10^6 jobs, 10^5 recipes and 2,000 job types: the first content of each list page, clicks
 * from page to page, a followed log of 10^6 lines and a progress bar, and what a tab keeps in memory while 50 objects a
 * second change. Errors of the browser's console and failed requests are counted.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { buildConsole } from '../scripts/build/console.ts';
import { CONSOLE_PATHS } from '../src/api/console/console-routes.ts';
import { watch } from '../test/console/console-world.ts';
import { type StoreWorld, storeWorld } from '../test/store/store-world.ts';
import { startBrowser } from '../test/support/browser.ts';
import { InterfaceClient } from '../test/support/clients/interface-client.ts';
import { freePort } from '../test/support/services/free-port.ts';
import { type Bench, runBench } from './harness/bench.ts';
import { openTestDatabases } from './harness/database.ts';
import { withClient } from './harness/durability.ts';
import { median } from './harness/figures.ts';
import { fillHistory } from './harness/load/list-history.ts';
import { millrace } from './harness/program.ts';
import { until } from './harness/work.ts';

const CHANGES_PER_S = 50;
/** A tenth of a second's changes are made at once. */
const TURNS_PER_S = 10;
const LINE_CHARS = 100;
const PROGRESS_STEPS = 20_000;
const LOG_END = 'the end of the log';
const LOOK_MS = 100;

/** Pages that show a list or a summary; forms read nothing that grows. */
const PAGES = CONSOLE_PATHS.filter((path) => !path.includes('{') && !/\/new[/-]/.test(path));

interface Served {
  readonly url: string;
  readonly client: InterfaceClient;
  newPage(): Promise<Page>;
}

/** Types beside those that the rows are of, each with its revision. */
async function addTypes(world: StoreWorld, types: number): Promise<void> {
  await withClient(world.url, async (client) => {
    await client.query(
      `with added as (
         insert into job_type (name, version, title, container_image, is_published, created, last_modified)
         select 'many-' || i, '1.0.0', 'Many ' || i, 'image:a', true, now(), now() from generate_series(1, $1::int) i
         returning id)
       insert into job_type_rev (job_type_id, revision_num, container_image, manifest, created)
       select added.id, 1, r.container_image, r.manifest, now() from added
       join job_type_rev r on r.id = $2`,
      [types, world.ids.rev],
    );
    await client.query('analyze job_type, job_type_rev');
  });
}

/** Milliseconds until the browser paints content, and until the page has its data. */
async function firstContent(page: Page, url: string): Promise<{ painted: number; shown: number }> {
  const began = performance.now();
  await page.goto(url, { waitUntil: 'commit' });
  await page.locator('main h1').waitFor({ state: 'attached' });
  await page.locator('.loading').first().waitFor({ state: 'detached' });
  const shown = performance.now() - began;
  const painted = Number(
    await page.evaluate('performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN'),
  );
  return { painted, shown };
}

/** Milliseconds from the click on a link of the navigation until the page that it leads to has its data. */
const clickTo = (page: Page, path: string): Promise<number> =>
  page.evaluate(`new Promise((resolve, reject) => {
    const link = document.querySelector('nav a[href="${path}"]');
    const heading = () => document.querySelector('main h1')?.textContent;
    const before = heading();
    const began = performance.now();
    link.click();
    const look = () => {
      // The link is marked before the page that it leads to has come.
      const isThere = heading() !== undefined && heading() !== before;
      const took = performance.now() - began;
      if (isThere && document.querySelector('.loading') === null) resolve(took);
      else if (took > 30_000) reject(new Error('${path} is not shown'));
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  })`) as Promise<number>;

async function measurePages(bench: Bench, served: Served): Promise<void> {
  const page = await served.newPage();
  const troubles = watch(page);
  const painted = new Map<string, number[]>(PAGES.map((path) => [path, []]));
  const [shown, first, again] = [
    structuredClone(painted),
    structuredClone(painted),
    structuredClone(painted),
  ];
  for (let run = 0; run < bench.runs; run += 1) {
    for (const path of PAGES) {
      const took = await firstContent(page, new URL(path, served.url).href);
      painted.get(path)?.push(took.painted);
      shown.get(path)?.push(took.shown);
    }
    await firstContent(page, new URL('/console/tokens/', served.url).href);
    for (const round of [first, again]) {
      for (const path of PAGES) round.get(path)?.push(await clickTo(page, path));
    }
  }
  const typical = (times: ReadonlyMap<string, number[]>, path: string) => median(times.get(path) ?? []);
  bench.add({
    ...{ kind: 'figures', title: 'Pages, ms' },
    columns: ['', 'first content', 'with its data', 'click, first visit', 'click, later'],
    rows: PAGES.map((path) => [
      path,
      ...[painted, shown, first, again].map((times) => Math.round(typical(times, path))),
    ]),
  });
  const worst = (times: ReadonlyMap<string, number[]>) =>
    Math.max(...PAGES.map((path) => typical(times, path)));
  const [bound, unit] = ['most', 'ms'] as const;
  bench.aim({ text: 'first content, slowest page', measured: worst(painted), wanted: 1_000, bound, unit });
  bench.aim({ text: 'click, first visit, slowest page', measured: worst(first), wanted: 100, bound, unit });
  bench.aim({ text: 'click, later, slowest page', measured: worst(again), wanted: 100, bound, unit });
  bench.aim({
    ...{ text: 'errors of the browser and failed requests', measured: troubles.length, wanted: 0, bound },
    unit: '',
  });
  for (const trouble of troubles.slice(0, 5)) bench.note(`trouble: ${trouble}`);
  await page.close();
}

async function makeJob(client: InterfaceClient, name: string, script: string, cpus: number): Promise<number> {
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

/** Follows a log while it is written. A page that is busy paints no frame meanwhile. */
async function measureLog(bench: Bench, served: Served, lines: number): Promise<void> {
  const line = 'x'.repeat(LINE_CHARS - 1);
  const output = `yes ${line} | head -n ${lines}; seq ${PROGRESS_STEPS} | tr "\\n" "\\r"`;
  const script = `sleep 3; ${output}; echo; echo ${LOG_END}`;
  const type = await makeJob(served.client, 'bench-log', script, 0.1);
  const { id } = await served.client.post<{ id: number }>('/v6/jobs/', { job_type_id: type, input: {} });
  const page = await served.newPage();
  const troubles = watch(page);
  await page.goto(new URL(`/console/jobs/${id}/`, served.url).href);
  await page.evaluate(`(() => {
    window.longestFrame = 0;
    let last = performance.now();
    const look = (now) => {
      window.longestFrame = Math.max(window.longestFrame, now - last);
      last = now;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  })()`);
  const began = performance.now();
  await page.locator(`.log-line:has-text("${LOG_END}")`).waitFor({ timeout: 180_000 });
  const seconds = (performance.now() - began) / 1_000;
  const ended = await served.client.get<{ status: string }>(`/v6/jobs/${id}/`);
  bench.add({
    ...{
      kind: 'figures',
      title: `A log of ${lines} lines of ${LINE_CHARS} bytes and a progress bar, followed`,
    },
    columns: ['', 'figure'],
    rows: [
      ['until its last line shows, s', seconds],
      ['longest time without a frame, ms', Number(await page.evaluate('window.longestFrame'))],
      ['memory of the page afterwards, MiB', (await heldBy(page)).mib],
      ['elements of the page', Number(await page.evaluate('document.querySelectorAll("*").length'))],
      ['errors of the browser and failed requests', troubles.length],
    ],
  });
  bench.note(`the job of the log is ${ended.status}`);
  await page.close();
}

/** What the page keeps after garbage was collected. */
async function heldBy(page: Page): Promise<{ mib: number; nodes: number }> {
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

async function measureMemory(bench: Bench, served: Served, minutes: number): Promise<void> {
  // No node has so many cores: each job stays queued, and its creation is all that happens.
  const type = await makeJob(served.client, 'bench-changes', 'true', 1_000);
  const page = await served.newPage();
  const troubles = watch(page);
  await page.goto(new URL('/console/jobs/', served.url).href);
  await page.locator('tbody tr').first().waitFor();
  const rows = [['before', 0, ...Object.values(await heldBy(page))]];
  const began = performance.now();
  let made = 0;
  const elapsed = (): number => (performance.now() - began) / 60_000;
  for (let minute = 1; elapsed() < minutes; ) {
    const posts = Array.from({ length: CHANGES_PER_S / TURNS_PER_S }, () =>
      served.client.post('/v6/jobs/', { job_type_id: type, input: {} }),
    );
    await Promise.all(posts);
    made += posts.length;
    await sleep(Math.max(0, (made / CHANGES_PER_S) * 1_000 - (performance.now() - began)));
    if (elapsed() >= minute || elapsed() >= minutes) {
      rows.push([`after ${elapsed().toFixed(1)} minutes`, made, ...Object.values(await heldBy(page))]);
      minute += 1;
    }
  }
  bench.add({
    ...{ kind: 'figures', title: 'The list of jobs while jobs are created' },
    columns: ['', 'jobs created', 'memory of the page, MiB', 'nodes of its document'],
    rows,
  });
  bench.note(`${Math.round(made / (elapsed() * 60))} jobs a second were created`);
  bench.aim({
    ...{
      text: 'errors of the browser and failed requests while jobs are created',
      measured: troubles.length,
    },
    ...{ wanted: 0, bound: 'most', unit: '' },
  });
  await page.close();
}

async function startConsole(
  bench: Bench,
  world: StoreWorld,
  folder: string,
  atEnd: (down: () => Promise<void>) => void,
): Promise<Served> {
  await buildConsole(join(import.meta.dirname, '../dist/console'));
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
  const browser = await startBrowser({ teardown: atEnd });
  const client = new InterfaceClient(url);
  await until('the node is online', async () => (await client.count('/v6/nodes/')) > 2, LOOK_MS);
  return { url, client, newPage: () => browser.newPage() };
}

await runBench(import.meta.filename, async (bench) => {
  const jobs = bench.parameter('jobs', 300, 1_000_000);
  const types = bench.parameter('types', 20, 2_000);
  const lines = bench.parameter('lines', 1_000, 1_000_000);
  const minutes = bench.parameter('minutes', 0.02, 5);
  const database = await openTestDatabases(bench);
  const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
  chmodSync(folder, 0o711); // passable for the users of tasks
  bench.atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const downs: (() => Promise<void>)[] = [];
  try {
    const world = await storeWorld({ teardown: (down) => void downs.push(down) });
    await fillHistory(world, 'jobs', jobs);
    await world.rows(`select setval(pg_get_serial_sequence('event', 'id'), max(id)) from event`);
    await addTypes(world, types);
    // The world holds the leases itself, for a day.
    await world.rows('update shard_lease set expires = now()');
    const served = await startConsole(bench, world, folder, (down) => void downs.push(down));
    const load = () => loadavg()[0]?.toFixed(1);
    bench.note(`load ${load()} before pages`);
    if (bench.wants('pages')) await measurePages(bench, served);
    bench.note(`load ${load()} after pages`);
    if (bench.wants('log')) await measureLog(bench, served, lines);
    if (bench.wants('memory')) await measureMemory(bench, served, minutes);
    bench.note(`load ${load()} at the end`);
  } finally {
    for (const down of downs.reverse()) await down();
    await database?.stop();
  }
});
