/**
 * A separate database for each test, created in milliseconds by cloning a template. The template is prepared (migrated)
 * once a run, by the first test file that needs it; others wait on an advisory lock.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { serviceUrl } from './services/services.ts';
import { silentLog } from './silent-log.ts';

interface Teardown {
  teardown(handler: () => Promise<void>): void;
}

export interface Template {
  /**
   * Must differ for a different `prepare` (for example, another list of migrations), because a template is kept for the
   * whole run.
   */
  readonly name: string;
  prepare(url: string): Promise<void>;
}

const MIGRATIONS = join(import.meta.dirname, '../../src/store/migrations');

/**
 * The URL of a new database that this version has migrated and no program has used. A program that starts on it has no
 * schema to make, which takes more than half of the time of a first start.
 */
export function migratedDatabase(t: Teardown): Promise<string> {
  const hash = createHash('sha256');
  for (const name of readdirSync(MIGRATIONS).sort())
    hash.update(`${name}\n${readFileSync(join(MIGRATIONS, name), 'utf8')}\n`);
  return testDatabase(t, {
    name: `migrated ${hash.digest('hex')}`,
    prepare: async (url) => {
      // Loaded only by the file that makes the template.
      const { openDatabase } = await import('../../src/store/database.ts');
      await (await openDatabase({ url, log: silentLog })).close();
    },
  });
}

/**
 * The URL of a new, empty database, or of a clone of `template`. Dropped when `t` ends, with its connections: a pool
 * that the test has not closed fails then, and does not block the next test.
 */
export async function testDatabase(t: Teardown, template?: Template): Promise<string> {
  const admin = await serviceUrl('postgres');
  const name = `t_${process.pid}_${randomBytes(6).toString('hex')}`;
  await withClient(admin, async (client) => {
    const from = template === undefined ? 'template1' : await prepared(client, admin, template);
    // The default, to log each page that is copied, takes ten times the processor time.
    await client.query(`create database ${name} template ${from} strategy file_copy`);
  });
  t.teardown(() =>
    withClient(admin, async (client) => {
      await client.query(`drop database if exists ${name} with (force)`);
    }),
  );
  return withDatabase(admin, name);
}

async function prepared(client: pg.Client, admin: string, template: Template): Promise<string> {
  const name = `template_${createHash('sha256').update(template.name).digest('hex').slice(0, 16)}`;
  const key = Number.parseInt(name.slice(9, 17), 16);
  await client.query('select pg_advisory_lock($1)', [key]);
  try {
    const found = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (found.rowCount === 0) {
      const draft = `${name}_draft`;
      await client.query(`drop database if exists ${draft} with (force)`);
      await client.query(`create database ${draft} strategy file_copy`);
      await template.prepare(withDatabase(admin, draft));
      // A template with connections cannot be cloned, so connections that `prepare` has left open are ended.
      await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
        draft,
      ]);
      await client.query(`alter database ${draft} rename to ${name}`);
    }
    return name;
  } finally {
    await client.query('select pg_advisory_unlock($1)', [key]);
  }
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

async function withClient(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
