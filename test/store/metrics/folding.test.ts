/** Differences that wait to be added to counters, more of them than one statement adds. */
import t from 'tap';
import { foldStarts } from '../../../src/store/metrics/daily-starts.ts';
import { FOLDED_AT_ONCE } from '../../../src/store/metrics/folding.ts';
import type { Sql } from '../../../src/store/sql/sql.ts';
import { storeWorld } from '../store-world.ts';

const world = await storeWorld(t);

t.test('folding: many differences are added in several short statements', async (t) => {
  const waiting = FOLDED_AT_ONCE * 2 + 500;
  await world.rows(`insert into daily_start_delta (kind, type_id, day, count)
    select 'job', 1 + i % 3, date '2026-11-01' + i % 2, 1 from generate_series(1, ${waiting}) i`);
  const { sql } = world.db;
  const taken: unknown[] = [];
  const heard: Sql = {
    ...sql,
    async execute<T extends object>(...args: Parameters<Sql['execute']>) {
      const rows = await sql.execute<T>(...args);
      taken.push(...rows);
      return rows;
    },
  };
  await foldStarts(heard);
  t.strictSame(taken, [{ count: FOLDED_AT_ONCE }, { count: FOLDED_AT_ONCE }, { count: 500 }]);
  t.strictSame(await world.rows('select * from daily_start_delta'), []);
  const [{ sum }] = (await world.rows('select sum(count)::int as sum from daily_start')) as [{ sum: number }];
  t.equal(sum, waiting, 'all are counted, once');
});
