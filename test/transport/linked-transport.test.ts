/**
 * Links between coordinators while the bus and the connections fail, on virtual time: messages arrive once and in
 * order. Each seed chooses faults; seeded bugs show that the checks find them.
 */
import t from 'tap';
import type { Envelope } from '../../src/kernel/mod.ts';
import { BUS_LIMITS } from '../../src/transport/bus-limits.ts';
import { Link } from '../../src/transport/link.ts';
import { type LinkedTransport, linkedTransport } from '../../src/transport/linked-transport.ts';
import { Receipts } from '../../src/transport/receipts.ts';
import type { DirectPeer } from '../../src/transport/ways.ts';
import { encodeEnvelope, encodeNotes } from '../../src/wire/codecs/bus.ts';
import { mail } from '../conformance/transport.ts';
import { Seeded } from '../sim/seeded.ts';
import { silentLog } from '../support/silent-log.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { BusDouble, WireDouble } from './bus-doubles.ts';

const NAMES = ['a', 'b', 'c'];
const SEEDS = 30;
const MESSAGES = 120;
/** The id of a message that no coordinator has sent. */
const MADE_UP = 1_000_000_000;

class Cluster {
  readonly clock = new VirtualClock();
  readonly bus: BusDouble;
  readonly wire: WireDouble;
  readonly transports = new Map<string, LinkedTransport>();
  /** The messages that each has received, by sender. */
  readonly had = new Map<string, number[]>();
  readonly sent = new Map<string, number[]>();
  readonly peers = new Map<string, DirectPeer | 'legacy'>();
  #lastId = 0;

  constructor(random: Seeded) {
    this.bus = new BusDouble(this.clock, random);
    this.wire = new WireDouble(this.clock, random);
  }

  async start(names: readonly string[] = NAMES): Promise<void> {
    for (const name of names) {
      const transport = linkedTransport({
        bus: this.bus.client(() => name),
        direct: this.wire.end(name),
        peer: (id) => this.peers.get(id),
        log: silentLog,
        clock: this.clock,
      });
      this.peers.set(name, { address: name, key: 'k' });
      this.transports.set(name, transport);
      await transport.start(name, (envelope) => this.#heard(name, envelope));
    }
  }

  send(from: string, to: string): void {
    this.#lastId += 1;
    const done = this.transports.get(from)?.send(to, mail(from, this.#lastId));
    if (done === 'sent') note(this.sent, `${from} ${to}`, this.#lastId);
  }

  #heard(name: string, envelope: Envelope): void {
    note(this.had, `${envelope.from} ${name}`, envelope.id);
  }

  /** Descriptions of broken laws. */
  broken(): string[] {
    const found: string[] = [];
    for (const [pair, had] of this.had) {
      if (new Set(had).size < had.length) found.push(`${pair}: something came twice`);
      const sorted = [...had].sort((one, other) => one - other);
      if (had.some((id, at) => id !== sorted[at])) found.push(`${pair}: the order has changed`);
    }
    for (const [pair, sent] of this.sent) {
      const had = new Set(this.had.get(pair));
      const lost = sent.filter((id) => !had.has(id));
      if (lost.length > 0) found.push(`${pair}: ${lost.length} of ${sent.length} are lost`);
    }
    return found;
  }

  async stop(): Promise<void> {
    for (const transport of this.transports.values()) await transport.stop();
  }
}

function note(lists: Map<string, number[]>, pair: string, id: number): void {
  const list = lists.get(pair);
  if (list === undefined) lists.set(pair, [id]);
  else list.push(id);
}

/** Both ways fail at times, but never both for longer than messages are kept. */
async function runSeed(seed: number): Promise<string[]> {
  const random = new Seeded(seed);
  const cluster = new Cluster(random.fork());
  await cluster.start();
  const trouble = random.fork();
  const pick = (): string => trouble.pick(NAMES) as string;
  for (let at = 0; at < MESSAGES; at += 1) {
    const [from, to] = [pick(), pick()];
    if (from !== to) for (let count = trouble.int(1, 5); count > 0; count -= 1) cluster.send(from, to);
    const faults = [
      () => cluster.bus.freeze(),
      () => cluster.bus.thaw(),
      () => cluster.bus.kill(),
      () => cluster.bus.begin(),
      () => cluster.bus.drop(pick(), trouble.int(10, 800)),
      () => cluster.wire.cut(pick(), pick()),
      () => cluster.wire.joinAll(),
    ];
    if (trouble.chance(0.25)) trouble.pick(faults)?.();
    await cluster.clock.advance(trouble.int(0, 400));
    if (at % 20 === 19) await heal(cluster);
  }
  await heal(cluster);
  const broken = cluster.broken();
  await cluster.stop();
  return broken;
}

async function heal(cluster: Cluster): Promise<void> {
  cluster.bus.thaw();
  cluster.bus.begin();
  cluster.wire.joinAll();
  await cluster.clock.advance(8_000);
}

t.test(`links: messages arrive once and in order, in ${SEEDS} seeds`, async (t) => {
  for (let seed = 1; seed <= SEEDS; seed += 1) t.strictSame(await runSeed(seed), [], `seed ${seed}`);
});

t.test('links: seeded bugs are found', async (t) => {
  const bugs: Record<string, (undo: (() => void)[]) => void> = {
    'a receiver that takes repeats': (undo) => {
      const { take } = Receipts.prototype;
      undo.push(() => Object.assign(Receipts.prototype, { take }));
      Receipts.prototype.take = function (from, number, previous, answer) {
        take.call(this, from, number, previous, answer);
        return true;
      };
    },
    'a receiver that does not look for what is missing': (undo) => {
      const { take } = Receipts.prototype;
      undo.push(() => Object.assign(Receipts.prototype, { take }));
      Receipts.prototype.take = function (from, number, _previous, answer) {
        return take.call(this, from, number, 0, answer);
      };
    },
    'receipts for what has not come': (undo) => {
      const { received } = Link.prototype;
      undo.push(() => Object.assign(Link.prototype, { received }));
      Link.prototype.received = function (number, way) {
        received.call(this, number + 1_000, way);
      };
    },
  };
  for (const [what, breakIt] of Object.entries(bugs)) {
    const undo: (() => void)[] = [];
    breakIt(undo);
    try {
      let found: string[] = [];
      for (let seed = 1; seed <= SEEDS && found.length === 0; seed += 1) found = await runSeed(seed);
      t.not(found.length, 0, what);
    } finally {
      for (const run of undo) run();
    }
  }
});

t.test('links: a frozen bus delays messages only until it counts as silent', async (t) => {
  const cluster = new Cluster(new Seeded(1));
  await cluster.start();
  cluster.send('a', 'b');
  await cluster.clock.advance(500);
  cluster.bus.freeze();
  cluster.send('a', 'b');
  await cluster.clock.advance(BUS_LIMITS.silentMs + 2 * BUS_LIMITS.tickMs);
  t.equal(cluster.had.get('a b')?.length, 2);
  await cluster.clock.advance(100);
  t.match(cluster.transports.get('a')?.trouble(), { reason: /delivers none/ });
  cluster.send('a', 'b');
  await cluster.clock.advance(50);
  t.equal(cluster.had.get('a b')?.length, 3, 'further messages are not delayed');

  cluster.bus.thaw();
  await cluster.clock.advance(2 * BUS_LIMITS.probeMs);
  t.equal(cluster.transports.get('a')?.trouble(), undefined);
  const { opened } = cluster.wire;
  cluster.send('a', 'b');
  await cluster.clock.advance(100);
  t.equal(cluster.had.get('a b')?.length, 4);
  t.equal(cluster.wire.opened, opened, 'the bus is used again');
  await cluster.stop();
});

t.test('links: an unreachable coordinator costs a bounded buffer and few attempts', async (t) => {
  const cluster = new Cluster(new Seeded(1));
  await cluster.start(['a']);
  cluster.peers.set('b', { address: 'b', key: 'k' });
  cluster.wire.cut('a', 'b');
  cluster.bus.kill();
  const transport = cluster.transports.get('a') as LinkedTransport;
  const text = 'x'.repeat(1_000_000);
  const done = Array.from({ length: 30 }, (_, n) =>
    transport.send('b', mail('a', n, { type: 'note', text })),
  );
  t.equal(done.filter((one) => one === 'sent').length, Math.floor(BUS_LIMITS.unreceivedBytesMax / 1_000_070));
  await cluster.clock.advance(60_000);
  t.ok(cluster.wire.opened < 20, `${cluster.wire.opened} attempts in a minute`);
  t.equal(transport.send('b', mail('a', 99)), 'sent', 'messages that were kept too long have been dropped');
  await cluster.stop();
});

t.test('links: forged numbers do not stop messages for long', async (t) => {
  const random = new Seeded(1);
  const cluster = new Cluster(random);
  await cluster.start();
  const hostile = cluster.bus.client(() => 'hostile');
  await hostile.start('hostile', { onMessage: () => undefined, onChange: () => undefined });
  cluster.send('a', 'b');
  await cluster.clock.advance(1_000);
  for (const number of [1_000_000, 2 ** 40, 2 ** 45, Number.MAX_SAFE_INTEGER]) {
    hostile.publish('b', encodeEnvelope(mail('a', MADE_UP), { sender: 'a', number, previous: 0 }));
    hostile.publish('a', encodeNotes('b', { received: number }));
    await cluster.clock.advance(1_000);
    cluster.send('a', 'b');
    await cluster.clock.advance(5_000);
  }
  const had = cluster.had.get('a b') ?? [];
  t.strictSame(
    had.filter((id) => id !== MADE_UP),
    cluster.sent.get('a b'),
  );
  await cluster.stop();
});

t.test('links: nothing is left of a coordinator that is gone for good', async (t) => {
  const cluster = new Cluster(new Seeded(1));
  await cluster.start();
  cluster.bus.freeze();
  cluster.send('a', 'b');
  await cluster.clock.advance(5_000);
  t.not(cluster.transports.get('a')?.trouble(), undefined);
  await cluster.transports.get('b')?.stop();
  cluster.send('a', 'b');
  cluster.peers.delete('b');
  cluster.bus.thaw();
  await cluster.clock.advance(60_000);
  t.equal(cluster.transports.get('a')?.trouble(), undefined);
  t.equal(cluster.clock.timerCount, 0, 'no attempt is pending');
  await cluster.stop();
});

t.test('links: a coordinator of the previous version is reached only over the bus', async (t) => {
  const cluster = new Cluster(new Seeded(1));
  await cluster.start();
  cluster.peers.set('b', 'legacy');
  cluster.send('a', 'b');
  await cluster.clock.advance(60_000);
  t.strictSame(cluster.had.get('a b')?.length, 1);
  cluster.bus.kill();
  cluster.send('a', 'b');
  await cluster.clock.advance(5_000);
  t.equal(cluster.wire.opened, 0);
  t.equal(cluster.had.get('a b')?.length, 1);
  cluster.bus.begin();
  await cluster.clock.advance(5_000);
  cluster.send('a', 'b');
  await cluster.clock.advance(5_000);
  t.equal(cluster.had.get('a b')?.length, 2);
  await cluster.stop();
});
