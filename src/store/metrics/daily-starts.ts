/**
 * Starts of jobs and recipes by day. Commits append their differences (the statements that insert executions and
 * recipes do, through `addStarts`); folding moves them into one row for each type and day.
 */
import type { Sql } from '../sql/sql.ts';
import { FOLDED_AT_ONCE, foldInRounds } from './folding.ts';

/**
 * The end of a statement that inserts rows: counts them by type and UTC day. `from`: a query with `type_id`, `started`
 * and `count`.
 */
export function addStarts(kind: 'job' | 'recipe', from: string): string {
  return /* sql */ `
    insert into daily_start_delta (kind, type_id, day, count)
    select '${kind}', s.type_id, (s.started at time zone 'UTC')::date, sum(s.count)
    from (${from}
    ) as s group by 2, 3 having sum(s.count) <> 0`;
}

const FOLD = {
  name: 'fold_daily_starts',
  text: /* sql */ `
    with taken as (
      delete from daily_start_delta where id in (
        select id from daily_start_delta order by id limit ${FOLDED_AT_ONCE} for update skip locked)
      returning kind, type_id, day, count),
    folded as (
      insert into daily_start as d (kind, type_id, day, count)
      select kind, type_id, day, sum(count) from taken group by 1, 2, 3 order by 1, 2, 3
      on conflict (kind, type_id, day) do update set count = d.count + excluded.count)   -- = daily_start_pkey
    select count(*) as count from taken`,
};

/** Adds the appended rows to the counters by day. */
export async function foldStarts(sql: Sql): Promise<void> {
  await foldInRounds(sql, FOLD);
}
