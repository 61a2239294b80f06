/**
 * The indexes that statements claim in their comments (`-- = name`) are those the planner takes. Tables are
 * empty here, so sequential scans are made unattractive: what still has one could use no index at all.
 */
import t from 'tap';
import { GROWING, real, statements } from './sql/heard-statements.ts';

async function queryPlanOf(text: string): Promise<string> {
  return real.db.sql.transaction(async (tx) => {
    await tx.execute('set local enable_seqscan = off');
    await tx.execute('set local enable_bitmapscan = off');
    await tx.execute('set local jit = off');
    const rows = await tx.execute<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${text}`);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
}

t.test('statements: each statement uses the index that its comment names', async (t) => {
  let claims = 0;
  for (const [name, text] of statements) {
    for (const [, index = ''] of text.matchAll(/-- = (\w+)/g)) {
      claims += 1;
      // An insert's conflict is looked up in its index without the query plan saying so.
      if (/on conflict/.test(text)) continue;
      const plan = await queryPlanOf(text);
      t.match(plan, new RegExp(`using ${index}\\b`), `${name} uses ${index}`);
    }
  }
  t.ok(claims > 20, `${claims} claims`);
});

t.test('statements: no statement scans a table that grows', async (t) => {
  for (const [name, text] of statements) {
    if (!/^\s*(select|with|update|insert|delete)/.test(text)) continue;
    const plan = await queryPlanOf(text);
    const scanned = GROWING.filter((table) => new RegExp(`Seq Scan on ${table}\\b`).test(plan));
    t.same(scanned, [], name);
  }
});
