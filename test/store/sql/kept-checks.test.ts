/** Query plans of foreign keys that a connection keeps. */
import t from 'tap';
import { openPool, planChecksOnce, sqlOf } from '../../../src/store/sql/sql.ts';
import { testDatabase } from '../../support/db.ts';

t.test('kept checks: those planned for a small table do not read it from end to end later', async (t) => {
  const url = await testDatabase(t);
  const pool = openPool({ url, connectionsMax: 1, statementTimeoutMs: 60_000, applicationName: 'test' });
  t.teardown(() => pool.end());
  const sql = sqlOf(pool);
  const add = (from: number, to: number) =>
    sql.execute(`insert into thing select i, repeat('x', 200) from generate_series(${from}, ${to}) i`);
  await sql.execute('create table thing (id bigint primary key, text text)');
  await sql.execute('create table link (thing_id bigint references thing)');
  await sql.execute('alter table thing set (autovacuum_enabled = off)');
  await add(1, 20);
  await sql.execute('vacuum thing');
  /** How often the things are read from end to end to link to so many. */
  const scansFor = (count: number) =>
    sql.transaction(async (inside) => {
      await planChecksOnce(inside);
      const scans = async () => {
        const rows = await inside.execute<{ count: number }>(
          `select seq_scan as count from pg_stat_xact_user_tables where relname = 'thing'`,
        );
        return rows[0]?.count ?? Number.NaN;
      };
      const before = await scans();
      await inside.execute(`insert into link select i from generate_series(1, ${count}) i`);
      return (await scans()) - before;
    });
  t.equal(await scansFor(20), 0);
  await add(21, 2_000);
  t.equal(await scansFor(1_000), 0);
});
