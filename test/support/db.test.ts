import pg from 'pg';
import t from 'tap';
import { testDatabase } from './db.ts';

async function query(url: string, sql: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

t.test('test database: each is empty, separate, and removed after its test', async (t) => {
  let first = '';
  await t.test('inside', async (t) => {
    first = await testDatabase(t);
    const second = await testDatabase(t);
    await query(first, 'create table only_here (id int)');
    t.not(first, second);
    await t.rejects(query(second, 'select * from only_here'), { code: '42P01' });
  });
  await t.rejects(query(first, 'select 1'), { code: '3D000' });
});

t.test('test database: a template is prepared once, even for simultaneous callers', async (t) => {
  let preparedCount = 0;
  const template = {
    name: `db.test ${process.pid}`,
    prepare: async (url: string) => {
      preparedCount += 1;
      await query(url, 'create table prepared as select 7 as n');
    },
  };

  const urls = await Promise.all([1, 2, 3].map(() => testDatabase(t, template)));

  t.equal(preparedCount, 1);
  for (const url of urls) t.same(await query(url, 'select n from prepared'), [{ n: 7 }]);
});

t.test('test database: a template whose preparation failed is prepared again', async (t) => {
  let attempt = 0;
  const template = {
    name: `db.test retry ${process.pid}`,
    prepare: async () => {
      attempt += 1;
      if (attempt === 1) throw new Error('first attempt');
    },
  };
  await t.rejects(testDatabase(t, template), { message: 'first attempt' });
  await testDatabase(t, template);
  t.equal(attempt, 2);
});
