/** How many files arrive, and how many jobs have failed: as many as the lists with the same filters have. */
import type { Sql } from '../sql/sql.ts';
import { isNoTrial } from '../sql/trials.ts';

export interface RecentCounts {
  readonly arriving: number;
  readonly failed: number;
}

// Relies on ingest_status_idx and job_status_idx.
const COUNTS = /* sql */ `
  select
    (select count(*) from ingest
     where status = 'TRANSFERRING' and last_modified >= to_timestamp($1::float8 / 1000)) as arriving,
    (select count(*) from job
     where status = 'FAILED' and last_modified >= to_timestamp($1::float8 / 1000)
       and ${isNoTrial('job_type_id')}) as failed`;

/** Ingests and jobs that did not change since then are left out. */
export async function recentCounts(sql: Sql, sinceMs: number): Promise<RecentCounts> {
  const [counts] = await sql.execute<RecentCounts>(COUNTS, [sinceMs]);
  return counts ?? { arriving: 0, failed: 0 };
}
