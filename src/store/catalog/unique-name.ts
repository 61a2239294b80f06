/**
 * Inserts records under the name that a request chose, or one from their title: if the constraint says that this one is
 * taken, again with a suffix. A deleted record that has the name is brought back instead.
 */
import { randomBytes } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import { nameFromTitle, nameWithSuffix } from '../../domain/names.ts';
import type { Sql } from '../sql/sql.ts';
import { constraintOf } from '../sql/store-errors.ts';

const TRIES_MAX = 5;
const SUFFIX_BYTES = 10;

export interface NamedInsert<T> {
  readonly title: string;
  /** As the request chose it. */
  readonly name?: string | undefined;
  /** Used for a title that makes no name. */
  readonly stem: string;
  /** The unique constraint of the name. */
  readonly constraint: string;
  /** Inserts in a transaction of its own. */
  readonly insert: (name: string) => Promise<T>;
  /** Brings back the deleted record that has the name, in a transaction of its own. Undefined: there is none. */
  readonly revive: (name: string) => Promise<T | undefined>;
}

/**
 * Resolves with the result of `insert` for the first free name, or of `revive` if a deleted record has it. Throws
 * NAME_TAKEN if a chosen name is not free.
 */
export async function insertNamed<T>(options: NamedInsert<T>): Promise<T> {
  const wanted = options.name ?? nameFromTitle(options.title, options.stem);
  let name = wanted;
  for (let tries = 1; ; tries++) {
    try {
      return await options.insert(name);
    } catch (error) {
      if (constraintOf(error) !== options.constraint) throw error;
      const revived = name === wanted ? await options.revive(name) : undefined;
      if (revived !== undefined) return revived;
      if (options.name !== undefined) throw takenName(name);
      if (tries === TRIES_MAX)
        throw new AppError('NAME_TAKEN', `names made from '${options.title}' are all taken: give a name`);
      name = nameWithSuffix(wanted, randomBytes(SUFFIX_BYTES));
    }
  }
}

function takenName(name: string): AppError {
  const description = `'${name}' is the name of another one`;
  const errors = [{ name: 'NAME_TAKEN', description, path: 'name' }];
  return new AppError('NAME_TAKEN', `name: ${description}`, { errors });
}

/** Relies on strike_name_key, scan_name_key. */
export async function isNameKnown(sql: Sql, kind: 'strike' | 'scan', name: string): Promise<boolean> {
  return (await sql.execute(`select from ${kind} where name = $1 and deleted is null`, [name])).length > 0;
}
