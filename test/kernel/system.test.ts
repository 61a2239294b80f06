/**
 * The whole kernel under faults: coordinators join, leave and are cut off; the store fails before
 * and after it commits, is slow, and refuses. Each seed gives another history, and a failure prints its seed.
 */
import t from 'tap';
import {
  type AnsweredWith,
  type AnyActorDef,
  address,
  askerOf,
  defineActor,
  Fenced,
  KernelError,
  type Outcome,
  reply,
  restartWithin,
  type System,
  save,
  stay,
  type Turn,
  TurnRefused,
  Unavailable,
} from '../../src/kernel/mod.ts';
import { World } from '../support/worlds/kernel-world.ts';

const SEEDS = 40;
const KEYS = 12;

interface Ledger {
  readonly version: number;
  readonly ops: readonly number[];
}

interface LedgerChange {
  readonly key: string;
  readonly from: number;
  readonly ops: readonly number[];
}

interface Write extends AnsweredWith<number> {
  readonly type: 'write';
  readonly op: number;
}

/**
 * Saves each operation once, and only confirms one that is saved already, as every actor with rows does.
 */
function ledgerActor(rows: Map<string, Ledger>, shake: () => Promise<void>): AnyActorDef {
  return defineActor<Ledger, Write, unknown, LedgerChange>({
    kind: 'ledger',
    mailboxMax: 50,
    idleMs: 2_000,
    turnMax: 5,
    liveMax: 8,
    supervise: restartWithin({ timesMax: 5, windowMs: 10_000, backoffMs: 50, backoffMaxMs: 1_000 }),
    async load(keys) {
      await shake();
      return new Map(keys.filter((key) => rows.has(key)).map((key) => [key, rows.get(key) as Ledger]));
    },
    receive(ledger, message, ctx): Outcome<Ledger, LedgerChange> {
      const { op } = message;
      const asker = askerOf(message, ctx);
      const answer = asker === undefined ? [] : [reply(asker, op)];
      if (ledger?.ops.includes(op)) return stay(ledger, ...answer);
      const from = ledger?.version ?? 0;
      const ops = [...(ledger?.ops ?? []), op];
      return stay({ version: from + 1, ops }, save({ key: ctx.self.key, from, ops: [op] }), ...answer);
    },
  });
}

function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 12), 0x297a2d39);
    mixed ^= mixed >>> 15;
    return (mixed >>> 0) / 2 ** 32;
  };
}

class Hostile {
  readonly world = new World();
  readonly rows = new Map<string, Ledger>();
  readonly random: () => number;
  isCalm = false;
  readonly systems = new Map<string, System>();
  readonly confirmed = new Set<string>();
  readonly codes = new Map<string, number>();
  asked = 0;
  #born = 0;

  constructor(seed: number) {
    this.random = randomOf(seed);
  }

  chance(p: number): boolean {
    return !this.isCalm && this.random() < p;
  }

  readonly shake = async (): Promise<void> => {
    if (this.chance(0.2)) await this.#wait(this.random() * 300);
    if (this.chance(0.1)) throw new Unavailable('shaken');
    if (this.chance(0.02)) throw new TypeError('a bug of the store');
  };

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => void this.world.clock.timer(ms, resolve));
  }

  readonly apply = {
    apply: async (turns: readonly Turn<unknown>[]) => {
      await this.shake();
      const fenced = turns.filter(({ shard, epoch }) => epoch !== this.world.cluster.epochOf(shard));
      if (fenced.length > 0) throw new Fenced(fenced.map(({ shard }) => shard));
      const draft = new Map(this.rows);
      for (const change of turns.flatMap((turn) => turn.changes as LedgerChange[])) {
        const row = draft.get(change.key) ?? { version: 0, ops: [] };
        if (row.version !== change.from) throw new TurnRefused('version');
        draft.set(change.key, { version: row.version + 1, ops: [...row.ops, ...change.ops] });
      }
      if (this.chance(0.1)) throw new TurnRefused('for no reason');
      for (const [key, row] of draft) this.rows.set(key, row);
      await this.shake();
      return turns.map((turn) => turn.changes.map(() => undefined));
    },
  };

  async join(): Promise<void> {
    const self = `c${++this.#born}`;
    const actors = [ledgerActor(this.rows, this.shake)];
    const limits = { groupMax: 4, loadMax: 3, lanes: 2, drainMs: 1_000, parkedMax: 20, refusalsMax: 2 };
    this.systems.set(self, await this.world.system({ self, actors, limits, apply: this.apply }));
  }

  ask(deadlineMs: number): void {
    const systems = [...this.systems.values()];
    const system = systems[Math.floor(this.random() * systems.length)];
    const key = String(Math.floor(this.random() * KEYS));
    const op = ++this.asked;
    system?.ask(address<Write>('ledger', key), { type: 'write', op }, { deadlineMs }).then(
      () => this.confirmed.add(`${key}/${op}`),
      (error: unknown) => {
        const code = error instanceof KernelError ? error.code : String(error);
        this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
      },
    );
  }

  async trouble(): Promise<void> {
    const ids = [...this.systems.keys()];
    const id = ids[Math.floor(this.random() * ids.length)] as string;
    if (this.chance(0.02) && ids.length < 4) await this.join();
    if (this.chance(0.01) && ids.length > 1) {
      const system = this.systems.get(id);
      this.systems.delete(id);
      if (this.chance(0.5)) await this.#within(system?.drain());
      await system?.stop();
    }
    if (this.chance(0.02)) this.world.cluster.cut.add(id);
    if (this.chance(0.1)) this.world.cluster.cut.clear();
  }

  /** Virtual time has to pass for a drain to end. */
  async #within(work: Promise<void> | undefined): Promise<void> {
    let isDone = work === undefined;
    work?.then(() => {
      isDone = true;
    });
    await this.world.clock.until('drained', () => isDone);
  }
}

t.test('system: under faults every confirmed operation is saved, and none is saved twice', async (t) => {
  let confirmed = 0;
  const codes = new Set<string>();
  for (let seed = 1; seed <= SEEDS; seed++) {
    const hostile = new Hostile(seed);
    const { world, rows } = hostile;
    await hostile.join();
    await hostile.join();
    for (let step = 0; step < 250; step++) {
      for (let n = 0; n < 4; n++) hostile.ask(2_000 + hostile.random() * 8_000);
      await hostile.trouble();
      await world.clock.advance(20 + hostile.random() * 200);
    }
    hostile.isCalm = true;
    world.cluster.cut.clear();
    await world.clock.advance(30_000);

    const asked = hostile.asked;
    for (let n = 0; n < 50; n++) {
      hostile.ask(5_000);
      await world.clock.advance(100); // one by one, so that no limit refuses them
    }

    const written = [...rows].flatMap(([key, row]) => row.ops.map((op) => `${key}/${op}`));
    const lost = [...hostile.confirmed].filter((item) => !written.includes(item));
    if (lost.length > 0) t.fail(`seed ${seed}: confirmed, but not saved: ${lost.join()}`);
    if (new Set(written).size !== written.length) t.fail(`seed ${seed}: something was written twice`);
    const late = written.filter((item) => Number(item.split('/')[1]) > asked).length;
    if (late !== 50) t.fail(`seed ${seed}: after the faults ${late} of 50 were saved`);
    for (const system of hostile.systems.values()) {
      const { asksPending, mailParked, kinds } = system.stats();
      t.same(
        [asksPending, mailParked, kinds.ledger?.mail, kinds.ledger?.suspended],
        [0, 0, 0, 0],
        `seed ${seed}`,
      );
      await system.stop();
    }
    confirmed += hostile.confirmed.size;
    for (const code of hostile.codes.keys()) codes.add(code);
  }
  t.ok(confirmed > SEEDS * 300, `${confirmed} confirmed: enough were confirmed despite the faults`);
  for (const code of ['UNAVAILABLE', 'DEADLINE', 'STOPPING', 'CONFLICT', 'MAILBOX_FULL']) {
    t.ok(codes.has(code), `${code} happened`);
  }
});
