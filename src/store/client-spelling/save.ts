/** Records that clients of the public system see in the spelling of their documents. Most records have no such row. */
import type { Sql } from '../sql/sql.ts';

export interface SpelledRecord {
  readonly kind: 'workspace' | 'strike' | 'scan';
  readonly id: number;
}

export async function keepSpelling(sql: Sql, record: SpelledRecord, isDocumented: boolean): Promise<void> {
  const statement = isDocumented
    ? `insert into client_spelling (kind, record_id) values ($1, $2) on conflict do nothing`
    : `delete from client_spelling where kind = $1 and record_id = $2`;
  await sql.execute(statement, [record.kind, record.id]);
}

/** The records that have a row. */
export async function documentedSpellings(
  sql: Sql,
  records: readonly SpelledRecord[],
): Promise<readonly SpelledRecord[]> {
  return sql.execute<SpelledRecord>(
    `select kind, record_id as id from client_spelling
     where (kind, record_id) in (select * from unnest($1::text[], $2::bigint[]))`,
    [records.map(({ kind }) => kind), records.map(({ id }) => id)],
  );
}
