/** One embedded PostgreSQL for a whole test run, without fsync. Tests of durability start their own. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startEmbedded } from '../../../src/embedded/postgres.ts';
import { createLogger } from '../../../src/observe/log.ts';
import { SERVICE_ENV, type Started } from './service.ts';

export async function startPostgres(folder: string): Promise<Started> {
  const dataDir = join(folder, 'db');
  mkdirSync(dataDir, { mode: 0o711 });
  const server = await startEmbedded({
    dataDir,
    log: createLogger({ level: 'error', name: 'test-postgres' }),
    isDurable: false,
    connectionsMax: 200,
    fallbackRoot: join(folder, 'db-elsewhere'),
  });
  return { env: { [SERVICE_ENV.postgres.url]: server.url }, stop: () => server.stop() };
}
