/** Inserts records whose name comes from their title: if the constraint says that it is taken, again with a suffix. */
import { randomBytes } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import { nameFromTitle, nameWithSuffix } from '../../domain/names.ts';
import { constraintOf } from '../sql/store-errors.ts';

const TRIES_MAX = 5;
const SUFFIX_BYTES = 10;

export interface NamedInsert<T> {
  readonly title: string;
  /** Used for a title without ASCII letters. */
  readonly stem: string;
  /** Names that would hide a route. */
  readonly reserved?: ReadonlySet<string>;
  /** The unique constraint of the name. */
  readonly constraint: string;
  /** Inserts in a transaction of its own. */
  readonly insert: (name: string) => Promise<T>;
}

/** Resolves with the result of `insert` for the first free name. */
export async function insertNamed<T>(options: NamedInsert<T>): Promise<T> {
  const wanted = nameFromTitle(options.title, options.stem);
  const isReserved = options.reserved?.has(wanted) === true;
  let name = isReserved ? nameWithSuffix(wanted, randomBytes(SUFFIX_BYTES)) : wanted;
  for (let tries = 1; ; tries++) {
    try {
      return await options.insert(name);
    } catch (error) {
      if (constraintOf(error) !== options.constraint) throw error;
      if (tries === TRIES_MAX) throw new AppError('NAME_TAKEN', `no name was free for '${options.title}'`);
      name = nameWithSuffix(wanted, randomBytes(SUFFIX_BYTES));
    }
  }
}
