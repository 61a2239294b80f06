/** Every page over bulk data: its first content, clicks that lead to it, and the slowest call that it makes. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { CONSOLE_PATHS } from '../../src/api/console/console-routes.ts';
import { watch } from '../../test/console/console-world.ts';
import type { StoreWorld } from '../../test/store/store-world.ts';
import type { Bench } from '../harness/bench.ts';
import { median } from '../harness/figures.ts';
import { until } from '../harness/work.ts';
import { clickTo, firstContent, type Served } from './served.ts';

type Path = (typeof CONSOLE_PATHS)[number];

/** Where clicks begin: it reads nothing that grows. */
const FIRST = '/console/tokens/';
const FILE = 'bench.txt';
/** A tiny run visits one in so many pages. */
const TINY_ONE_IN = 5;

/** The objects that pages of one object show, by the path of the page. */
async function objectsOf(
  world: StoreWorld,
  { client, folder }: Served,
): Promise<ReadonlyMap<string, string>> {
  const make = async (path: string, body: object) =>
    String((await client.post<{ id: number }>(path, body)).id);
  const lastOf = async (text: string) => String((await world.one<{ id: number }>(text)).id);
  const broker = { type: 'host', host_path: folder };
  const workspace = await make('/v6/workspaces/', {
    ...{ name: 'bench', title: 'Bench', configuration: { broker } },
  });
  const files_to_ingest = [{ filename_regex: '.*' }];
  const recipe = { name: 'many-1' };
  // A file that is there, so that its page has something to show.
  writeFileSync(join(folder, FILE), 'a line of the bench\n'.repeat(1_000));
  const strike = await make('/v6/strikes/', {
    ...{ name: 'bench', title: 'Bench' },
    configuration: { workspace: 'bench', monitor: { type: 'dir-watcher' }, files_to_ingest, recipe },
  });
  await until('the file is ingested', async () => (await client.count(`/v6/files/?file_name=${FILE}`)) > 0);
  const scan = await make('/v6/scans/', {
    ...{ name: 'bench', title: 'Bench' },
    configuration: {
      ...{ workspace: 'bench', scanner: { type: 'dir' }, recursive: true, files_to_ingest, recipe },
    },
  });
  const dataset = await make('/v6/datasets/', {
    title: 'Bench',
    definition: { version: '7', parameters: { json: [{ name: 'NUMBER', type: 'integer' }] } },
    data: Array.from({ length: 1_000 }, (_, NUMBER) => ({ files: {}, json: { NUMBER } })),
  });
  const objects: Partial<Record<Path, string>> = {
    '/console/workspaces/{id}/': workspace,
    '/console/strikes/{id}/': strike,
    '/console/scans/{id}/': scan,
    '/console/datasets/{id}/': dataset,
    '/console/batches/{id}/': '43',
    '/console/nodes/{id}/': await lastOf('select max(id) as id from node'),
    '/console/jobs/{id}/': await lastOf(
      `select coalesce(max(id) filter (where status = 'FAILED'), max(id)) as id from job`,
    ),
    '/console/files/{id}/': await lastOf(`select id from file where file_name = '${FILE}'`),
    '/console/arrivals/{id}/': await lastOf(`select id from ingest where file_name = '${FILE}'`),
    '/console/recipes/{id}/': '1',
    '/console/recipe-types/{name}/': 'many-1',
    '/console/job-types/{name}/{version}/': 'type-a/1.0.0',
  };
  return new Map(Object.entries(objects));
}

interface PageFigures {
  readonly path: Path;
  /** The page's path with its object. */
  readonly address: string;
  readonly painted: number[];
  readonly shown: number[];
  readonly first: number[];
  /** As `first`, until the graph is drawn, too. */
  readonly drawn: number[];
  readonly again: number[];
  slowest: { readonly call: string; readonly ms: number };
}

/** The call of the page that took longest until now. */
async function slowestCall(page: Page): Promise<PageFigures['slowest']> {
  const found = await page.evaluate(`performance.getEntriesByType('resource')
    .filter(({ name }) => new URL(name).pathname.startsWith('/v6/'))
    .map(({ name, requestStart, responseEnd }) => ({ call: name, ms: responseEnd - requestStart }))
    .reduce((slowest, one) => (one.ms > slowest.ms ? one : slowest), { call: '', ms: 0 })`);
  return found as PageFigures['slowest'];
}

/** Where a list leads to the page of an object, the click is on the first of them, not on the form of a new one. */
function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, '(?!new/)[^/?]+')}$`);
}

const isForm = (path: string): boolean => /\/new[/-]/.test(path);
const listOf = (path: string): string => path.slice(0, path.indexOf('{'));

async function clickEach(page: Page, origin: string, all: readonly PageFigures[]): Promise<void> {
  await firstContent(page, new URL(FIRST, origin).href);
  for (const round of ['first', 'again'] as const) {
    for (const figures of all.filter(({ path }) => !isForm(path))) {
      const isElsewhere = new URL(page.url()).pathname !== listOf(figures.path);
      if (figures.path.includes('{') && isElsewhere) await clickTo(page, pathPattern(listOf(figures.path)));
      const took = await clickTo(page, pathPattern(figures.path));
      if (took === undefined) continue;
      figures[round].push(took.shown);
      if (round === 'first') figures.drawn.push(took.drawn);
    }
  }
}

/** Answers what went wrong in the browser. */
export async function measurePages(bench: Bench, world: StoreWorld, served: Served): Promise<string[]> {
  const objects = await objectsOf(world, served);
  const each: PageFigures[] = CONSOLE_PATHS.map((path) => {
    const object = objects.get(path);
    const address = object === undefined ? path : path.replace(/\{.*\}/, object);
    if (address.includes('{')) throw new Error(`no object for ${path}`);
    return {
      ...{ path, address, painted: [], shown: [], first: [], drawn: [], again: [] },
      slowest: { call: '', ms: 0 },
    };
  });
  const all = bench.isTiny ? each.filter((_, index) => index % TINY_ONE_IN === 0) : each;
  const page = await served.newPage();
  const troubles = watch(page);
  for (let run = 0; run < bench.runs; run += 1) {
    for (const figures of all) {
      const { painted, shown } = await firstContent(page, new URL(figures.address, served.url).href);
      figures.painted.push(painted);
      figures.shown.push(shown);
      const slowest = await slowestCall(page);
      if (run === 0 || slowest.ms < figures.slowest.ms) figures.slowest = slowest;
    }
    await clickEach(page, served.url, all);
  }
  await page.close();
  report(bench, all);
  return troubles;
}

function report(bench: Bench, all: readonly PageFigures[]): void {
  const rounded = (times: readonly number[]) => (times.length === 0 ? '–' : Math.round(median(times)));
  bench.add({
    ...{ kind: 'figures', title: 'Pages, ms' },
    columns: [
      ...['', 'first content', 'with its data', 'click, first visit', 'its graph drawn', 'click, later'],
      ...['slowest call of the page', 'least it took'],
    ],
    rows: all.map(({ address, painted, shown, first, drawn, again, slowest: { call, ms } }) => [
      ...[address, rounded(painted), rounded(shown), rounded(first), rounded(drawn), rounded(again)],
      ...[call === '' ? '–' : new URL(call).pathname, Math.round(ms)],
    ]),
  });
  const [bound, unit] = ['most', 'ms'] as const;
  const worst = (figure: 'painted' | 'first' | 'again') =>
    Math.max(...all.filter((one) => one[figure].length > 0).map((one) => median(one[figure])));
  bench.aim({ text: 'first content, slowest page', measured: worst('painted'), wanted: 1_000, bound, unit });
  bench.aim({ text: 'click, first visit, slowest page', measured: worst('first'), wanted: 100, bound, unit });
  bench.aim({ text: 'click, later, slowest page', measured: worst('again'), wanted: 100, bound, unit });
}
