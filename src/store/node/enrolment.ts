/** Node rows are created when an agent with a new host name connects; after that their actors write them. */
import type { Sql } from '../sql/sql.ts';

const FIND = /* sql */ `select id from node where hostname = $1`;

// The shard of a decimal key is its number modulo 64, as in the kernel.
const INSERT = /* sql */ `
  insert into node (id, shard, hostname, created, last_modified)
  select id, id % 64, $1, at, at
  from nextval('node_id_seq') as id, to_timestamp($2 / 1000.0) as at
  on conflict on constraint node_hostname_key do nothing`;

/** The id of the host's node. */
export async function ensureNode(sql: Sql, hostname: string, nowMs: number): Promise<number> {
  const [known] = await sql.execute<{ id: number }>(FIND, [hostname]);
  if (known !== undefined) return known.id;
  await sql.execute(INSERT, [hostname, nowMs]);
  const [made] = await sql.execute<{ id: number }>(FIND, [hostname]);
  return (made as { id: number }).id;
}

const INACTIVE = /* sql */ `select hostname from node where hostname = any($1) and not is_active`;

/** Those of the host names whose nodes an administrator has deactivated. */
export async function inactiveNodes(sql: Sql, hostnames: readonly string[]): Promise<readonly string[]> {
  const rows = await sql.execute<{ hostname: string }>(INACTIVE, [hostnames]);
  return rows.map((row) => row.hostname);
}
