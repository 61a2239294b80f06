/**
 * Adds differences that commits have appended to counters, in short statements with pauses between them, so that jobs
 * do not wait for PostgreSQL meanwhile.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql, Statement } from '../sql/sql.ts';

/**
 * limit: rows that one statement adds up. With 10,000, which is what 200 jobs a second append in ten seconds, a
 * statement kept a processor busy for 75 ms, and commits waited for it.
 */
export const FOLDED_AT_ONCE = 1_000;

/** limit: statements of one fold; what is left is added by the next. */
const ROUNDS_MAX = 200;

/** Repeats a statement that takes up to FOLDED_AT_ONCE rows and returns their `count`, until few are left. */
export async function foldInRounds(sql: Sql, statement: Statement): Promise<void> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const startedMs = performance.now();
    const [taken] = await sql.execute<{ count: number }>(statement);
    if ((taken?.count ?? 0) < FOLDED_AT_ONCE) return;
    await sleep(performance.now() - startedMs); // half of the time is left to others
  }
}
