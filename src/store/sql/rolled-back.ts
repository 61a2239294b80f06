/** Transactions that are always rolled back, to preview the effect of an operation. */
import type { Sql } from './sql.ts';

class Undone<T> extends Error {
  readonly value: T;

  constructor(value: T) {
    super('undone on purpose');
    this.value = value;
  }
}

/** Resolves with the result of the work, after everything that it wrote is rolled back. */
export async function rolledBack<T>(sql: Sql, work: (tx: Sql) => Promise<T>): Promise<T> {
  try {
    return await sql.transaction(async (tx): Promise<T> => {
      throw new Undone(await work(tx));
    });
  } catch (error) {
    if (error instanceof Undone) return error.value as T;
    throw error;
  }
}
