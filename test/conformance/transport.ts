/** What every Transport does: the one in memory and the one over NATS run through the same. */
import type { Test } from 'tap';
import type { Envelope, MailEnvelope, Transport } from '../../src/kernel/mod.ts';

const WITHIN_MS = 10_000;
let unique = 0;

export function mail(
  from: string,
  n: number,
  fields: Readonly<Record<string, unknown>> = { n },
): MailEnvelope {
  const message = { type: 'note', ...fields };
  return { type: 'mail', id: n, from, to: { kind: 'job', key: String(n) }, message, isNew: false, hops: 0 };
}

/** What arrived; `until` waits for as many. */
export class Inbox {
  readonly envelopes: Envelope[] = [];
  #waiters: { count: number; resolve: () => void }[] = [];

  readonly take = (envelope: Envelope): void => {
    this.envelopes.push(envelope);
    for (const waiter of this.#waiters) if (this.envelopes.length >= waiter.count) waiter.resolve();
  };

  async until(count: number): Promise<void> {
    if (this.envelopes.length >= count) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve, reject) => {
      this.#waiters.push({ count, resolve });
      const error = new Error(`${this.envelopes.length} of ${count} envelopes within ${WITHIN_MS} ms`);
      timer = setTimeout(() => reject(error), WITHIN_MS);
    }).finally(() => clearTimeout(timer));
  }
}

interface Joined {
  readonly transport: Transport;
  readonly inbox: Inbox;
}

type Join = (self: string) => Promise<Joined>;

const names = () => [`a${++unique}`, `b${unique}`, `c${unique}`] as const;

const CASES: Readonly<Record<string, (t: Test, join: Join) => Promise<void>>> = {
  'every kind of envelope arrives as it was sent': async (t, join) => {
    const [from, to] = names();
    const a = await join(from);
    const b = await join(to);
    const sent: Envelope[] = [
      mail(from, 1, { type: 'note', text: 'ä \u2028 "', nested: { list: [1, null, false, -0.5] } }),
      { ...mail(from, 2), isNew: true, hops: 1, ask: { askId: 7, timeLeftMs: 1234.5 } },
      { type: 'answer', id: 3, from, askId: 9, value: { ok: [1, 2] } },
      { type: 'answer', id: 4, from, askId: 10, value: null },
      { type: 'refusal', id: 5, from, askId: 11, failure: { code: 'CONFLICT', message: 'no' } },
      { type: 'refusal', id: 6, from, askId: 12, failure: { code: 'X', message: '', detail: { id: 4 } } },
      { type: 'bounce', id: 7, from, mail: mail('other', 8) },
      { type: 'leasesChanged', id: 8, from },
    ];
    for (const envelope of sent) t.equal(a.transport.send(to, envelope), 'sent');
    await b.inbox.until(sent.length);
    t.same(b.inbox.envelopes, sent);
  },

  'an answer of nothing arrives as nothing': async (t, join) => {
    const [from, to] = names();
    const a = await join(from);
    const b = await join(to);
    a.transport.send(to, { type: 'answer', id: 1, from, askId: 1, value: undefined });
    await b.inbox.until(1);
    const [envelope] = b.inbox.envelopes;
    t.ok(envelope?.type === 'answer' && envelope.value === undefined);
  },

  'the order of one sender is kept': async (t, join) => {
    const [from, to] = names();
    const a = await join(from);
    const b = await join(to);
    const text = 'ä'.repeat(50);
    for (let n = 0; n < 2_000; n++) a.transport.send(to, mail(from, n, { type: 'note', text }));
    await b.inbox.until(2_000);
    b.transport.send(from, mail(to, 1)); // now a has heard of b
    await a.inbox.until(1);
    for (let n = 2_000; n < 4_000; n++) a.transport.send(to, mail(from, n, { type: 'note', text }));
    await b.inbox.until(4_000);
    t.same(
      b.inbox.envelopes.map(({ id }) => id),
      [...Array(4_000).keys()],
    );
  },

  'envelopes go to whom they are for, and to nobody else': async (t, join) => {
    const [first, second, third] = names();
    const a = await join(first);
    const b = await join(second);
    const c = await join(third);
    a.transport.send(second, mail(first, 1));
    a.transport.send(third, mail(first, 2));
    a.transport.send(first, mail(first, 3));
    await Promise.all([a.inbox.until(1), b.inbox.until(1), c.inbox.until(1)]);
    t.same(
      [a, b, c].map(({ inbox }) => inbox.envelopes.map(({ id }) => id)),
      [[3], [1], [2]],
    );
  },

  'what is for somebody who is not there is lost, and nothing else': async (t, join) => {
    const [from, to, nobody] = names();
    const a = await join(from);
    const b = await join(to);
    t.equal(a.transport.send(nobody, mail(from, 1)), 'sent');
    t.equal(a.transport.send(to, mail(from, 2)), 'sent');
    await b.inbox.until(1);
    t.same(
      b.inbox.envelopes.map(({ id }) => id),
      [2],
    );
  },

  'one that is too large is refused, the largest that fits arrives': async (t, join) => {
    const [from, to] = names();
    const a = await join(from);
    const b = await join(to);
    t.equal(a.transport.send(to, mail(from, 1, { type: 'big', text: 'x'.repeat(1_100_000) })), 'refused');
    t.equal(a.transport.send(to, mail(from, 2, { type: 'big', text: 'x'.repeat(1_000_000) })), 'sent');
    await b.inbox.until(1);
    t.same(
      b.inbox.envelopes.map(({ id }) => id),
      [2],
    );
  },

  'what is no JSON is refused': async (t, join) => {
    const [from, to] = names();
    const a = await join(from);
    const circular: Record<string, unknown> = { type: 'c' };
    circular.self = circular;
    t.equal(a.transport.send(to, mail(from, 1, { type: 'n', n: 1n })), 'refused');
    t.equal(a.transport.send(to, mail(from, 2, circular)), 'refused');
  },

  'before start and after stop nothing is sent, and nothing arrives': async (t, join) => {
    const [from, to] = names();
    const a = await join(from);
    const b = await join(to);
    await b.transport.stop();
    t.equal(b.transport.send(from, mail(to, 1)), 'refused');
    t.equal(a.transport.send(to, mail(from, 2)), 'sent');
    a.transport.send(from, mail(from, 3));
    await a.inbox.until(1);
    t.same(b.inbox.envelopes, []);
    await b.transport.stop(); // again: no harm
  },
};

/** Both have heard of each other, as coordinators have after a while: what they send may take another form then. */
async function acquaint(one: Joined, oneSelf: string, other: Joined, otherSelf: string): Promise<void> {
  one.transport.send(otherSelf, { type: 'leasesChanged', id: 1, from: oneSelf });
  other.transport.send(oneSelf, { type: 'leasesChanged', id: 1, from: otherSelf });
  await Promise.all([one.inbox.until(1), other.inbox.until(1)]);
  one.inbox.envelopes.length = other.inbox.envelopes.length = 0;
}

/** `make` gives transports of one network, each for one coordinator. */
export function transportConformance(
  t: Test,
  name: string,
  make: (t: Test) => Promise<() => Transport>,
): void {
  for (const isAcquainted of [false, true]) {
    for (const [what, body] of Object.entries(CASES)) {
      t.test(`${name}: ${what}${isAcquainted ? ', of acquaintances' : ''}`, async (t) => {
        const network = await make(t);
        const joined = new Map<string, Joined>();
        await body(t, async (self) => {
          const transport = network();
          const inbox = new Inbox();
          await transport.start(self, inbox.take);
          t.teardown(() => transport.stop());
          const one = { transport, inbox };
          if (isAcquainted) for (const [id, other] of joined) await acquaint(one, self, other, id);
          joined.set(self, one);
          return one;
        });
      });
    }
  }
}
