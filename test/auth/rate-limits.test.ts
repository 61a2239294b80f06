/** Limits by key: what they allow, when they allow more, and what they remember. */
import t from 'tap';
import { createLoginLimit, createRequestLimit } from '../../src/auth/rate-limits.ts';

t.test('request limit: five seconds’ worth of requests are allowed at once, and then the rate', async (t) => {
  const limit = createRequestLimit(10);
  const through = (key: string, count: number, nowMs: number) =>
    Array.from({ length: count }, () => limit.take(key, nowMs)).filter((wait) => wait === undefined).length;
  t.equal(through('a', 100, 0), 50);
  t.equal(limit.take('a', 0), 1, 'the seconds to wait');
  t.equal(through('b', 100, 0), 50, 'other keys are not affected');
  t.equal(through('a', 100, 1_000), 10);
  t.equal(through('a', 100, 500), 0, 'a clock that goes back allows nothing more');
  t.equal(through('a', 100, 1_000_000), 50, 'at most one burst is saved up');
  const none = createRequestLimit(0);
  for (let count = 0; count < 10_000; count += 1) none.take('a', 0);
  t.equal(none.take('a', 0), undefined, '0 means no limit');
});

t.test('request limit: among many keys a busy one is not forgotten', async (t) => {
  const limit = createRequestLimit(1);
  for (let count = 0; count < 5; count += 1) limit.take('busy', 0);
  for (let index = 0; index < 30_000; index += 1) {
    limit.take(`key ${index}`, 0);
    if (index % 5_000 === 0) t.equal(limit.take('busy', 0), 1, 'it is remembered while it is used');
  }
});

t.test(
  'login limit: after five failures the wait doubles up to 900 seconds, and a success resets it',
  async (t) => {
    const limit = createLoginLimit();
    let nowMs = 0;
    for (let count = 0; count < 5; count += 1) {
      t.equal(limit.waitS('jane', 'here', nowMs), undefined);
      limit.tried('jane', 'here', nowMs);
    }
    const waits: (number | undefined)[] = [];
    for (let count = 0; count < 14; count += 1) {
      const waitS = limit.waitS('JANE', 'here', nowMs);
      waits.push(waitS);
      nowMs += (waitS ?? 0) * 1_000;
      t.equal(limit.waitS('jane', 'here', nowMs), undefined);
      limit.tried('jane', 'here', nowMs);
    }
    t.same(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900, 900]);
    t.equal(limit.waitS('jane', 'there', nowMs), undefined);
    t.equal(limit.waitS('joe', 'here', nowMs), undefined);
    limit.succeeded('jane', 'here');
    t.equal(limit.waitS('jane', 'here', nowMs), undefined);
  },
);

t.test('login limit: tries that are under way count, and all are forgotten after an hour', async (t) => {
  const limit = createLoginLimit();
  const begun = Array.from({ length: 20 }, () => {
    if (limit.waitS('jane', 'here', 0) !== undefined) return false;
    limit.tried('jane', 'here', 0);
    return true;
  });
  t.equal(begun.filter(Boolean).length, 5);
  t.equal(limit.waitS('jane', 'here', 3_600_001), undefined, 'all tries are forgotten after an hour');
});

t.test('login limit: all addresses of an IPv6 network count as one', async (t) => {
  const limit = createLoginLimit();
  for (let count = 0; count < 5; count += 1) limit.tried('jane', `2001:db8:0:1::${count}`, 0);
  t.equal(limit.waitS('jane', '2001:db8:0:1:ffff:1:2:3', 0), 1);
  t.equal(limit.waitS('jane', '2001:db8:0:2::1', 0), undefined, 'the neighbouring network is another one');
  limit.succeeded('jane', '2001:0db8::0001:0:0:0:9');
  t.equal(limit.waitS('jane', '2001:db8:0:1::1', 0), undefined);
});
