/**
 * The activity of the cluster by the minute: numbers of arrived files, completed work and products, the time from a
 * file's arrival to its products, and the resources that nodes used. Kept for a day: at most 1,500 rows.
 */

import type { MsRange } from '../../domain/listing/filters.ts';
import { Conditions } from '../sql/conditions.ts';
import { expression, iso, object, type ValueOf } from '../sql/fields.ts';
import { type PageBounds, readRecords } from '../sql/listing.ts';
import type { Sql } from '../sql/sql.ts';
import { isNoTrial } from '../sql/trials.ts';

/** limit: products of a minute whose lag is measured, so that a busy minute costs no more. */
export const LAGS_MAX = 5_000;

/**
 * If several callers try, one of them measures the last whole minute. Relies on ingest_modified_idx,
 * recipe_modified_idx and file_created_idx: a row that ended in a minute was not modified before that minute. Recipes
 * that reprocess others are left out of the lag: their files arrived long ago.
 */
const SAMPLE = {
  name: 'sample_activity',
  text: /* sql */ `
    insert into activity_minute (minute, measured, ingested_count, recipe_count, product_count, lag_count,
      lag_p50_ms, lag_p95_ms, lag_max_ms, nodes)
    select w.begun, w.measured,
      (select count(*) from ingest i where i.last_modified >= w.begun and i.status = 'INGESTED'
        and i.ingest_ended >= w.begun and i.ingest_ended < w.ended),
      (select count(*) from recipe r where r.last_modified >= w.begun and r.parent_id is null
        and r.completed >= w.begun and r.completed < w.ended),
      (select count(*) from file f where f.created >= w.begun and f.created < w.ended and f.file_type = 'PRODUCT'
        and ${isNoTrial('f.job_type_id')}),
      lag.count, lag.p50, lag.p95, lag.most,
      coalesce((select jsonb_agg(jsonb_build_object('node_id', n.id, 'capacity', n.resources,
          'running_count', (select count(*) from job_exe x where x.node_id = n.id and x.status = 'RUNNING'),
          'used', coalesce((select jsonb_object_agg(one.key, one.amount) from (
            -- What was sent ahead to the node waits there, and uses nothing.
            select held.key, least(sum(held.value::float8), max((n.resources ->> held.key)::float8)) as amount
            from job_exe x, jsonb_each_text(x.resources) as held
            where x.node_id = n.id and x.status = 'RUNNING'   -- = job_exe_running_idx
            group by held.key) as one), '{}')) order by n.id)
        from node n where n.is_online and n.is_active), '[]')
    from (select at as measured, date_trunc('minute', at, 'UTC') as ended,
        date_trunc('minute', at, 'UTC') - interval '1 minute' as begun
      from to_timestamp($1 / 1000.0) as at) as w
    cross join lateral (
      select count(*) as count, percentile_disc(0.5) within group (order by took.ms) as p50,
        percentile_disc(0.95) within group (order by took.ms) as p95, max(took.ms) as most
      from (
        select greatest(0, date_part('epoch', made.created - i.transfer_started) * 1000)::bigint as ms
        from (select f.created, f.recipe_id from file f
          where f.created >= w.begun and f.created < w.ended and f.file_type = 'PRODUCT' and f.recipe_id is not null
          order by f.created, f.id limit ${LAGS_MAX}) as made
        join recipe r on r.id = made.recipe_id
        join recipe root on root.id = r.root_id and root.superseded_recipe_id is null
        join ingest i on i.id = root.ingest_id and i.transfer_started is not null) as took) as lag
    on conflict do nothing   -- = activity_minute_pkey`,
};

const DAY_MS = 86_400_000;

/** Measures the minute before that of `atMs`, unless that is done, and removes minutes of more than a day ago. */
export async function sampleActivity(sql: Sql, atMs: number): Promise<void> {
  await sql.execute(SAMPLE, [atMs]);
  await sql.execute('delete from activity_minute where minute < to_timestamp($1 / 1000.0)', [atMs - DAY_MS]);
}

const ACTIVITY = object({
  time: iso('m.minute'),
  ingested_count: expression<number>('m.ingested_count'),
  recipe_count: expression<number>('m.recipe_count'),
  product_count: expression<number>('m.product_count'),
  lag_count: expression<number>('m.lag_count'),
  lag_p50_ms: expression<number | null>('m.lag_p50_ms'),
  lag_p95_ms: expression<number | null>('m.lag_p95_ms'),
  lag_max_ms: expression<number | null>('m.lag_max_ms'),
});

async function listMinutes<Record>(
  sql: Sql,
  range: MsRange,
  page: PageBounds,
  read: (conditions: Conditions, minutes: string) => Promise<Record[]>,
) {
  const conditions = new Conditions();
  conditions.range(range, 'm.minute');
  const counted = sql.execute<{ count: number }>(
    `select count(*) as count from activity_minute m ${conditions.where}`,
    [...conditions.params],
  );
  const limits = `limit ${conditions.param(page.pageSize)} offset ${conditions.param(page.offset)}`;
  const minutes = `(select * from activity_minute m ${conditions.where} order by m.minute ${limits}) as m`;
  const [[total], results] = await Promise.all([counted, read(conditions, minutes)]);
  return { count: total?.count ?? 0, results };
}

/** The minutes of the range, the oldest first. */
export function listActivity(sql: Sql, range: MsRange, page: PageBounds) {
  return listMinutes(sql, range, page, (conditions, minutes) =>
    readRecords(sql, ACTIVITY, `${minutes} order by m.minute`, conditions.params),
  );
}

type Amounts = Readonly<Record<string, number>>;
const summed = (field: 'capacity' | 'used') =>
  expression<Amounts>(`coalesce((select json_object_agg(a.key, a.amount) from (
    select held.key, sum(held.value::float8) as amount
    from chosen c, jsonb_each_text(c.${field}) as held group by held.key) as a), '{}')`);

const USE = object({
  time: expression<string>('found.time'),
  node_count: expression<number>('found.node_count'),
  running_count: expression<number>('found.running_count'),
  capacity: expression<Amounts>('found.capacity'),
  used: expression<Amounts>('found.used'),
});
export type NodeUse = ValueOf<typeof USE>;

/** The sums of the resources that nodes had and used in each minute: of all nodes, or of those with the ids. */
export function listNodeUse(sql: Sql, nodeIds: readonly number[], range: MsRange, page: PageBounds) {
  return listMinutes(sql, range, page, (conditions, minutes) => {
    const ofNodes =
      nodeIds.length === 0 ? '' : `where n.node_id = any(${conditions.param(nodeIds)}::bigint[])`;
    return readRecords(
      sql,
      USE,
      `${minutes} cross join lateral (
         with chosen as materialized (
           select n.* from jsonb_to_recordset(m.nodes)
             as n(node_id bigint, running_count int, capacity jsonb, used jsonb) ${ofNodes})
         select ${iso('m.minute')} as time, (select count(*) from chosen) as node_count,
           (select coalesce(sum(c.running_count), 0) from chosen c) as running_count,
           ${summed('capacity')} as capacity, ${summed('used')} as used) as found
       order by m.minute`,
      conditions.params,
    );
  });
}
