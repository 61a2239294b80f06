/** A table of the simulated database: rows by id, and a log that can take its changes back. */

/** A row was changed: what it was, what it is. */
export interface RowChange {
  readonly table: string;
  readonly before: { readonly id: number | string } | undefined;
  readonly after: { readonly id: number | string } | undefined;
}

/** A change of a transaction that can still be taken back. */
export type LoggedChange = RowChange & { readonly undo: () => void };
type KeyOf<R> = (row: R) => number | string | null;

export class Table<R extends { readonly id: number | string }> {
  readonly name: string;
  readonly rows = new Map<number | string, R>();
  readonly #log: LoggedChange[];
  readonly #keyOf: KeyOf<R> | undefined;
  readonly #byKey = new Map<number | string, Set<number | string>>();

  /** `keyOf`: what rows are often looked up by. */
  constructor(name: string, log: LoggedChange[], keyOf?: KeyOf<R>) {
    this.name = name;
    this.#log = log;
    this.#keyOf = keyOf;
  }

  get(id: number | string): R | undefined {
    return this.rows.get(id);
  }

  /** The row of an id that must be there. */
  at(id: number | string): R {
    const row = this.rows.get(id);
    if (row === undefined) throw new Error(`no row ${id} in ${this.name}`);
    return row;
  }

  put(row: R): void {
    const before = this.rows.get(row.id);
    this.#log.push({ table: this.name, before, after: row, undo: () => this.#set(row.id, row, before) });
    this.#set(row.id, before, row);
  }

  /** False when there is one. */
  insert(row: R): boolean {
    if (this.rows.has(row.id)) return false;
    this.put(row);
    return true;
  }

  patch(id: number | string, fields: Partial<R>): void {
    this.put({ ...this.at(id), ...fields });
  }

  delete(id: number | string): void {
    const before = this.rows.get(id);
    if (before === undefined) return;
    const undo = () => this.#set(id, undefined, before);
    this.#log.push({ table: this.name, before, after: undefined, undo });
    this.#set(id, before, undefined);
  }

  where(isIt: (row: R) => boolean): R[] {
    const found: R[] = [];
    for (const row of this.rows.values()) if (isIt(row)) found.push(row);
    return found;
  }

  /** Rows that have this key. */
  withKey(key: number | string): R[] {
    return [...(this.#byKey.get(key) ?? [])].map((id) => this.at(id));
  }

  #set(id: number | string, before: R | undefined, after: R | undefined): void {
    if (after === undefined) this.rows.delete(id);
    else this.rows.set(id, after);
    if (this.#keyOf === undefined) return;
    const [left, key] = [before && this.#keyOf(before), after && this.#keyOf(after)];
    if (left === key) return;
    if (left != null) this.#byKey.get(left)?.delete(id);
    if (key == null) return;
    const ids = this.#byKey.get(key);
    if (ids === undefined) this.#byKey.set(key, new Set([id]));
    else ids.add(id);
  }
}
