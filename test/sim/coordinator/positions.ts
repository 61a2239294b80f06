/**
 * A coordinator's part in the stream of changes: the statements of the actor that gives positions, its reconciliation,
 * and those of readers. Their draws and times are their own, so that they displace no fault of the rest of the world.
 */
import { changesActor } from '../../../src/actors/change/change.actor.ts';
import { CHANGES } from '../../../src/actors/change/change.messages.ts';
import type { ChangesPorts } from '../../../src/actors/change/change.ports.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { AnyActorDef, System } from '../../../src/kernel/mod.ts';
import type { Sql, Statement } from '../../../src/store/sql/sql.ts';
import type { Cables } from '../cables.ts';
import type { Seeded } from '../seeded.ts';
import type { SimProcess } from '../sim-process.ts';
import type { ChangeRows } from '../store/change-rows.ts';
import { DATABASE } from './database.ts';

const TIMEOUT_MS = 3_000;
/** A statement may end when its sender has long lost the shard. */
const SLOW_MS = 30_000;
/** So much more often than other statements: otherwise two that give positions hardly ever meet. */
const OFTEN = 5;
const RECONCILE_MS = 1_000;

/** Without its reconciliation: the kernel would draw the intervals from the choices of the rest. */
export const POSITIONS_ACTOR = (({ reconcile: _, ...def }) => def)(changesActor) as unknown as AnyActorDef;

export interface PositionParts {
  readonly cables: Cables;
  readonly process: SimProcess;
  readonly rows: ChangeRows;
  readonly random: Seeded;
  readonly system: () => System;
}

export class Positions {
  readonly ports: ChangesPorts = { addTick: () => this.#addTick() };
  /** For the real code that reads the stream. */
  readonly sql: Sql = {
    execute: async <T>(statement: string | Statement, params: readonly unknown[] = []) =>
      (await this.#read(statement, params)) as T[],
    transaction: () => Promise.reject(new Error('readers have no transactions')),
  };
  readonly #parts: PositionParts;

  constructor(parts: PositionParts) {
    this.#parts = parts;
  }

  /** Looks again and again whether the actor is to be woken here. */
  reconcile(): void {
    const { process, random, system } = this.#parts;
    process.timer(RECONCILE_MS * (0.9 + 0.2 * random.next()), async () => {
      const found = (await changesActor.reconcile?.find(system().heldShards(), this.ports, false)) ?? [];
      for (const { message } of found) system().tell(CHANGES, message as { readonly type: 'wake' });
      this.reconcile();
    });
  }

  /** Its snapshot is of its begin; until it writes, others may have written. */
  #addTick(): Promise<void> {
    const { rows, random, cables } = this.#parts;
    return this.#run((answer) => {
      const begun = rows.beginTick();
      const slowMs = random.chance(OFTEN * cables.faultRates.slow) ? SLOW_MS : 3;
      cables.time.after(random.next() * slowMs, () => {
        rows.endTick(begun);
        answer(undefined);
      });
    });
  }

  #read(statement: string | Statement, params: readonly unknown[]): Promise<readonly unknown[]> {
    const { rows } = this.#parts;
    const name = typeof statement === 'string' ? statement : statement.name;
    if (name !== 'read_changes')
      return Promise.reject(new Error(`the simulated stream cannot answer ${name}`));
    const [tick, row, rowsMax] = params as readonly [number, number, number];
    return this.#run((answer) => answer(rows.read({ tick, row, item: 0 }, rowsMax)));
  }

  /** Arrives even if the process dies meanwhile; the answer may be lost. */
  #run<T>(statement: (answer: (result: T) => void) => void): Promise<T> {
    const { cables, process, random } = this.#parts;
    const { time } = cables;
    return new Promise((resolve, reject) => {
      const refuse = (afterMs: number): void => {
        process.timer(afterMs, () =>
          reject(new AppError('STORE_UNAVAILABLE', 'the database cannot be reached')),
        );
      };
      if (cables.isCut(process.name, DATABASE)) refuse(TIMEOUT_MS);
      else if (random.chance(cables.faultRates.failsBefore)) refuse(1 + random.next() * 50);
      else {
        time.after(0.3 + random.next(), () =>
          statement((result) => {
            if (cables.isCut(process.name, DATABASE)) refuse(TIMEOUT_MS);
            else if (random.chance(cables.faultRates.failsAfter)) refuse(1 + random.next() * 50);
            else process.timer(0.3 + random.next(), () => resolve(result));
          }),
        );
      }
    });
  }
}
