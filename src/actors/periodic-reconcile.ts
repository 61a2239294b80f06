/**
 * Shared by actors whose work is a row, and by actors of which a cluster has one: the reconciliation that wakes them,
 * and their supervision.
 */
import { type Address, type Reconciliation, restartWithin, shardOf } from '../kernel/mod.ts';

/**
 * Pauses grow to half a minute, so that an actor whose row cannot be processed costs little until the row is repaired.
 */
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

/** The part of an actor of which a cluster has one. A reconciliation keeps it loaded wherever its shard is. */
export function oneOfCluster(
  { kind, key }: Address<{ readonly type: 'wake' }>,
  everyMs: number,
): {
  readonly kind: string;
  readonly idleMs: number;
  readonly supervise: ReturnType<typeof restartWithin>;
  readonly reconcile: Reconciliation<{ readonly type: 'wake' }, unknown>;
} {
  return {
    kind,
    idleMs: 3_600_000,
    supervise: restartWithin({ timesMax: 5, windowMs: 60_000 }),
    reconcile: {
      everyMs,
      find: async (shards) =>
        shards.includes(shardOf(kind, key)) ? [{ key, message: { type: 'wake' } }] : [],
    },
  };
}
