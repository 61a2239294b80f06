/**
 * Runs pending migrations in a thread that ends afterwards, so that a coordinator keeps neither the migrator nor its
 * connections.
 */
import { Worker } from 'node:worker_threads';
import type { Migrated, ToMigrate } from './migrator-worker.ts';

/** Returns the names of the applied migrations. Throws the driver's error, with its code. */
export async function runMigrations(workerData: ToMigrate): Promise<readonly string[]> {
  const worker = new Worker(new URL('./migrator-worker.ts', import.meta.url), { workerData });
  const migrated = await new Promise<Migrated>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the migrator ended with ${code}`)));
  });
  if (migrated.ok) return migrated.names;
  throw Object.assign(new Error(migrated.message), { code: migrated.code });
}
