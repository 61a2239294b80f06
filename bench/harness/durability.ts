/** That a database loses nothing that it has confirmed, for Millrace and its peers alike; and how much it logs. */
import pg from 'pg';
import type { Bench } from './bench.ts';

const NEEDED = ['fsync', 'synchronous_commit', 'full_page_writes'];

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Writes the settings into the result. Throws where a figure would come from weakened durability. */
export async function checkDurability(bench: Bench, url: string): Promise<void> {
  const settings = await withClient(url, async (client) => {
    const { rows } = await client.query<{ name: string; setting: string }>(
      `select name, setting from pg_settings where name = any($1) order by name`,
      [[...NEEDED, 'server_version', 'wal_compression', 'shared_buffers']],
    );
    return new Map(rows.map(({ name, setting }) => [name, setting]));
  });
  const text = [...settings].map(([name, setting]) => `${name} ${setting}`).join(', ');
  bench.fact('PostgreSQL', text);
  const off = NEEDED.filter((name) => settings.get(name) !== 'on');
  if (off.length > 0 && !bench.isTiny) throw new Error(`not durable: ${off.join(', ')} must be on`);
}

export async function walBytes(url: string): Promise<number> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ bytes: string }>(
      `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as bytes`,
    );
    return Number(rows[0]?.bytes);
  });
}
