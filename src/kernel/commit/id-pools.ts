/** Pools of identifiers, so that handlers can take them synchronously; refilled in blocks in the background. */

import { Fifo } from '../../lib/fifo.ts';
import type { IdPort } from '../actor/ports.ts';
import type { Runtime } from '../runtime.ts';

/** Ends a turn that needs more identifiers than the pool has. Not a failure: the turn runs again after a refill. */
export class OutOfIds extends Error {
  override readonly name = 'OutOfIds';
  readonly idKind: string;

  constructor(idKind: string) {
    super(`no identifier of kind ${idKind} at hand`);
    this.idKind = idKind;
  }
}

interface Pool {
  readonly ids: Fifo<number>;
  block: number;
  refill: Promise<void> | undefined;
  growth: Promise<void> | undefined;
}

export class IdPools {
  readonly #runtime: Runtime;
  readonly #port: IdPort;
  readonly #pools = new Map<string, Pool>();

  constructor(runtime: Runtime, port: IdPort) {
    this.#runtime = runtime;
    this.#port = port;
  }

  /** Takes an identifier. Throws OutOfIds. */
  take(idKind: string): number {
    const pool = this.#poolOf(idKind);
    const id = pool.ids.shift();
    if (id === undefined) throw new OutOfIds(idKind);
    if (pool.ids.length * 2 < pool.block && pool.refill === undefined) {
      // A failure here needs no retry: a turn that finds the pool empty requests a block again and waits for it.
      this.#fill(idKind, pool).catch((error: unknown) =>
        this.#runtime.log.warn('ids_not_refilled', { idKind, error }),
      );
    }
    return id;
  }

  /** Whether the blocks of the kind have their largest size. */
  isLargest(idKind: string): boolean {
    return this.#poolOf(idKind).block >= this.#runtime.limits.idBlockMax;
  }

  /**
   * Refills the pool beyond what it had when a turn found it empty, whichever other turns do so meanwhile. Rejects when
   * the port does.
   */
  replenish(idKind: string): Promise<void> {
    const pool = this.#poolOf(idKind);
    pool.growth ??= this.#grow(idKind, pool).finally(() => {
      pool.growth = undefined;
    });
    return pool.growth;
  }

  async #grow(idKind: string, pool: Pool): Promise<void> {
    pool.block = Math.min(pool.block * 2, this.#runtime.limits.idBlockMax);
    if (pool.refill !== undefined) await pool.refill;
    if (pool.ids.length < pool.block) await this.#fill(idKind, pool);
  }

  #fill(idKind: string, pool: Pool): Promise<void> {
    pool.refill = this.#port
      .reserve(idKind, pool.block)
      .then((ids) => {
        for (const id of ids) pool.ids.push(id);
      })
      .finally(() => {
        pool.refill = undefined;
      });
    return pool.refill;
  }

  #poolOf(idKind: string): Pool {
    let pool = this.#pools.get(idKind);
    if (pool === undefined) {
      pool = { ids: new Fifo(), block: this.#runtime.limits.idBlock, refill: undefined, growth: undefined };
      this.#pools.set(idKind, pool);
    }
    return pool;
  }
}
