// What keeps kept plans from reading whole tables while a young database grows. Not breaking: an older coordinator finds
// the same rows.
//
// The index of unfinished ingests, for whoever looks for a part of a name, goes by what no other look asks for: by their
// status it seemed as good as ingest_transferring_key to find the row of one path, and all unfinished ones were read for
// each file that arrived. Tables that grow get no statistics before they have a thousand rows: of a table that is known
// to be tiny, all is read for each row that is looked for, until the next statistics, a minute later, say otherwise.
// 500 arrivals of a strike took 300 ms, and take 2 (bench/arrivals.bench.ts).

export const name = '0022-young-tables';

export const isBreaking = false;

const GROWING = ['event', 'job', 'job_exe', 'recipe', 'recipe_condition', 'recipe_node', 'file', 'ingest'];

/** Statements of this migration, in order. */
export const up: readonly string[] = [
  /* sql */ `
drop index ingest_unfinished_idx;
create index ingest_unfinished_idx on ingest (id) where ingest_ended is null;
`,
  ...GROWING.map(
    (table) => /* sql */ `
alter table ${table} set (autovacuum_vacuum_threshold = 1000, autovacuum_analyze_threshold = 1000);
`,
  ),
];
