/** A constraint of the simulated database. */
import { TurnRefused } from '../../../src/store/sql/store-errors.ts';

/** Violated constraints refuse without saying which turn was to blame. */
export function violated(constraint: string): never {
  throw new TurnRefused(`the database refused the changes: ${constraint}`, []);
}
