/**
 * Shared by actors whose work is a row: a reconciliation finds rows with work left and wakes their actors, and an actor
 * that fails is restarted from its row.
 */
import { type Reconciliation, restartWithin } from '../kernel/mod.ts';

/** Pauses grow to half a minute: a row that cannot be worked on costs little until it is repaired. */
export const FROM_ITS_ROW = restartWithin({
  timesMax: 5,
  windowMs: 60_000,
  backoffMs: 100,
  backoffMaxMs: 30_000,
});

/** `due`: ids of the rows of these shards with work left; `isTakenOver`: the shards were just taken over. */
export function wakeDue<Ports>(
  everyMs: number,
  due: (ports: Ports, shards: readonly number[], isTakenOver: boolean) => Promise<readonly number[]>,
): Reconciliation<{ readonly type: 'wake' }, Ports> {
  return {
    everyMs,
    async find(shards, ports, isTakenOver) {
      const ids = await due(ports, shards, isTakenOver);
      return ids.map((id) => ({ key: String(id), message: { type: 'wake' } }));
    },
  };
}
