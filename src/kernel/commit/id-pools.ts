/**
 * Identifiers at hand, so that handlers can take them synchronously; refilled in blocks behind their back.
 */

import type { KernelLimits } from '../actor/limits.ts';
import type { IdPort, KernelLog } from '../actor/ports.ts';
import { Fifo } from '../fifo.ts';

/**
 * Ends a turn that needs more identifiers than are at hand. Not a failure: it is run again after a refill.
 */
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
  readonly #port: IdPort;
  readonly #limits: KernelLimits;
  readonly #log: KernelLog;
  readonly #pools = new Map<string, Pool>();

  constructor(port: IdPort, limits: KernelLimits, log: KernelLog) {
    this.#port = port;
    this.#limits = limits;
    this.#log = log;
  }

  /** Throws OutOfIds. */
  take(idKind: string): number {
    const pool = this.#poolOf(idKind);
    const id = pool.ids.shift();
    if (id === undefined) throw new OutOfIds(idKind);
    if (pool.ids.length * 2 < pool.block && pool.refill === undefined) {
      // A failure here is not lost: the turn that runs dry asks again and waits for the answer.
      this.#fill(idKind, pool).catch((error: unknown) =>
        this.#log.warn('identifiers not refilled', { idKind, error }),
      );
    }
    return id;
  }

  /** The blocks of the kind grow no more. */
  isLargest(idKind: string): boolean {
    return this.#poolOf(idKind).block >= this.#limits.idBlockMax;
  }

  /**
   * More than there were when a turn ran dry, whoever else runs dry meanwhile. Rejects when the port does.
   */
  replenish(idKind: string): Promise<void> {
    const pool = this.#poolOf(idKind);
    pool.growth ??= this.#grow(idKind, pool).finally(() => {
      pool.growth = undefined;
    });
    return pool.growth;
  }

  async #grow(idKind: string, pool: Pool): Promise<void> {
    pool.block = Math.min(pool.block * 2, this.#limits.idBlockMax);
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
      pool = { ids: new Fifo(), block: this.#limits.idBlock, refill: undefined, growth: undefined };
      this.#pools.set(idKind, pool);
    }
    return pool;
  }
}
