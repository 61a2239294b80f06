/** A PostgreSQL of the bench's own with everything durable, in a folder of the bench's. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepEmbedded } from '../../src/embedded/keep.ts';
import { createLogger } from '../../src/observe/log.ts';
import { migratedDatabase } from '../../test/support/db.ts';
import { SERVICE_ENV } from '../../test/support/services/service.ts';
import type { Bench } from './bench.ts';
import { checkDurability, walBytes } from './durability.ts';
import type { Meter } from './meter.ts';
import { familySeconds } from './processor-time.ts';

export interface BenchDatabase {
  readonly url: string;
  /** The meter of the server: `postgres`, and its log. */
  readonly meter: Required<Meter>;
  stop(): Promise<void>;
}

/** A database on the server of the tests, with the schema, for tiny runs, whose figures nobody reads. */
async function openTinyDatabase(bench: Bench): Promise<BenchDatabase> {
  const drops: (() => Promise<void>)[] = [];
  const url = await migratedDatabase({ teardown: (drop) => void drops.push(drop) });
  const stop = async (): Promise<void> => {
    for (const drop of drops) await drop();
  };
  bench.atEnd(stop);
  await checkDurability(bench, url);
  return { url, meter: meterOf(url, () => 0), stop };
}

/** `folder` goes away with its owner; it must be passable for the server's user. */
export async function openBenchDatabase(bench: Bench, folder: string): Promise<BenchDatabase> {
  if (bench.isTiny && process.env[SERVICE_ENV.postgres.url] !== undefined) return openTinyDatabase(bench);
  const log = createLogger({ level: 'warn', name: 'bench' });
  const starting = keepEmbedded({ dataDir: folder, log });
  bench.atEnd(async () => {
    await (await starting).stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const embedded = await starting;
  await checkDurability(bench, embedded.url);
  const seconds = () => familySeconds(embedded.current.pid);
  return { url: embedded.url, meter: meterOf(embedded.url, seconds), stop: () => embedded.stop() };
}

function meterOf(url: string, seconds: () => number): Required<Meter> {
  return { cpu: () => ({ postgres: seconds() }), wal: () => walBytes(url) };
}

/**
 * For benches that stand on the worlds of the tests: these get databases of a durable server too, unless the run is
 * tiny. Call it before the first world is made.
 */
export async function openTestDatabases(bench: Bench): Promise<BenchDatabase | undefined> {
  if (bench.isTiny) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
  // Else the data would be placed elsewhere, and stay there.
  chmodSync(folder, 0o711);
  const database = await openBenchDatabase(bench, folder);
  process.env.MILLRACE_TEST_DATABASE_URL = database.url;
  return {
    ...database,
    async stop() {
      await database.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
