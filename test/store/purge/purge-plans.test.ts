import t from 'tap';
import { beginFor } from '../../../src/api/purges/routes.ts';
import { purgedAt } from '../../../src/store/file/tombstones.ts';
import { dropOldLogs } from '../../../src/store/log/partitions.ts';
import { duePurges } from '../../../src/store/purge/steps.ts';
import {
  removeOldJobs,
  removeOldRecipes,
  removeOldRecords,
  removeOldTries,
} from '../../../src/store/retention/history.ts';
import type { Sql } from '../../../src/store/sql/sql.ts';
import { askerAt } from '../../support/http.ts';
import { makeFamily, purgeWorld } from '../../support/worlds/purge-world.ts';
import { heardSql } from '../sql/heard-sql.ts';
import { NOW } from '../store-world.ts';

/** Tables whose size is history. */
const GROWING = [
  ...['job', 'job_exe', 'recipe', 'recipe_condition', 'recipe_node', 'recipe_input_file', 'job_input_file'],
  ...['file', 'file_ancestry', 'ingest', 'event', 'dataset_member', 'dataset_file', 'tombstone', 'purge'],
  ...['purge_file', 'purge_job', 'purge_tree', 'load_sample', 'job_request'],
];

const statements = new Map<string, string>();

function recording(inner: Sql): Sql {
  return heardSql(inner, ({ text }) => {
    statements.set(text.trim().replaceAll(/\s+/g, ' ').slice(0, 60) + text.length, text);
  });
}

t.test('purges and history: no statement scans a table that grows', async (t) => {
  const world = await purgeWorld(t);
  const { store } = world;
  const { sql } = store.db;
  const gone = await makeFamily(world, 'gone');
  await makeFamily(world, 'kept');
  world.sql = recording(sql);
  const id = await beginFor(world.parts, { file_id: gone.sourceId }, askerAt(NOW));
  await world.advance(id);
  for (const remove of [removeOldRecipes, removeOldJobs, removeOldTries])
    await remove(world.sql, NOW + 1_000);
  await removeOldRecords(world.sql, NOW);
  await dropOldLogs(world.sql, NOW);
  await duePurges(world.sql, [1]);
  await purgedAt(world.sql, [{ workspaceId: store.ids.in, filePath: 'x' }]);
  t.ok(statements.size > 60, `${statements.size} statements`);
  for (const text of statements.values()) {
    if (!/^\s*(select|with|update|insert|delete)/.test(text)) continue;
    const plan = await sql.transaction(async (tx) => {
      await tx.execute('set local enable_seqscan = off');
      await tx.execute('set local jit = off');
      const rows = await tx.execute<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${text}`);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    });
    const scanned = GROWING.filter((table) => new RegExp(`Seq Scan on ${table}\\b`).test(plan));
    t.same(scanned, [], text.trim().slice(0, 300));
  }
});
