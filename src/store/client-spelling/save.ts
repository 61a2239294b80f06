/**
 * How clients of the public system spell the type of buckets: `objstore`, as that system's documents do, or `s3`. A
 * record is shown in the spelling in which it was last sent. Records with a row are shown with `objstore`; most have
 * none.
 */
import type { Sql } from '../sql/sql.ts';

export interface SpelledRecord {
  readonly kind: 'workspace' | 'strike' | 'scan';
  readonly id: number;
}

/** Remembers the spelling of a record: `objstore` if `isDocumented`, else `s3`. */
export async function keepSpelling(sql: Sql, record: SpelledRecord, isDocumented: boolean): Promise<void> {
  const statement = isDocumented
    ? `insert into client_spelling (kind, record_id) values ($1, $2) on conflict do nothing`
    : `delete from client_spelling where kind = $1 and record_id = $2`;
  await sql.execute(statement, [record.kind, record.id]);
}

/** Those of the records that are shown with `objstore`. */
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
