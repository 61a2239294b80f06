/**
 * Query plans that are kept are made while tables are empty or small, when all ways cost the same: each must be one
 * that does when they have grown.
 */
import t, { type Test } from 'tap';
import { makeArrival, makeSource } from './make.ts';
import { apply, GROWING, keyed, real, statements, strikeArrivals, world } from './sql/heard-statements.ts';
import { storeWorld } from './store-world.ts';

interface QueryPlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly QueryPlanNode[];
}

/** The looks by index of a query plan that is kept. */
async function looksOf(text: string, sql = real.db.sql): Promise<readonly QueryPlanNode[]> {
  const all = (node: QueryPlanNode): QueryPlanNode[] => [node, ...(node.Plans ?? []).flatMap(all)];
  return sql.transaction(async (tx) => {
    const plan = `explain (generic_plan, format json) ${text}`;
    const rows = await tx.execute<{ 'QUERY PLAN': readonly { readonly Plan: QueryPlanNode }[] }>(plan);
    return rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => all(Plan)));
  }, 'keyed');
}

t.test(
  'statements: kept query plans search by the first column of an index, even at equal costs',
  async (t) => {
    t.ok(keyed.size > 40, `${keyed.size} are kept`);
    await looksAreKeyed(t, keyed);
  },
);

/** The indexes that a statement's comments name. */
const claimsOf = (text: string): string[] => [...text.matchAll(/-- = (\w+)/g)].map(([, index = '']) => index);

t.test('statements: kept query plans of an empty database use the index that a comment names', async (t) => {
  const { db } = await storeWorld(t);
  let claims = 0;
  for (const name of keyed) {
    const text = statements.get(name) ?? '';
    // An insert's conflict is looked up in its index without the query plan saying so.
    if (name === text || /on conflict/.test(text)) continue;
    const taken = new Set((await looksOf(text, db.sql)).map((look) => look['Index Name']));
    for (const index of claimsOf(text)) {
      claims += 1;
      t.ok(taken.has(index), `${name} uses ${index}`);
    }
  }
  t.ok(claims > 20, `${claims} claims`);
});

/** Asked for hundreds of rows while a young database grows by as many. */
const OF_ARRIVALS = ['known_ingests_of_strikes', 'known_ingests_of_scans', 'sources_at'];

t.test('statements: those of arrivals do so with the statistics of small tables, too', async (t) => {
  const some = Array.from({ length: 30 }, (_, at) => at);
  await apply({ type: 'createSourceFiles', files: await Promise.all(some.map(() => makeSource(world))) });
  await apply(strikeArrivals(await Promise.all(some.map((at) => makeArrival(world, { filePath: `${at}` })))));
  await real.rows('analyze');
  await looksAreKeyed(t, OF_ARRIVALS);
});

async function looksAreKeyed(t: Test, names: Iterable<string>): Promise<void> {
  const rows = await real.rows<{ index: string; first: string }>(
    `select i.indexrelid::regclass::text as index, pg_get_indexdef(i.indexrelid, 1, true) as first from pg_index i`,
  );
  const first = new Map(rows.map((row) => [row.index, row.first]));
  for (const name of names) {
    const text = statements.get(name) ?? '';
    if (!/^\s*(select|with|update|insert|delete)/.test(text)) continue;
    for (const look of await looksOf(text)) {
      const index = look['Index Name'];
      if (index === undefined || !GROWING.includes(look['Relation Name'] ?? '')) continue;
      const column = first.get(index) ?? '';
      const by = look['Index Cond'] ?? '';
      t.match(by, new RegExp(`\\b${column}\\b`), `${name} looks into ${index} by ${column}`);
    }
  }
}
