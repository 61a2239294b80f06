/** A constraint of the simulated database. */
import { TurnRefused } from '../../../src/lib/commit-errors.ts';

/** Violated constraints refuse without saying which turn was to blame. */
export function violated(constraint: string): never {
  throw new TurnRefused(`the database refused the changes: ${constraint}`, []);
}
