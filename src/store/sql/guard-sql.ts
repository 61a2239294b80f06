/** Guards of writes, kept away from the planner. */

/**
 * A text column as guards compare it. Rows are found by their ids; were the bare column compared, a planner
 * with old statistics could look the guard up in an index instead, and read all rows of a status to find one.
 */
export function guarded(column: string): string {
  return `(${column} || '')`;
}
