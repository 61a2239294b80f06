/** What takes note of files without Millrace: a shell loop over inotify events, and the least that could be done. */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../harness/bench.ts';
import { missingPeer } from '../harness/debian.ts';
import { withClient } from '../harness/durability.ts';
import { percentile } from '../harness/figures.ts';
import { type Meter, OWN_METER, rate } from '../harness/meter.ts';
import { end, runToEnd } from '../harness/program.ts';
import type { Sample } from '../harness/results/result.ts';
import { until } from '../harness/work.ts';

const STEP_MS = 10;
const LOOK_MS = 50;

/** A psql for each file, as such loops are written. */
const SCRIPT = `inotifywait -q -m -e moved_to --format %f "$1" | while read -r name; do
  psql -qX "$2" -v name="$name" <<'SQL'
insert into peer_arrival (name) values (:'name');
SQL
done`;

export interface ShellLoop {
  readonly missing: string | undefined;
  /** p99 from the rename to the row, ms. */
  latency(files: number, perSecond: number): Promise<Sample>;
  /** Files a second, all at once. */
  bulk(files: number): Promise<Sample>;
}

/** Never in a tiny run. */
export async function openShellLoop(bench: Bench, url: string, folder: string): Promise<ShellLoop> {
  const programs = await missingPeer(bench, ['inotifywait', 'psql'], 'inotify-tools');
  const missing = bench.isTiny ? 'not in this run' : programs;
  return {
    missing,
    async latency(files, perSecond) {
      const arrived = new Map<string, number>();
      const { sample, rows } = await run(url, folder, files, perSecond, arrived);
      const waits = rows.map(({ name, at }) => at - (arrived.get(name) ?? Number.NaN));
      return { ...sample, value: percentile(waits, 0.99) };
    },
    async bulk(files) {
      return (await run(url, folder, files, Number.POSITIVE_INFINITY, new Map())).sample;
    },
  };
}

async function run(
  url: string,
  folder: string,
  files: number,
  perSecond: number,
  arrived: Map<string, number>,
): Promise<{ sample: Sample; rows: { name: string; at: number }[] }> {
  const [root, waiting] = ['peer-watched', 'peer-waiting'].map((name) => join(folder, name)) as [
    string,
    string,
  ];
  for (const each of [root, waiting]) mkdirSync(each, { recursive: true });
  await withClient(url, async (client) => {
    await client.query('drop table if exists peer_arrival');
    await client.query('create table peer_arrival (name text, at timestamptz default clock_timestamp())');
  });
  const shell = spawn('sh', ['-c', SCRIPT, 'sh', root, url], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  try {
    await sleep(1_000); // it says nothing when it watches
    for (let n = 0; n < files; n++) writeFileSync(join(waiting, `f${n}`), String(n));
    const counted = () =>
      withClient(url, async (client) => (await client.query('select 1 from peer_arrival')).rowCount ?? 0);
    const sample = await rate(files, OWN_METER, async () => {
      const began = performance.now();
      while (arrived.size < files) {
        const due = Math.min(files, Math.ceil(((performance.now() - began) / 1_000) * perSecond));
        for (let n = arrived.size; n < due; n++) {
          renameSync(join(waiting, `f${n}`), join(root, `f${n}`));
          arrived.set(`f${n}`, Date.now());
        }
        await sleep(STEP_MS);
      }
      await until('the loop has noted all', async () => (await counted()) === files, LOOK_MS);
    });
    const rows = await withClient(url, async (client) => {
      const found = await client.query(
        'select name, extract(epoch from at)::float8 * 1000 as at from peer_arrival',
      );
      return found.rows as { name: string; at: number }[];
    });
    return { sample, rows };
  } finally {
    // The shell and what it started: a group of their own.
    if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGTERM');
    await end(shell);
    await runToEnd(['rm', '-rf', root, waiting]);
  }
}

/** Renames what waits, then one COPY of a row each. */
export async function renameAndCopy(
  url: string,
  meter: Required<Meter>,
  waiting: string,
  root: string,
  files: number,
): Promise<Sample> {
  await withClient(url, async (client) => {
    await client.query('drop table if exists peer_copy');
    await client.query('create table peer_copy (name text primary key, size bigint, at timestamptz)');
  });
  return rate(files, { ...meter, cpu: () => ({ ...OWN_METER.cpu(), ...meter.cpu() }) }, async () => {
    for (let n = 0; n < files; n++) renameSync(join(waiting, `f${n}`), join(root, `f${n}`));
    const rows = readdirSync(root).map((name) => `${name}\t1000\tnow\n`);
    await runToEnd(['psql', '-qX', url, '-c', 'copy peer_copy from stdin'], rows.join(''));
  });
}
