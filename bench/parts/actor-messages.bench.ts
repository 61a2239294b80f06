/**
 * Messages a second between actors inside one process, without a store and with one that takes no time. Each subject is
 * counted by what its handlers saw.
 *
 * Beside it a bare loop that finds an object and calls its handler: no mailboxes, no bounds, no failures.
 */
import {
  type Address,
  type AnsweredWith,
  type AnyActorDef,
  address,
  askerOf,
  createSystem,
  defineActor,
  type LeasePort,
  reply,
  restartWithin,
  SHARD_COUNT,
  type System,
  save,
  stay,
  tell,
} from '../../src/kernel/mod.ts';
import { realClock } from '../../src/lib/real-clock.ts';
import { MemoryNetwork, memoryTransport } from '../../src/transport/memory-transport.ts';
import { medianOf, runBench } from '../harness/bench.ts';
import { OWN_METER, rate } from '../harness/meter.ts';
import type { Sample } from '../harness/results/result.ts';

const CELLS = 1_000;
const ROUND = 20_000;
const nothing = stay<{ n: number }>({ n: 0 });

type Message =
  | { readonly type: 'count' }
  | { readonly type: 'write' }
  | (AnsweredWith<number> & { readonly type: 'ask' })
  | { readonly type: 'pass'; readonly left: number };

const counterAddress = (n: number) => address<Message>('counter', String(n));

const counter = defineActor<{ n: number }, Message, unknown, { key: string; n: number }>({
  kind: 'counter',
  mailboxMax: 100_000,
  idleMs: 60_000,
  turnMax: 100,
  supervise: restartWithin({ timesMax: 3, windowMs: 60_000 }),
  load: async (keys) => new Map(keys.map((key) => [key, { n: 0 }])),
  receive(state, message, ctx) {
    const counted = state ?? { n: 0 };
    counted.n++;
    checksum++;
    if (message.type === 'write') return stay(counted, save({ key: ctx.self.key, n: counted.n }));
    if (message.type === 'ask') {
      const asker = askerOf(message, ctx);
      return asker === undefined ? stay(counted) : stay(counted, reply(asker, counted.n));
    }
    if (message.type === 'pass' && message.left > 0) {
      const to = counterAddress((Number(ctx.self.key) + 1) % CELLS);
      return stay(counted, tell(to, { type: 'pass', left: message.left - 1 }));
    }
    return { state: counted, effects: nothing.effects };
  },
});

/** Counts handled messages: nothing may be optimised away, and the work's meaning may not change. */
let checksum = 0;

/** All shards, for ever. */
const leases: LeasePort = {
  ttlMs: 3_600_000,
  register: async () => {},
  heartbeat: async () => ({ held: all, coordinators: [], owners: new Map(), lapsed: [], nextLapseMs: null }),
  acquire: async () => all,
  release: async () => {},
  leave: async () => {},
};
const all = new Map(Array.from({ length: SHARD_COUNT }, (_, shard) => [shard, 1]));

async function start(): Promise<System> {
  const actors: AnyActorDef[] = [counter];
  const system = createSystem({
    self: 'bench',
    addresses: { httpAddress: '', grpcAddress: '', version: '' },
    actors,
    ports: {},
    apply: { apply: async (turns) => turns.map((turn) => turn.changes.map(() => undefined)) },
    ids: { reserve: async () => [] },
    leases,
    transport: memoryTransport(new MemoryNetwork()),
    clock: realClock,
    rng: () => 0.5,
    log: { info: () => {}, warn: () => {}, error: () => {} },
  });
  await system.start();
  return system;
}

const addresses = Array.from({ length: CELLS }, (_, key) => counterAddress(key));
const at = (n: number) => addresses[n % CELLS] as Address<Message>;

async function until(count: number): Promise<void> {
  while (checksum < count) await new Promise((resolve) => setImmediate(resolve));
}

async function tells(system: System, messages: number, type: 'count' | 'write'): Promise<void> {
  for (let sent = 0; sent < messages; ) {
    for (let n = 0; n < ROUND && sent < messages; n++, sent++) system.tell(at(sent), { type });
    await until(sent);
  }
}

async function asks(system: System, messages: number): Promise<void> {
  for (let sent = 0; sent < messages; ) {
    const round: Promise<unknown>[] = [];
    for (let n = 0; n < ROUND && sent < messages; n++, sent++) {
      round.push(system.ask(at(sent), { type: 'ask' }, { deadlineMs: 60_000 }));
    }
    await Promise.all(round);
  }
}

async function passes(system: System, messages: number): Promise<void> {
  const left = Math.floor(messages / CELLS) - 1;
  for (let n = 0; n < CELLS; n++) system.tell(at(n), { type: 'pass', left });
  await until((left + 1) * CELLS);
}

/** No mailbox, no bounds, no failures. */
function bareLoop(messages: number): void {
  const states = new Map(addresses.map(({ key }) => [key, { n: 0 }]));
  const ctx = { self: at(0), shard: 0, epoch: 0, nowMs: 0, newId: () => 0, count: () => {} };
  for (let sent = 0; sent < messages; sent++) {
    const { key } = at(sent);
    states.set(key, counter.receive(states.get(key), { type: 'count' }, ctx).state ?? { n: 0 });
  }
}

type Work = (system: System, messages: number) => Promise<void>;

await runBench(import.meta.filename, async (bench) => {
  const messages = bench.parameter('messages', 20_000, 2_000_000);
  const counted = async (work: () => unknown): Promise<Sample> => {
    checksum = 0;
    const sample = await rate(messages, OWN_METER, work);
    if (checksum < messages) throw new Error(`${checksum} of ${messages} messages were handled`);
    return sample;
  };
  /** All actors are there before it is measured. */
  const within = (work: Work) => async () => {
    const system = await start();
    checksum = 0;
    await tells(system, CELLS, 'count');
    const sample = await counted(() => work(system, messages));
    await system.stop();
    return sample;
  };
  const told = 'tell, no changes';
  const rows = await bench.compare({
    ...{ title: 'Within one process', unit: 'messages/s', each: 'message' },
    subjects: [
      { name: told, work: within((system, count) => tells(system, count, 'count')) },
      { name: 'tell from actor to actor', work: within(passes) },
      { name: 'ask and reply', work: within(asks) },
      {
        ...{ name: 'tell, one change each', remark: 'the store takes no time' },
        work: within((system, count) => tells(system, count, 'write')),
      },
      { name: 'bare loop', isPeer: true, work: () => counted(() => bareLoop(messages)) },
    ],
  });
  const measured = medianOf(rows, told);
  bench.aim({ text: 'in process', measured, wanted: 1_000_000, bound: 'least', unit: 'messages/s' });
});
