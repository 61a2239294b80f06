/**
 * A watched temporary directory, and what its watch has reported so far. Waits on conditions, never on time
 * alone.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Test } from 'tap';
import { openDirectoryReader } from '../../../node-agent/monitor/directory-reader.ts';
import { EventWatermark } from '../../../node-agent/monitor/event-watermark.ts';
import type { SeenFile } from '../../../node-agent/monitor/file-tracker.ts';
import type { MonitorClock } from '../../../node-agent/monitor/monitor-clock.ts';
import {
  type DirectoryWatch,
  type WatchOptions,
  watchDirectory,
} from '../../../node-agent/monitor/watch-directory.ts';
import { createLogger } from '../../../src/observe/log.ts';
import type { Reach } from '../../../src/storage/broker.ts';

export const realClock: MonitorClock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  timer: (afterMs, run) => {
    const timer = setTimeout(run, afterMs);
    return () => clearTimeout(timer);
  },
};

export interface Report extends SeenFile {
  readonly atMs: number;
}

export interface WatchWorld {
  readonly root: string;
  /** A directory beside the root, on the same file system. */
  readonly beside: string;
  readonly reports: Report[];
  readonly reaches: Reach[];
  readonly watch: DirectoryWatch;
  /** Waits for the first report of the path with that arrival. */
  reported(path: string, arrival: SeenFile['arrival']): Promise<Report>;
  arrivalsOf(path: string): string[];
}

const DEADLINE_MS = 30_000;

export async function until<T>(what: string, find: () => T | undefined | false): Promise<T> {
  const startedMs = performance.now();
  for (;;) {
    const found = find();
    if (found !== undefined && found !== false) return found;
    if (performance.now() - startedMs > DEADLINE_MS) throw new Error(`not within ${DEADLINE_MS} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

export async function makeWatch(t: Test, options: Partial<WatchOptions> = {}): Promise<WatchWorld> {
  const parent = await mkdtemp(join(await localDirectory(), 'millrace-watch-'));
  const root = options.root ?? (await mkdtemp(join(parent, 'root-')));
  const reports: Report[] = [];
  const reaches: Reach[] = [];
  const watch = watchDirectory({
    transferSuffix: '_tmp',
    clock: realClock,
    watermark: new EventWatermark(realClock),
    log: createLogger({ level: 'warn', destination: new PassThrough().resume() }),
    check: async () => ({ isReachable: true, isUnmarked: false, reason: '' }),
    onBatch: async (files) => {
      for (const file of files) reports.push({ ...file, atMs: performance.now() });
    },
    onReach: (reach) => reaches.push(reach),
    ...options,
    root,
  });
  t.teardown(async () => {
    await watch.stop();
    await rm(parent, { recursive: true, force: true });
  });
  const world: WatchWorld = {
    root,
    beside: parent,
    reports,
    reaches,
    watch,
    reported: (path, arrival) =>
      until(`${path} ${arrival}`, () =>
        reports.find((file) => file.path === path && file.arrival === arrival),
      ),
    arrivalsOf: (path) => reports.filter((file) => file.path === path).map(({ arrival }) => arrival),
  };
  return world;
}

/** A container's root may be a file system on which nothing is proved; its shared memory is not. */
async function localDirectory(): Promise<string> {
  const reader = await openDirectoryReader(tmpdir());
  return reader.isLocal ? tmpdir() : '/dev/shm';
}

/** Waits until the watch has listed once and its watermark runs: from then on events prove things. */
export async function settled(world: WatchWorld): Promise<void> {
  await until('the first listing', () => world.watch.stats().listingCount > 0);
  await pause(60);
}

/** Lets real time pass, where a test needs a file to be old. Nothing is concluded from how long it takes. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
