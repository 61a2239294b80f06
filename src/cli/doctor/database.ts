/** Checks the database: the one of DATABASE_URL, or the embedded one. Nothing is started or changed. */
import { existsSync } from 'node:fs';
import type { Config } from '../../config/config.ts';
import { findBinaries } from '../../embedded/binaries.ts';
import { runningUrl } from '../../embedded/postgres.ts';
import { createLogger } from '../../observe/log.ts';
import { openPool, sqlOf } from '../../store/sql/sql.ts';
import type { Finding } from './finding.ts';

const MAJOR_LEAST = 15;
const STATEMENT_MS = 5_000;

export interface LookedAtDatabase {
  readonly finding: Finding;
  /** How far this host's clock is behind the database's; undefined if it was not reached or is on this host. */
  readonly behindMs?: number;
}

export async function database(config: Config): Promise<LookedAtDatabase> {
  const what = 'database';
  const url = config.databaseUrl?.reveal();
  if (url === undefined) return { finding: await embedded(config.dataDir) };
  const help = 'check DATABASE_URL, that the server runs, and that it lets this host in';
  try {
    const { version, major, behindMs } = await ask(url);
    const found = `PostgreSQL ${version} answers`;
    if (major >= MAJOR_LEAST) return { finding: { what, verdict: 'ok', found }, behindMs };
    const newer = `PostgreSQL ${MAJOR_LEAST} or later is needed`;
    return { finding: { what, verdict: 'no', found, help: newer }, behindMs };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { finding: { what, verdict: 'no', found: `DATABASE_URL: ${reason}`, help } };
  }
}

async function embedded(dataDir: string): Promise<Finding> {
  const what = 'database';
  const { version } = await findBinaries();
  const log = createLogger({ level: 'silent', name: 'millrace-doctor' });
  const running = existsSync(dataDir) ? await runningUrl({ dataDir, log }) : undefined;
  if (running === undefined) {
    return {
      what,
      verdict: 'ok',
      found: `embedded PostgreSQL ${version}, which starts with \`millrace up\``,
    };
  }
  const { version: found } = await ask(running);
  return { what, verdict: 'ok', found: `embedded PostgreSQL ${found} answers` };
}

async function ask(url: string): Promise<{ version: string; major: number; behindMs: number }> {
  const pool = openPool({
    ...{ url, connectionsMax: 1, statementTimeoutMs: STATEMENT_MS, applicationName: 'millrace doctor' },
  });
  try {
    const [row] = await sqlOf(pool, pool).execute<{ version: string; major: number; nowMs: number }>(
      `select current_setting('server_version') as version,
        current_setting('server_version_num')::int / 10000 as major,
        extract(epoch from clock_timestamp())::float8 * 1000 as "nowMs"`,
    );
    const { version = '', major = 0, nowMs = Date.now() } = row ?? {};
    return { version, major, behindMs: nowMs - Date.now() };
  } finally {
    await pool.end();
  }
}
