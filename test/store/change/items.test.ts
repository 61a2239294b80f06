/** What the triggers tell of a row is what PostgreSQL's own JSON of the same values would be. */
import t from 'tap';
import { KINDS, whatOf } from '../../../src/store/migrations/0002-object-changes.ts';
import { ChangeDraws } from '../../conformance/store.ts';
import { beginTwins } from '../../sim/store/twins.ts';
import type { StoreWorld } from '../store-world.ts';

const TABLES = ['file', 'ingest', 'job', 'job_exe', 'recipe', 'recipe_condition'];

interface ToldItem {
  readonly kind: string;
  readonly item: unknown;
}

/** Tells the same beside the triggers of the stream, value by value, in the table `told`. */
async function tellBeside(world: StoreWorld): Promise<void> {
  await world.rows('create table told (kind text, item json)');
  for (const kind of KINDS.filter(({ table }) => TABLES.includes(table))) {
    const { table, status = 'null::text' } = kind;
    const row = (name: string, text: string) => text.replaceAll('%', name);
    const tell = async (
      event: string,
      tables: string,
      values: readonly string[],
      alias: string,
      rows: string,
    ) => {
      const links = kind.links.map((link) => row(alias, link));
      await world.rows(`create function beside_${table}_${event}() returns trigger language plpgsql as $$
        begin
          insert into told select '${kind.kind}', json_build_array(${[...values, ...links].join(', ')}) from ${rows};
          return null;
        end $$`);
      await world.rows(`create trigger beside_${event} after ${event} on ${table} referencing ${tables}
        for each statement execute function beside_${table}_${event}()`);
    };
    const [from, to] = [row('o', status), row('n', status)];
    const [added, removed] = ['new table as added', 'old table as removed'];
    await tell('insert', added, ['n.id', 'n.object_version', `'created'`, 'null', to], 'n', 'added n');
    const changed = ['n.id', 'n.object_version', whatOf(kind), from, to];
    const both = 'added n join removed o on o.id = n.id and o.object_version <> n.object_version';
    await tell('update', `${removed} ${added}`, changed, 'n', both);
    const gone = ['o.id', 'o.object_version + 1', `'removed'`, from, 'null'];
    await tell('delete', removed, gone, 'o', 'removed o');
  }
}

/** Statements for what the drawn changes leave out: edits, superseded, published and deleted files, removals. */
const BESIDES = [
  `update file set is_published = not is_published`,
  `update file set is_superseded = true where id % 2 = 0`,
  `update file set is_deleted = true where id % 3 = 0`,
  `update job set is_superseded = not is_superseded where id % 2 = 0`,
  `update recipe set is_completed = not is_completed`,
  `insert into recipe_condition (recipe_id, node_name, created) select id, 'c', now() from recipe`,
  `update recipe_condition set is_processed = true, is_accepted = recipe_id % 2 = 0`,
  `delete from recipe_condition`,
  `update ingest set reason = 'why'`,
  `delete from ingest`,
  `delete from job_input_file`,
  `update job_exe set status = 'FAILED', ended = now()`,
  `delete from job_exe`,
];

t.test('changes: an item contains the values of its row as JSON, whatever is written', async (t) => {
  const { real, ground } = await beginTwins(t);
  await real.rows('delete from object_change');
  await tellBeside(real);
  const draws = new ChangeDraws(1, ground);
  for (let at = 0; at < 60; at++) await real.applyAll(...draws.group()).catch(() => undefined);
  for (const statement of BESIDES) await real.rows(statement);
  const kinds = KINDS.filter(({ table }) => TABLES.includes(table)).map(({ kind }) => kind);
  const stored = await real.rows<{ kind: string; items: string }>(
    'select kind, items from object_change where kind = any($1)',
    [kinds],
  );
  const items = stored.flatMap(({ kind, items }) =>
    (JSON.parse(items) as unknown[]).map((item): ToldItem => ({ kind, item })),
  );
  const expected = await real.rows<ToldItem>('select kind, item from told');
  const inOrder = (told: readonly ToldItem[]) =>
    told.map(({ kind, item }) => `${kind} ${JSON.stringify(item)}`).sort();
  t.strictSame(inOrder(items), inOrder(expected));
  const seen = new Set(expected.map(({ kind, item }) => `${kind} ${(item as unknown[])[2]}`));
  for (const kind of kinds) {
    t.ok(seen.has(`${kind} created`), `${kind} created`);
    t.ok(
      [...seen].some((one) => /status|edited|published/.test(one) && one.startsWith(kind)),
      `${kind} changed`,
    );
  }
  t.match([...seen].sort().join(), /condition removed.*execution removed.*file deleted.*file superseded/);
});
