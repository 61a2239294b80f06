/** Runs of diagnostics, as their actor loads them. */
import type { DiagnosticRun } from '../../domain/diagnostic/diagnostic-run.ts';
import type { RevisionCache } from '../catalog/revision-cache.ts';
import { idArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';

interface RunRow {
  readonly id: number;
  readonly recipe_type_rev_id: number;
  readonly event_id: number;
  readonly total: number;
  readonly made_count: number;
}

const RUNS = {
  name: 'diagnostic_runs',
  text: /* sql */ `
    select id, recipe_type_rev_id, event_id, total, made_count from diagnostic_run
    where id = any($1::bigint[])   -- = diagnostic_run_pkey`,
};

export async function loadDiagnosticRuns(
  sql: Sql,
  plans: RevisionCache,
  runIds: readonly number[],
): Promise<ReadonlyMap<number, DiagnosticRun>> {
  const rows = await sql.execute<RunRow>(RUNS, [idArray(runIds)]);
  const found = await plans.recipePlans(rows.map((row) => row.recipe_type_rev_id));
  return new Map(
    rows.flatMap((row): [number, DiagnosticRun][] => {
      const plan = found.get(row.recipe_type_rev_id);
      const { id, event_id: eventId, total, made_count: madeCount } = row;
      return plan === undefined ? [] : [[id, { id, eventId, total, madeCount, plan }]];
    }),
  );
}

const DUE_MAX = 1_000;

const OPEN_RUNS = {
  name: 'open_diagnostic_runs',
  text: /* sql */ `
    select id from diagnostic_run
    where shard = any($1::smallint[]) and made_count < total   -- = diagnostic_run_open_idx
    limit ${DUE_MAX}`,
};

/** Runs of these shards that have recipes to create. */
export async function dueDiagnosticRuns(sql: Sql, shards: readonly number[]): Promise<readonly number[]> {
  const rows = await sql.execute<{ id: number }>(OPEN_RUNS, [idArray(shards)]);
  return rows.map((row) => row.id);
}
