/** The migrator's thread: migrates the schema to this program's, reports the result, ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { openOrm } from './orm.ts';

export interface ToMigrate {
  readonly url: string;
  readonly applicationName: string;
}

export type Migrated =
  | { readonly ok: true; readonly names: readonly string[] }
  | { readonly ok: false; readonly message: string; readonly code: string | undefined };

async function migrated({ url, applicationName }: ToMigrate): Promise<Migrated> {
  const orm = openOrm(url, applicationName);
  try {
    const done = await orm.migrator.up();
    return { ok: true, names: done.map(({ name }) => name) };
  } catch (error) {
    // An error that is posted to another thread loses its fields.
    const { message, code } = error as Error & { readonly code?: string };
    return { ok: false, message, code };
  } finally {
    await orm.close(true).catch(() => undefined);
  }
}

parentPort?.postMessage(await migrated(workerData as ToMigrate));
