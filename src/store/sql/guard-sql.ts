/** Keeps the planner from using the guards of writes to find rows. */

/**
 * A text column for comparison in a guard. Rows are found by id. If the bare column were compared, a planner with old
 * statistics could search for the guard in an index instead, and read all rows of a status to find one.
 */
export function guarded(column: string): string {
  return `(${column} || '')`;
}
