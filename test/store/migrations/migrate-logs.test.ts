import t from 'tap';
import { up as initial } from '../../../src/store/migrations/0001-initial.ts';
import { LOG_PARTITION, up } from '../../../src/store/migrations/0006-purge.ts';
import { openPool, sqlOf } from '../../../src/store/sql/sql.ts';
import { testDatabase } from '../../support/db.ts';

t.test('migration 0006: logs that are there stay, and ids above them have their ranges', async (t) => {
  const pool = openPool({ url: await testDatabase(t), connectionsMax: 1, applicationName: 'test' } as never);
  t.teardown(() => pool.end());
  const sql = sqlOf(pool);
  for (const statement of initial) await sql.execute(statement);
  const high = 3 * LOG_PARTITION + 7;
  await sql.execute(
    `insert into job_log (job_exe_id, stream, seq, at, content) values (1, 'stdout', 0, now(), 'a'),
       (${high}, 'stderr', 5, now(), 'b')`,
  );
  for (const statement of up) await sql.execute(statement);
  const places = 'select job_exe_id as id, tableoid::regclass::text as place from job_log order by 1';
  t.strictSame(await sql.execute(places), [
    { id: 1, place: 'job_log_0' },
    { id: high, place: 'job_log_0' },
  ]);
  await sql.execute(
    `insert into job_log (job_exe_id, stream, seq, at, content) values (${4 * LOG_PARTITION}, 'stdout', 0, now(), 'c')`,
  );
  t.match((await sql.execute(places)).at(-1), { place: `job_log_${4 * LOG_PARTITION}` });
  await t.rejects(
    sql.execute(
      `insert into job_log (job_exe_id, stream, seq, at, content) values (1, 'stdout', 0, now(), 'a')`,
    ),
    { code: '23505' },
    'a repeated piece is still recognised',
  );
});
