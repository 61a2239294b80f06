/** Writes the runs of diagnostics of a group: new ones, and their progress. */
import type { NewDiagnosticRun } from '../../domain/diagnostic/diagnostic-run.ts';
import type { ChangeOf, Group } from '../sql/group.ts';
import type { Sql } from '../sql/sql.ts';
import { rowsOf } from '../sql/table-rows.ts';
import { DiagnosticRunEntity } from './table.ts';

const RUNS = rowsOf(DiagnosticRunEntity).from<NewDiagnosticRun>({
  id: (row) => row.id,
  shard: (row) => row.shard,
  recipeTypeRevId: (row) => row.recipeTypeRevId,
  eventId: (row) => row.eventId,
  total: (row) => row.total,
  created: (row) => row.atMs,
  lastModified: (row) => row.atMs,
});

// The default of the column `position` is the next value of the sequence of job requests.
const INSERT_RUNS = {
  name: 'insert_diagnostic_runs',
  text: /* sql */ `insert into diagnostic_run (${RUNS.names}) select * from ${RUNS.table('d')}`,
};

const ADVANCES = rowsOf(DiagnosticRunEntity).from<ChangeOf<'advanceDiagnosticRun'>>(
  {
    id: (row) => row.runId,
  },
  [
    ['from_count', 'int', (row) => row.from],
    ['to_count', 'int', (row) => row.to],
    ['at', 'ms', (row) => row.atMs],
  ],
);

const ADVANCE_RUNS = {
  name: 'advance_diagnostic_runs',
  text: /* sql */ `
    update diagnostic_run r set made_count = d.to_count, last_modified = d.at
    from ${ADVANCES.table('d')}
    where r.id = d.id and r.made_count = d.from_count   -- = diagnostic_run_pkey
    returning r.id`,
};

/** A run whose count differs refuses the turn: its recipes already exist. */
export async function writeDiagnosticRuns(sql: Sql, group: Group): Promise<void> {
  const runs = group.items('createDiagnosticRuns', (change) => change.runs);
  if (runs.length > 0) await sql.execute(INSERT_RUNS, RUNS.params(runs));
  const advances = group.placed('advanceDiagnosticRun');
  if (advances.length === 0) return;
  const params = ADVANCES.params(advances.map(({ change }) => change));
  const rows = await sql.execute<{ id: number }>(ADVANCE_RUNS, params);
  const written = new Set(rows.map((row) => row.id));
  for (const { change, turn } of advances) {
    if (!written.delete(change.runId)) {
      group.refuse(turn, `advanceDiagnosticRun: run ${change.runId} is not at ${change.from}`);
    }
  }
  group.throwIfRefused();
}
