// The triggers for updates join the rows of a statement before and after it. The plan of such a join is kept by its
// connection and was made for the first statement that the connection sent: often one row, for which a nested loop is
// cheapest. A later statement with 500 rows then compared each row with each other one: 22 us of the processor a row at
// 200 rows, more than the update itself. A hash join costs the same for one row.

import { KINDS } from './0002-object-changes.ts';

export const name = '0011-joins-of-changes';

/** The triggers record the same changes, only faster. */
export const isBreaking = false;

/** Statements of this migration, in order. */
export const up: readonly string[] = KINDS.map(
  ({ table }) => `alter function tell_${table}_update() set enable_nestloop = off`,
);
