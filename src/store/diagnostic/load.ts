/** Runs of diagnostics, as their actor loads them. */
import type { DiagnosticRun } from '../../domain/diagnostic/diagnostic-run.ts';
import type { RevisionCache } from '../catalog/revision-cache.ts';
import { idArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';
import { columnsOf, type RowOf } from '../sql/table-rows.ts';
import { DiagnosticRunEntity } from './table.ts';

const RUN = columnsOf(DiagnosticRunEntity, 'd', ['id', 'recipeTypeRevId', 'eventId', 'total', 'madeCount']);

const RUNS = {
  name: 'diagnostic_runs',
  text: /* sql */ `
    select ${RUN.sql} from diagnostic_run d where d.id = any($1::bigint[])   -- = diagnostic_run_pkey`,
};

export async function loadDiagnosticRuns(
  sql: Sql,
  revisions: RevisionCache,
  runIds: readonly number[],
): Promise<ReadonlyMap<number, DiagnosticRun>> {
  const rows = await sql.execute<RowOf<typeof RUN>>(RUNS, [idArray(runIds)]);
  const found = await revisions.recipeRevisions(rows.map((row) => row.recipeTypeRevId));
  return new Map(
    rows.flatMap(({ recipeTypeRevId, ...run }): [number, DiagnosticRun][] => {
      const revision = found.get(recipeTypeRevId);
      return revision === undefined ? [] : [[run.id, { ...run, revision }]];
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
