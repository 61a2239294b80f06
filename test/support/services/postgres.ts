/** One embedded PostgreSQL for a whole test run, without fsync. Tests of durability start their own. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../../../src/embedded/postgres.ts';
import { createLogger } from '../../../src/observe/log.ts';
import { SERVICE_ENV, type Started } from './service.ts';

const MEMORY = '/dev/shm';
// limit: what the databases of a run take at once is far less.
const MEMORY_BYTES_MIN = 4 * 1024 ** 3;

export async function startPostgres(folder: string): Promise<Started> {
  const home = hasMemory() ? mkdtempSync(join(MEMORY, 'millrace-test-')) : folder;
  chmodSync(home, 0o711); // the database's user must be able to enter it
  const dataDir = join(home, 'db');
  mkdirSync(dataDir, { mode: 0o711 });
  const server = await startEmbedded({
    dataDir,
    log: createLogger({ level: 'error', name: 'test-postgres' }),
    isDurable: false,
    connectionsMax: 200,
    fallbackRoot: join(folder, 'db-elsewhere'),
  });
  const stop = async () => {
    await server.stop();
    if (home !== folder) rmSync(home, { recursive: true, force: true });
  };
  return { env: { [SERVICE_ENV.postgres.url]: server.url }, stop };
}

/**
 * Each test's database is some hundreds of files that live for seconds. To find free inodes for them, ext4 goes through
 * all that were deleted lately, which takes more processor time than all else that the server does.
 */
function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return Math.min(bavail * bsize, freemem()) >= MEMORY_BYTES_MIN;
  } catch {
    return false; // not Linux
  }
}
