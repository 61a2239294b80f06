/** What each second way between coordinators does: gRPC's streams and the simulation's run through the same. */
import type { Test } from 'tap';
import type { Direct, DirectPeer } from '../../src/transport/ways.ts';
import { eventually } from '../support/agent/eventually.ts';

/** A coordinator, as far as others call it. */
export interface DirectEnd {
  readonly direct: Direct;
  /** How others call it. */
  readonly peer: DirectPeer;
}

type Make = () => Promise<DirectEnd>;

const MESSAGES = 200;
const bytesOf = (n: number, size = 4): Uint8Array => {
  const bytes = Buffer.alloc(size);
  bytes.writeUInt32BE(n);
  return bytes;
};
const numberOf = (bytes: Uint8Array): number => Buffer.from(bytes).readUInt32BE();

/** What is heard of a stream. */
function hearing() {
  const heard: number[] = [];
  const reasons: string[] = [];
  const drained: { count: number } = { count: 0 };
  const events = {
    onMessage: (bytes: Uint8Array) => void heard.push(numberOf(bytes)),
    onDrain: () => {
      drained.count += 1;
    },
    onClosed: (reason: string) => void reasons.push(reason),
  };
  return { heard, reasons, drained, events };
}

const CASES: Readonly<Record<string, (t: Test, make: Make) => Promise<void>>> = {
  'what is written arrives in its order, and answers come back': async (t, make) => {
    const [a, b] = [await make(), await make()];
    const had: number[] = [];
    b.direct.serve((bytes, answer) => {
      had.push(numberOf(bytes));
      answer(bytes);
    });
    const { heard, reasons, events } = hearing();
    const stream = a.direct.open(b.peer, events);
    for (const n of [1, 2, 3]) stream.write(bytesOf(n));
    await eventually(() => had.length === 3 && heard.includes(3), 'all is heard');
    t.strictSame(had, [1, 2, 3]);
    t.strictSame(reasons, []);
    stream.close();
  },

  'one that takes no more says when it does': async (t, make) => {
    const [a, b] = [await make(), await make()];
    const had: number[] = [];
    b.direct.serve((bytes) => void had.push(numberOf(bytes)));
    const { drained, events } = hearing();
    const stream = a.direct.open(b.peer, events);
    let waits = 0;
    for (let n = 1; n <= MESSAGES; n += 1) {
      const { count } = drained;
      if (stream.write(bytesOf(n, 20_000))) continue;
      waits += 1;
      await eventually(() => drained.count > count, 'it takes more');
    }
    await eventually(() => had.length === MESSAGES, 'all is heard');
    t.strictSame(
      had,
      Array.from({ length: MESSAGES }, (_, at) => at + 1),
    );
    t.ok(waits > 0, `${waits} waits`);
    stream.close();
  },

  'whoever does not show the key is turned away': async (t, make) => {
    const [a, b] = [await make(), await make()];
    const had: number[] = [];
    b.direct.serve((bytes) => void had.push(numberOf(bytes)));
    const { reasons, events } = hearing();
    a.direct.open({ ...b.peer, key: 'another' }, events).write(bytesOf(1));
    await eventually(() => reasons.length > 0, 'it is turned away');
    t.match(reasons, [/not the key/]);
    t.strictSame(had, []);
  },

  'one that does not serve turns all away, and takes them once it does': async (t, make) => {
    const [a, b] = [await make(), await make()];
    const first = hearing();
    a.direct.open(b.peer, first.events).write(bytesOf(1));
    await eventually(() => first.reasons.length > 0, 'it is turned away');
    t.equal(first.reasons.length, 1);
    const had: number[] = [];
    b.direct.serve((bytes) => void had.push(numberOf(bytes)));
    const second = hearing();
    const stream = a.direct.open(b.peer, second.events);
    stream.write(bytesOf(2));
    await eventually(() => had.length > 0, 'it is heard');
    t.strictSame(had, [2], 'and nothing of before');
    stream.close();
  },

  'whoever hangs up hears no more of it': async (t, make) => {
    const [a, b] = [await make(), await make()];
    const had: number[] = [];
    b.direct.serve((bytes, answer) => {
      had.push(numberOf(bytes));
      answer(bytes);
    });
    const { heard, reasons, events } = hearing();
    const stream = a.direct.open(b.peer, events);
    stream.write(bytesOf(1));
    await eventually(() => heard.length === 1, 'it is answered');
    stream.close();
    const other = hearing();
    const next = a.direct.open(b.peer, other.events);
    next.write(bytesOf(2));
    await eventually(() => other.heard.length === 1, 'another stream is answered');
    t.strictSame([heard, reasons, had], [[1], [], [1, 2]]);
    next.close();
  },
};

/** `make` gives coordinators of one network. */
export function directConformance(t: Test, name: string, make: (t: Test) => Promise<Make>): void {
  for (const [what, body] of Object.entries(CASES)) {
    t.test(`${name}: ${what}`, async (t) => body(t, await make(t)));
  }
}
