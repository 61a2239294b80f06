/**
 * Sets of rows that are equal in most columns, as the jobs that one turn creates: what is equal in all rows is passed
 * and parsed once, not once a row. Rows that differ elsewhere as well are written by the statement for any rows.
 */
import { assert } from '../../lib/assert.ts';
import type { RowSet } from './rows.ts';
import type { Sql, Statement } from './sql.ts';

export class UniformRows<R> {
  readonly #rows: RowSet<R>;
  readonly #varying: RowSet<R>;
  readonly #equal: RowSet<R>;
  readonly #any: Statement;
  readonly #uniform: Statement;

  /** `varying`: the columns that differ from row to row. `text` of the statement, given the table of its rows. */
  constructor(name: string, rows: RowSet<R>, varying: readonly string[], text: (table: string) => string) {
    const [differ, equal] = rows.split(varying);
    assert(differ.count === varying.length, `${name} has each of the columns that vary`);
    this.#rows = rows;
    this.#varying = differ;
    this.#equal = equal;
    this.#any = { name, text: text(rows.table('d')) };
    this.#uniform = { name: `${name}_alike`, text: text(rows.uniformTable('d', varying)) };
  }

  execute<T extends object>(sql: Sql, rows: readonly R[]): Promise<T[]> {
    const [first] = rows;
    if (first === undefined) return Promise.resolve([]);
    if (!this.#equal.areEqual(rows)) return sql.execute(this.#any, this.#rows.params(rows));
    return sql.execute(this.#uniform, [...this.#varying.params(rows), ...this.#equal.values(first)]);
  }
}
