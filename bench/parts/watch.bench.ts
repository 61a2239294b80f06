/**
 * A watched directory with very many files: what the watch keeps in memory of each once all are acknowledged, and how
 * soon a file that is renamed into the directory is reported while the first listing still lasts.
 *
 * The watch runs in this process, as it does in an agent; batches are acknowledged at once, those of the second measure
 * by a coordinator that records 2,000 files a second.
 */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { systemMonitorClock } from '../../node-agent/clock.ts';
import { EventWatermark } from '../../node-agent/monitor/event-watermark.ts';
import { watchDirectory } from '../../node-agent/monitor/watch-directory.ts';
import { createLogger } from '../../src/observe/log.ts';
import { runBench } from '../harness/bench.ts';
import { until } from '../harness/work.ts';

const RECORDED_A_SECOND = 2_000;
const RENAMED = 5;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes of the heap and of buffers. */
function memoryBytes(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Resolves when the directory is watched. `stableMs`: undefined as it is in an agent. */
async function watch(
  root: string,
  stableMs: number | undefined,
  onBatch: (paths: readonly string[]) => Promise<void>,
) {
  let isReached = false;
  const begun = watchDirectory({
    root,
    transferSuffix: '_tmp',
    ...(stableMs === undefined ? {} : { stableMs }),
    clock: systemMonitorClock,
    watermark: new EventWatermark(systemMonitorClock),
    log: createLogger({ level: 'warn' }),
    check: async () => ({ isReachable: true, isUnmarked: false, reason: '' }),
    onBatch: (files) => onBatch(files.map(({ path }) => path)),
    onReach: () => {
      isReached = true;
    },
  });
  await until('the directory is watched', async () => isReached, 1);
  return begun;
}

await runBench(import.meta.filename, async (bench) => {
  const files = bench.parameter('files', 300, 1_000_000);
  const parent = mkdtempSync(join(tmpdir(), 'millrace-watch-'));
  const root = join(parent, 'root');
  mkdirSync(root);
  try {
    // With those that are renamed in, an agent's limit of files a directory is not exceeded.
    for (let n = RENAMED; n < files; n += 1) writeFileSync(join(root, `scene-${n}.tif`), '');

    const seen = new Set<string>();
    const starting = await watch(root, undefined, async (paths) => {
      await sleep((1_000 * paths.length) / RECORDED_A_SECOND);
      for (const path of paths) if (path.startsWith('renamed')) seen.add(path);
    });
    const latencies: number[] = [];
    for (let n = 0; n < RENAMED; n += 1) {
      writeFileSync(join(parent, 'aside'), `content ${n}`);
      const name = `renamed-${n}`;
      const beganMs = performance.now();
      renameSync(join(parent, 'aside'), join(root, name));
      await until(`${name} is reported`, async () => seen.has(name), 5);
      latencies.push(performance.now() - beganMs);
    }
    const listings = starting.stats().listingCount;
    await starting.stop();

    const before = memoryBytes();
    let most = 0;
    let batches = 0;
    const all = await watch(root, 100, async () => {
      batches += 1;
      if (batches % 100 === 0) most = Math.max(most, memoryBytes() - before);
    });
    await until('all are reported', async () => {
      const { listingCount, knownCount, pendingCount } = all.stats();
      return listingCount > 0 && knownCount >= files && pendingCount === 0;
    });
    await sleep(100); // the last batch is acknowledged
    const kept = memoryBytes() - before;
    most = Math.max(most, kept);
    await all.stop();

    const longest = Math.max(...latencies);
    bench.add({
      ...{ kind: 'figures', title: `${files} files in the directory`, columns: ['', ''] },
      rows: [
        ['memory once all are acknowledged, bytes a file', kept / files],
        ['most memory until then, bytes a file', most / files],
        ['the first file renamed in is reported after, ms', latencies[0] as number],
        ['the slowest of five, ms', longest],
        ['listings that had ended by then', listings],
      ],
    });
    bench.aim({ text: 'memory a file', measured: kept / files, wanted: 200, bound: 'most', unit: 'B' });
    bench.aim({
      text: 'renamed in while the listing lasts',
      measured: longest,
      wanted: 1_000,
      bound: 'most',
      unit: 'ms',
    });
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
});
