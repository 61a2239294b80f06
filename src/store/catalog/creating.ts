/** Creates a record in one transaction with what the caller saves about it. */
import type { Sql } from '../sql/sql.ts';

/** Runs last in the transaction that creates something. If it throws, nothing is created. */
export type AlsoSave<T> = (tx: Sql, made: T) => Promise<void>;

/** Brings back a deleted record, in a transaction with `also`. Undefined: there is none. */
export function reviving<T>(
  sql: Sql,
  also: AlsoSave<T> | undefined,
  revive: (sql: Sql) => Promise<T | undefined>,
): Promise<T | undefined> {
  return sql.transaction(async (tx) => {
    const made = await revive(tx);
    if (made !== undefined) await also?.(tx, made);
    return made;
  });
}

/** Runs `create`, in a transaction with `also` if that is given. */
export function creating<T>(
  sql: Sql,
  also: AlsoSave<T> | undefined,
  create: (sql: Sql) => Promise<T>,
): Promise<T> {
  if (also === undefined) return create(sql);
  return sql.transaction(async (tx) => {
    const made = await create(tx);
    await also(tx, made);
    return made;
  });
}
