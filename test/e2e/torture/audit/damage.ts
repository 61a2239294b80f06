/** What a damage is: something wrong in a finished world, which the audit has to name, and which can be undone. */
import type { Installation } from '../installation.ts';
import type { Ledger } from '../ledger.ts';
import type { Observed } from './observed.ts';
import type { Undo } from './rows.ts';

export interface Ground {
  readonly all: Installation;
  readonly ledger: Ledger;
  readonly seen: Observed;
}

export interface Planted {
  readonly undo: Undo;
  /** What one of the problems has to begin with. */
  readonly says: string;
}

export interface Damage {
  readonly what: string;
  /** Actors have to answer it. Others are planted while no actor saves anything. */
  readonly isRequest?: true;
  plant(ground: Ground): Promise<Planted>;
}
