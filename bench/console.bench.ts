/**
 * The console in Chromium over 10^6 jobs, 10^5 recipes, 2,000 job types and as many recipe types: the first content of
 * every page and clicks from page to page, a grid of 25 recipes of 900 nodes, a followed log of 10^6 lines and a
 * progress bar, and what tabs keep in memory while 50 objects a second change. It fails when the console of the browser
 * has an error, or a request failed.
 *
 * `--only=pages,grid,log,memory` picks parts; `--seconds=` is how long the memory is watched.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeWorld } from '../test/store/store-world.ts';
import { measureGrid } from './console/grid.ts';
import { measureLog } from './console/log.ts';
import { measureMemory } from './console/memory.ts';
import { measurePages } from './console/pages.ts';
import { startConsole } from './console/served.ts';
import { runBench } from './harness/bench.ts';
import { openTestDatabases } from './harness/database.ts';
import { fillConsole } from './harness/load/console-history.ts';

await runBench(import.meta.filename, async (bench) => {
  const jobs = bench.parameter('jobs', 300, 1_000_000);
  const types = bench.parameter('types', 20, 2_000);
  const nodes = bench.parameter('nodes', 60, 900);
  const lines = bench.parameter('lines', 1_000, 1_000_000);
  const seconds = bench.parameter('seconds', 2, 3_600);
  const database = await openTestDatabases(bench);
  const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
  chmodSync(folder, 0o711); // passable for the users of tasks
  bench.atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const downs: (() => Promise<void>)[] = [];
  try {
    const world = await storeWorld({ teardown: (down) => void downs.push(down) });
    await fillConsole(world, { jobs, types, nodes });
    // The world holds the leases itself, for a day.
    await world.rows('update shard_lease set expires = now()');
    const served = await startConsole(bench, world, folder, (down) => void downs.push(down));
    const parts = {
      pages: () => measurePages(bench, world, served),
      grid: () => measureGrid(bench, served, nodes),
      log: () => measureLog(bench, served, lines),
      memory: () => measureMemory(bench, served, seconds),
    };
    for (const [name, measure] of Object.entries(parts)) {
      if (!bench.wants(name)) continue;
      bench.note(`load ${loadavg()[0]?.toFixed(1)} before ${name}`);
      const troubles = await measure();
      bench.aim({
        ...{ text: `${name}: errors of the browser and failed requests`, measured: troubles.length },
        ...{ wanted: 0, bound: 'most', unit: '' },
      });
      for (const trouble of troubles.slice(0, 5)) bench.note(`${name}: ${trouble}`);
      if (troubles.length > 0) process.exitCode = 1;
    }
    bench.note(`load ${loadavg()[0]?.toFixed(1)} at the end`);
  } finally {
    for (const down of downs.reverse()) await down();
    await database?.stop();
  }
});
