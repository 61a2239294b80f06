/**
 * Rows for actors under test: accounts with a balance and a version. Applies groups like the real store: one
 * transaction, each turn fenced by its shard's epoch, each change guarded by the version that it was based on.
 */
import { type ApplyPort, Fenced, type Turn, TurnRefused } from '../../../src/kernel/mod.ts';

export interface Account {
  readonly balance: number;
  readonly version: number;
}

export interface AccountChange {
  readonly key: string;
  /** Version before; 0 creates. */
  readonly from: number;
  readonly balance: number;
}

export class AccountStore implements ApplyPort<AccountChange> {
  readonly rows = new Map<string, Account>();
  /** Sizes of the groups that were committed. */
  readonly groups: number[] = [];
  readonly loads: (readonly string[])[] = [];
  /** Whether TurnRefused contains the turns to blame, as in the real store if possible. */
  namesCulprits = true;
  /** Called before a group is applied, and after; may throw or wait. */
  before: (turns: readonly Turn<AccountChange>[]) => Promise<void> | void = () => {};
  after: (turns: readonly Turn<AccountChange>[]) => Promise<void> | void = () => {};
  beforeLoad: (keys: readonly string[]) => Promise<void> | void = () => {};
  readonly #epochOf: (shard: number) => number;

  constructor(epochOf: (shard: number) => number) {
    this.#epochOf = epochOf;
  }

  /** A write that is not the actor's. */
  put(key: string, balance: number): void {
    this.rows.set(key, { balance, version: (this.rows.get(key)?.version ?? 0) + 1 });
  }

  async load(keys: readonly string[]): Promise<Map<string, Account>> {
    this.loads.push(keys);
    await this.beforeLoad(keys);
    const found = new Map<string, Account>();
    for (const key of keys) {
      const row = this.rows.get(key);
      if (row !== undefined) found.set(key, { ...row });
    }
    return found;
  }

  async apply(turns: readonly Turn<AccountChange>[]): Promise<readonly (readonly unknown[])[]> {
    await this.before(turns);
    const fenced = turns.filter((turn) => turn.epoch !== this.#epochOf(turn.shard));
    if (fenced.length > 0) throw new Fenced([...new Set(fenced.map((turn) => turn.shard))]);
    const draft = new Map(this.rows);
    const refused = [...turns.entries()].filter(([, turn]) => !applyTo(draft, turn)).map(([at]) => at);
    if (refused.length > 0) throw new TurnRefused('version', this.namesCulprits ? refused : []);
    for (const [key, row] of draft) this.rows.set(key, row);
    this.groups.push(turns.length);
    await this.after(turns);
    return turns.map((turn) => turn.changes.map((change) => `saved ${change.key} ${change.balance}`));
  }
}

function applyTo(draft: Map<string, Account>, turn: Turn<AccountChange>): boolean {
  for (const { key, from, balance } of turn.changes) {
    if ((draft.get(key)?.version ?? 0) !== from) return false;
    draft.set(key, { balance, version: from + 1 });
  }
  return true;
}
