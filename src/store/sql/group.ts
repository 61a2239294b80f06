/**
 * A group of turns for one transaction: its changes by type, their results, and the refused turns. It is independent of
 * tables.
 */
import type { AnyResult, Change, ChangeType, ResultOf } from '../../domain/changes.ts';
import type { Turn } from '../../kernel/mod.ts';
import { TurnRefused } from '../../lib/commit-errors.ts';

export type ChangeOf<T extends ChangeType> = Extract<Change, { readonly type: T }>;

/** A change and its place: the position of its turn in the group, and its own in the turn. */
export interface Placed<T extends ChangeType = ChangeType> {
  readonly turn: number;
  readonly at: number;
  readonly change: ChangeOf<T>;
}

function isOfType<T extends ChangeType>(change: Change, type: T): change is ChangeOf<T> {
  return change.type === type;
}

export class Group {
  readonly turns: readonly Turn<Change>[];
  readonly results: AnyResult[][];
  /** All changes in the order of their turns. */
  readonly all: readonly Placed[];
  readonly #byType = new Map<ChangeType, Placed[]>();
  readonly #refused = new Map<number, string>();

  constructor(turns: readonly Turn<Change>[]) {
    this.turns = turns;
    this.results = turns.map((turn) => new Array<AnyResult>(turn.changes.length).fill(undefined));
    this.all = turns.flatMap((turn, at) =>
      turn.changes.map((change, index) => ({ turn: at, at: index, change })),
    );
    for (const placed of this.all) {
      const list = this.#byType.get(placed.change.type);
      if (list === undefined) this.#byType.set(placed.change.type, [placed]);
      else list.push(placed);
    }
  }

  placed<T extends ChangeType>(type: T): readonly Placed<T>[] {
    const list = this.#byType.get(type) ?? [];
    return list.flatMap(({ change, ...place }) => (isOfType(change, type) ? [{ ...place, change }] : []));
  }

  /** All changes of a type. */
  changes<T extends ChangeType>(type: T): readonly ChangeOf<T>[] {
    return this.placed(type).map(({ change }) => change);
  }

  /** The items of all changes of a type. */
  items<T extends ChangeType, I>(type: T, itemsOf: (change: ChangeOf<T>) => readonly I[]): I[] {
    return this.placed(type).flatMap(({ change }) => itemsOf(change));
  }

  answer<T extends ChangeType>(placed: Placed<T>, result: ResultOf<ChangeOf<T>>): void {
    const results = this.results[placed.turn];
    if (results !== undefined) results[placed.at] = result;
  }

  /** Marks the turn as refused, because a hard guard failed. Its first reason is kept. */
  refuse(turn: number, reason: string): void {
    if (!this.#refused.has(turn)) this.#refused.set(turn, reason);
  }

  isRefused(turn: number): boolean {
    return this.#refused.has(turn);
  }

  /** Aborts the transaction if a turn was refused. */
  throwIfRefused(): void {
    if (this.#refused.size === 0) return;
    const reasons = [...this.#refused.values()].slice(0, 3).join('; ');
    throw new TurnRefused(reasons, [...this.#refused.keys()]);
  }
}

/** Merges the patches of each record into one change, in which later values win. `idOf`: the record's id. */
export function mergedPatches<C extends { readonly patch: object }>(
  changes: readonly C[],
  idOf: (change: C) => number,
): readonly C[] {
  const merged = new Map<number, C>();
  for (const change of changes) {
    const patch = { ...merged.get(idOf(change))?.patch, ...change.patch };
    merged.set(idOf(change), { ...change, patch });
  }
  return [...merged.values()];
}
