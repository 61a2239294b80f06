/**
 * A program: a coordinator's kernel on NATS with one kind of actor, and nothing else. As `receiver` it owns all shards
 * and counts the messages to its actors; as `sender` it owns none, and tells `count` messages when a line comes.
 * Arguments: role, NATS, count.
 */
import {
  type AnsweredWith,
  address,
  askerOf,
  createSystem,
  defineActor,
  type LeasePort,
  reply,
  restartWithin,
  SHARD_COUNT,
  stay,
} from '../../../src/kernel/mod.ts';
import { realClock } from '../../../src/lib/real-clock.ts';
import { linkedTransport } from '../../../src/transport/linked-transport.ts';
import { natsBus } from '../../../src/transport/nats-bus.ts';
import { awaitGo, say } from '../../peers/go.ts';

const [role = '', url = '', given = '0'] = process.argv.slice(2);
const messages = Number(given);
const CELLS = 1_000;
/** Told between two questions of how many have come, and rounds that may be under way. */
const ROUND = 1_000;
const AHEAD = 4;
const ASK = { deadlineMs: 60_000 };
const RECEIVER = 'receiver';

type Message =
  | { readonly type: 'count'; readonly n: number }
  | (AnsweredWith<number> & { readonly type: 'ask' });

let handled = 0;
const counter = defineActor<{ n: number }, Message, unknown, never>({
  kind: 'counter',
  mailboxMax: 100_000,
  idleMs: 600_000,
  turnMax: 100,
  supervise: restartWithin({ timesMax: 3, windowMs: 60_000 }),
  load: async (keys) => new Map(keys.map((key) => [key, { n: 0 }])),
  receive(state, message, ctx) {
    const counted = state ?? { n: 0 };
    if (message.type === 'ask') {
      const asker = askerOf(message, ctx);
      return asker === undefined ? stay(counted) : stay(counted, reply(asker, handled));
    }
    counted.n += 1;
    handled += 1;
    return stay(counted);
  },
});

const shards = Array.from({ length: SHARD_COUNT }, (_, shard) => shard);
const all = new Map(shards.map((shard) => [shard, 1]));
const info = { id: RECEIVER, httpAddress: '', grpcAddress: '', version: '' };
const leases: LeasePort = {
  ttlMs: 3_600_000,
  register: async () => {},
  heartbeat: async () => ({
    held: role === RECEIVER ? all : new Map(),
    coordinators: [info],
    owners: new Map(shards.map((shard) => [shard, RECEIVER])),
    ...{ lapsed: [], nextLapseMs: null },
  }),
  acquire: async () => (role === RECEIVER ? all : new Map()),
  release: async () => {},
  leave: async () => {},
};
const log = { info: () => {}, warn: () => {}, error: () => {} };
const bus = natsBus({ url, cluster: `bench-${process.env.BENCH_CLUSTER ?? ''}`, log });
const system = createSystem({
  self: role,
  addresses: { httpAddress: '', grpcAddress: '', version: '' },
  actors: [counter],
  ports: {},
  apply: { apply: async (turns) => turns.map((turn) => turn.changes.map(() => undefined)) },
  ids: { reserve: async () => [] },
  leases,
  transport: linkedTransport({ bus, peer: () => undefined, log }),
  clock: realClock,
  rng: () => 0.5,
  log,
});
await system.start();

const cell = (n: number) => address<Message>('counter', String(n % CELLS));
const counted = async (n: number): Promise<number> => Number(await system.ask(cell(n), { type: 'ask' }, ASK));

async function send(): Promise<void> {
  const asked: Promise<number>[] = [];
  for (let sent = 0; sent < messages; ) {
    for (let n = 0; n < ROUND && sent < messages; n += 1, sent += 1) {
      system.tell(cell(sent), { type: 'count', n: sent });
    }
    asked.push(counted(sent));
    if (asked.length > AHEAD) await asked.shift();
  }
  await Promise.all(asked);
  while ((await counted(0)) < messages) await new Promise((wake) => setImmediate(wake));
}

// The clock's timers keep no process alive.
setInterval(() => undefined, 3_600_000);
say('ready');
if (role !== RECEIVER) {
  await awaitGo();
  await send();
  say('done');
}
