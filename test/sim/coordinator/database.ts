/** The way to the simulated database: statements are slow, refused, or done with their answer lost. */
import { AppError } from '../../../src/domain/errors.ts';
import type { Cables, CommitPoint } from '../cables.ts';
import type { SimProcess } from '../sim-process.ts';

export const DATABASE = 'database';
const TIMEOUT_MS = 3_000;
const SLOW_MS = 12_000;
const LATE_MS = 2_000;

/**
 * Has the database run `statement` for a process. It is run even if the process dies meanwhile; rejects with
 * AppError STORE_UNAVAILABLE when the way is cut, before it or after it.
 */
export function query<T>(
  cables: Cables,
  process: SimProcess,
  statement: () => T,
  isCommit = false,
): Promise<T> {
  const { random, faultRates, time } = cables;
  return new Promise<T>((resolve, reject) => {
    const refuse = (afterMs: number) =>
      process.timer(afterMs, () =>
        reject(new AppError('STORE_UNAVAILABLE', 'the database cannot be reached')),
      );
    if (cables.isCut(process.name, DATABASE)) {
      refuse(TIMEOUT_MS);
      return;
    }
    if (random.chance(faultRates.failsBefore)) {
      refuse(1 + random.next() * 50);
      return;
    }
    // What has left arrives, whatever becomes of the way and of its sender meanwhile.
    const heldMs = isCommit ? cables.heldMs(process.name) : 0;
    const slowMs = random.chance(faultRates.slow) ? random.next() * SLOW_MS : 0;
    const lockedMs = isCommit ? cables.rowsLockedMs : 0;
    const wayMs = 0.3 + random.next() + slowMs + heldMs + lockedMs;
    if (isCommit && random.chance(faultRates.commitsLate)) {
      endLate(cables, statement, wayMs);
      refuse(1 + random.next() * 50);
      return;
    }
    const reach = (at: CommitPoint): void => {
      if (isCommit && !process.isDead) cables.reach(process.name, at);
    };
    reach('before');
    if (process.isDead) return;
    time.after(wayMs, () => {
      let answer: () => void;
      try {
        const result = statement();
        answer = () => {
          resolve(result);
          // What the turns say leaves at once; before anything else happens the process may be gone.
          time.after(0, () => reach('sent'));
        };
        reach('saved');
      } catch (error) {
        answer = () => reject(error);
      }
      if (cables.isCut(process.name, DATABASE)) refuse(TIMEOUT_MS);
      else if (cables.isAnswerLost(process.name)) refuse(1 + random.next() * 50);
      else process.timer(0.3 + random.next(), answer);
    });
  });
}

/**
 * The connection broke when all but the end of the commit was said: its sender takes it for failed and could read rows
 * as they were, while the server ends it in its own time.
 */
function endLate(cables: Cables, statement: () => unknown, wayMs: number): void {
  cables.endLate(wayMs + cables.random.next() * LATE_MS, () => {
    try {
      statement();
    } catch {
      // It was refused: nobody is there to hear it.
    }
  });
}
