/**
 * Files that are renamed into a watched directory at a steady rate: how long after its rename each is INGESTED (p50,
 * p99, the last), how far the service falls behind, and what that costs. Beside it the bare way: each file read and
 * hashed.
 *
 * node bench/arrivals.bench.ts [files a second …, default 100 1000] [--seconds=20]
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { InterfaceClient } from '../src/cli/demo/interface-client.ts';
import { startSystem } from './harness/system.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '20' } },
});
const RATES = positionals.length > 0 ? positionals.map(Number) : [100, 1_000];
const SECONDS = Number(values.seconds);
const STEP_MS = 10;
const LOOK_MS = 100;
const PAGE = 1_000;
const DEADLINE_MS = 300_000;
const CONTENT_BYTES = 1_000;

const system = await startSystem({ agent: 'process' });
const { client } = system;
const waiting = join(system.folder, 'waiting');
mkdirSync(waiting);

const pause = (ms: number) => new Promise((wake) => setTimeout(wake, ms));

async function until(what: string, is: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await is())) {
    if (performance.now() > deadline) throw new Error(`${what}: not in time`);
    await pause(LOOK_MS);
  }
}

interface Strike {
  readonly id: number;
  readonly job: { readonly status: string };
}

/** A strike of its own on a directory of its own, with a monitor that runs. */
async function watched(client: InterfaceClient, name: string): Promise<{ root: string; strikeId: number }> {
  const root = join(system.folder, name);
  mkdirSync(root);
  const broker = { type: 'host', host_path: root };
  await client.post('/v6/workspaces/', { title: name, configuration: { broker } });
  const strike = await client.post<Strike>('/v6/strikes/', {
    title: name,
    configuration: {
      ...{ workspace: name, monitor: { type: 'dir-watcher' }, recipe: { name: 'bench-take' } },
      files_to_ingest: [{ filename_regex: '.*' }],
    },
  });
  const ingested = () => client.count(`/v6/ingests/?strike_id=${strike.id}&status=INGESTED`);
  writeFileSync(join(waiting, 'first'), 'x');
  renameSync(join(waiting, 'first'), join(root, 'first'));
  await until('the monitor runs', async () => (await ingested()) === 1);
  return { root, strikeId: strike.id };
}

/** Renames them into place, each at its time; when, by name, ms since 1970. */
async function arrive(root: string, rate: number): Promise<Map<string, number>> {
  const total = rate * SECONDS;
  const arrivals = new Map<string, number>();
  const content = 'x'.repeat(CONTENT_BYTES);
  for (let n = 0; n < total; n++) writeFileSync(join(waiting, `f${n}`), `${n} ${content}`);
  const began = performance.now();
  while (arrivals.size < total) {
    const due = Math.min(total, Math.ceil(((performance.now() - began) / 1_000) * rate));
    for (let n = arrivals.size; n < due; n++) {
      renameSync(join(waiting, `f${n}`), join(root, `f${n}`));
      arrivals.set(`f${n}`, Date.now());
    }
    await pause(STEP_MS);
  }
  return arrivals;
}

interface Ingest {
  readonly file_name: string;
  readonly ingest_ended: string;
}

async function latencies(strikeId: number, arrivals: ReadonlyMap<string, number>): Promise<number[]> {
  const all: number[] = [];
  for (let page = 1; (page - 1) * PAGE < arrivals.size + 1; page++) {
    const query = `strike_id=${strikeId}&order=id&page_size=${PAGE}&page=${page}`;
    const { results } = await client.get<{ results: readonly Ingest[] }>(`/v6/ingests/?${query}`);
    for (const { file_name: name, ingest_ended: ended } of results) {
      const arrived = arrivals.get(name);
      if (arrived !== undefined) all.push(Date.parse(ended) - arrived);
    }
  }
  return all.sort((a, b) => a - b);
}

async function bench(rate: number): Promise<void> {
  const { root, strikeId } = await watched(client, `watched-${rate}`);
  const before = system.spent();
  const began = performance.now();
  const arrivals = await arrive(root, rate);
  const arrivedMs = performance.now() - began;
  const ingested = () => client.count(`/v6/ingests/?strike_id=${strikeId}&status=INGESTED`);
  const behind = arrivals.size + 1 - (await ingested());
  await until('all are ingested', async () => (await ingested()) === arrivals.size + 1);
  const allMs = performance.now() - began;
  const after = system.spent();
  const times = await latencies(strikeId, arrivals);
  if (times.length !== arrivals.size) throw new Error(`${times.length} of ${arrivals.size} files are listed`);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  const each = (name: 'coordinator' | 'agent' | 'postgres') =>
    `${name} ${(((after[name] - before[name]) * 1_000) / times.length).toFixed(2)} ms`;
  const bareBegan = performance.now();
  for (const name of arrivals.keys())
    createHash('sha256')
      .update(readFileSync(join(root, name)))
      .digest();
  const bareMs = (performance.now() - bareBegan) / times.length;
  process.stdout.write(
    [
      `${times.length} files at ${(times.length / (arrivedMs / 1_000)).toFixed(0)}/s`,
      `  arrival to INGESTED  p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, last ${at(1)} ms`,
      `  behind at the end    ${behind} files; all after ${(allMs / 1_000).toFixed(1)} s`,
      `  processor a file     ${each('coordinator')}, ${each('agent')}, ${each('postgres')}`,
      `  read and hashed      ${bareMs.toFixed(3)} ms a file`,
      '',
    ].join('\n'),
  );
  await client.patch(`/v6/strikes/${strikeId}/`, { is_paused: true });
}

try {
  await client.post('/v6/job-types/', {
    ...{ container_image: 'process:default', configuration: {} },
    manifest: {
      seedVersion: '1.0.0',
      job: {
        ...{ name: 'bench-take', jobVersion: '1.0.0', packageVersion: '1.0.0', title: 'Take', timeout: 60 },
        ...{ description: 'Does nothing', maintainer: { name: 'Bench', email: 'bench@example.com' } },
        interface: { command: 'true' },
      },
    },
  });
  const none = {
    node_type: 'condition',
    interface: { files: [{ name: 'F' }] },
    data_filter: { filters: [] },
  };
  await client.post('/v6/recipe-types/', {
    title: 'Bench take',
    definition: {
      input: { files: [{ name: 'F' }] },
      // An empty filter accepts nothing: the recipe ends without a job, so that ingests are all there is to do.
      nodes: {
        never: { dependencies: [], input: { F: { type: 'recipe', input: 'F' } }, node_type: none },
        job: {
          ...{ dependencies: [{ name: 'never' }], input: {} },
          node_type: { node_type: 'job', job_type_name: 'bench-take', job_type_version: '1.0.0' },
        },
      },
    },
  });
  for (const rate of RATES) await bench(rate);
} finally {
  await system.stop();
}
