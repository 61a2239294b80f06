/**
 * Files that are renamed into a watched directory: at a steady rate, how long after its rename each is INGESTED; all at
 * once, how many are ingested a second. Each starts its recipe, of one condition; a row shows what is left without it.
 *
 * Beside it inotifywait with a psql insert in a shell loop, at the same rate and all at once; and the bare limit: each
 * renamed, and one COPY of as many rows.
 */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { InterfaceClient } from '../test/support/clients/interface-client.ts';
import { medianOf, runBench } from './harness/bench.ts';
import { percentile, writtenRange } from './harness/figures.ts';
import { rate } from './harness/meter.ts';
import type { Sample } from './harness/results/result.ts';
import { type System, startSystem } from './harness/system.ts';
import { makeJobType, until } from './harness/work.ts';
import { openShellLoop, renameAndCopy } from './peers/arrivals.ts';

const STEP_MS = 10;
const PAGE = 1_000;
const CONTENT_BYTES = 1_000;

interface Strike {
  readonly id: number;
  readonly job: { readonly status: string };
}

/** A strike of its own on a directory of its own, with a monitor that runs. */
async function watched(
  client: InterfaceClient,
  folder: string,
  name: string,
  recipe: string,
): Promise<{ root: string; strikeId: number }> {
  const root = join(folder, name);
  mkdirSync(root);
  const broker = { type: 'host', host_path: root };
  await client.post('/v6/workspaces/', { title: name, configuration: { broker } });
  const strike = await client.post<Strike>('/v6/strikes/', {
    title: name,
    configuration: {
      ...{ workspace: name, monitor: { type: 'dir-watcher' }, recipe: { name: recipe } },
      files_to_ingest: [{ filename_regex: '.*' }],
    },
  });
  const ingested = () => client.count(`/v6/ingests/?strike_id=${strike.id}&status=INGESTED`);
  const first = join(folder, 'first');
  writeFileSync(first, 'x');
  renameSync(first, join(root, 'first'));
  await until('the monitor runs', async () => (await ingested()) === 1);
  return { root, strikeId: strike.id };
}

/** Files that wait to be renamed. */
function makeWaiting(waiting: string, total: number): void {
  mkdirSync(waiting, { recursive: true });
  const content = 'x'.repeat(CONTENT_BYTES);
  for (let n = 0; n < total; n++) writeFileSync(join(waiting, `f${n}`), `${n} ${content}`);
}

/** Renames them into place, each at its time, or all at once; when, by name, ms since 1970. */
async function arrive(waiting: string, root: string, total: number, perSecond: number) {
  const arrivals = new Map<string, number>();
  const began = performance.now();
  while (arrivals.size < total) {
    const due = Math.min(total, Math.ceil(((performance.now() - began) / 1_000) * perSecond));
    for (let n = arrivals.size; n < due; n++) {
      renameSync(join(waiting, `f${n}`), join(root, `f${n}`));
      arrivals.set(`f${n}`, Date.now());
    }
    if (arrivals.size < total) await sleep(STEP_MS);
  }
  return arrivals;
}

interface Ingest {
  readonly file_name: string;
  readonly ingest_ended: string;
}

async function latencies(
  client: InterfaceClient,
  strikeId: number,
  arrivals: ReadonlyMap<string, number>,
): Promise<number[]> {
  const all: number[] = [];
  for (let page = 1; (page - 1) * PAGE < arrivals.size + 1; page++) {
    const query = `strike_id=${strikeId}&order=id&page_size=${PAGE}&page=${page}`;
    const { results } = await client.get<{ results: readonly Ingest[] }>(`/v6/ingests/?${query}`);
    for (const { file_name: name, ingest_ended: ended } of results) {
      const arrived = arrivals.get(name);
      if (arrived !== undefined) all.push(Date.parse(ended) - arrived);
    }
  }
  if (all.length !== arrivals.size) throw new Error(`${all.length} of ${arrivals.size} files are listed`);
  return all;
}

/** Takes every file and ends without a job: an empty filter accepts nothing. */
const TAKES = 'bench-take';
/** Takes none of our files: what is left is the ingest. */
const PASSES = 'bench-pass';

async function defineRecipe(
  client: InterfaceClient,
  title: string,
  mediaTypes: readonly string[],
): Promise<void> {
  const none = {
    ...{ node_type: 'condition', interface: { files: [{ name: 'F' }] } },
    data_filter: { filters: [] },
  };
  await client.post('/v6/recipe-types/', {
    title,
    definition: {
      input: { files: [{ name: 'F', media_types: mediaTypes }] },
      nodes: {
        never: { dependencies: [], input: { F: { type: 'recipe', input: 'F' } }, node_type: none },
        job: {
          ...{ dependencies: [{ name: 'never' }], input: {} },
          node_type: { node_type: 'job', job_type_name: 'bench-take', job_type_version: '1.0.0' },
        },
      },
    },
  });
}

interface Taken {
  readonly sample: Sample;
  /** From the rename to INGESTED of each, ms. */
  readonly times: readonly number[];
}

/** Takes so many files at so many a second, each time on a strike of its own. */
function taker({ client, meter, folder }: System, waiting: string) {
  let strikes = 0;
  return async (total: number, perSecond: number, recipe = TAKES): Promise<Taken> => {
    strikes += 1;
    const { root, strikeId } = await watched(client, folder, `watched-${strikes}`, recipe);
    makeWaiting(waiting, total);
    const ingested = () => client.count(`/v6/ingests/?strike_id=${strikeId}&status=INGESTED`);
    let arrivals: ReadonlyMap<string, number> = new Map();
    const sample = await rate(total, meter, async () => {
      arrivals = await arrive(waiting, root, total, perSecond);
      await until('all are ingested', async () => (await ingested()) === total + 1);
    });
    const times = await latencies(client, strikeId, arrivals);
    await client.patch(`/v6/strikes/${strikeId}/`, { is_paused: true });
    return { sample, times };
  };
}

await runBench(import.meta.filename, async (bench) => {
  const perSecond = bench.parameter('rate', 20, 500);
  const steady = perSecond * bench.parameter('seconds', 1, 5);
  const bulk = bench.parameter('bulk', 20, 5_000);
  const shellFiles = bench.parameter('shell-files', 5, 200);
  const system = await startSystem(bench, { agent: 'process' });
  const { folder, databaseUrl, databaseMeter } = system;
  const shell = await openShellLoop(bench, databaseUrl, folder);
  const waiting = join(folder, 'waiting');
  const take = taker(system, waiting);
  const byShell = { isPeer: true, missing: shell.missing, isWarmedUp: false, runs: 1 };
  const shellRemark = 'a row each; no hash, no rules, no recipe';
  const halves: number[] = [];
  try {
    await makeJobType(system.client, 'bench-take', 'process:default', 'true');
    await defineRecipe(system.client, 'Bench take', []);
    await defineRecipe(system.client, 'Bench pass', ['image/tiff']);
    const rows = await bench.compare({
      ...{ title: `Rename to INGESTED at ${perSecond} files/s`, unit: 'ms, p99', each: 'file' },
      subjects: [
        {
          name: 'Millrace',
          work: async () => {
            const { sample, times } = await take(steady, perSecond);
            halves.push(percentile(times, 0.5));
            return { ...sample, value: percentile(times, 0.99) };
          },
        },
        {
          ...{ ...byShell, name: 'inotifywait and psql', remark: `${shellFiles} a run; ${shellRemark}` },
          work: () => shell.latency(Math.min(steady, shellFiles), perSecond),
        },
      ],
    });
    bench.note(`p50 of Millrace: ${writtenRange(halves.slice(-bench.runs))} ms.`);
    bench.aim({ text: 'p99', measured: medianOf(rows, 'Millrace'), wanted: 40, bound: 'most', unit: 'ms' });
    const bulkRows = await bench.compare({
      ...{ title: 'All at once', unit: 'files/s', each: 'file' },
      subjects: [
        { name: 'Millrace', work: async () => (await take(bulk, Number.POSITIVE_INFINITY)).sample },
        {
          name: 'Millrace, ingests alone',
          remark: 'the recipe takes no such files',
          work: async () => (await take(bulk, Number.POSITIVE_INFINITY, PASSES)).sample,
        },
        {
          ...{ ...byShell, name: 'inotifywait and psql', remark: `${shellFiles} a run; ${shellRemark}` },
          work: () => shell.bulk(shellFiles),
        },
        {
          ...{ name: 'rename and one COPY', isPeer: true, remark: 'nobody notices, hashes or decides' },
          work: async () => {
            makeWaiting(waiting, bulk);
            const root = join(folder, 'renamed');
            rmSync(root, { recursive: true, force: true });
            mkdirSync(root);
            return renameAndCopy(databaseUrl, databaseMeter, waiting, root, bulk);
          },
        },
      ],
    });
    const measured = medianOf(bulkRows, 'Millrace');
    bench.aim({ text: 'in bulk', measured, wanted: 5_000, bound: 'least', unit: 'files/s' });
  } finally {
    await system.stop();
  }
});
