/**
 * What actors share whose work is a row: the row says that something is left to be done, a reconciliation finds it and
 * wakes its actor, and an actor that fails is begun anew from its row.
 */
import { type Reconciliation, restartWithin } from '../kernel/mod.ts';

/** Pauses grow to half a minute: a row that nobody can work on costs little until somebody mends it. */
export const FROM_ITS_ROW = restartWithin({
  timesMax: 5,
  windowMs: 60_000,
  backoffMs: 100,
  backoffMaxMs: 30_000,
});

/** `due`: ids of the rows of these shards with work left; `isTakenOver`: the shards have come to us just now. */
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
