/** Limits by key: what they let through, when they let more through, and how little they remember. */
import t from 'tap';
import { createLoginLimit, createRequestLimit } from '../../src/auth/rate-limits.ts';

t.test('request limit: a burst of five seconds, then the rate', async (t) => {
  const limit = createRequestLimit(10);
  const through = (key: string, count: number, nowMs: number) =>
    Array.from({ length: count }, () => limit.take(key, nowMs)).filter((wait) => wait === undefined).length;
  t.equal(through('a', 100, 0), 50);
  t.equal(limit.take('a', 0), 1, 'the seconds to wait');
  t.equal(through('b', 100, 0), 50, 'others are not concerned');
  t.equal(through('a', 100, 1_000), 10);
  t.equal(through('a', 100, 500), 0, 'a clock that goes back gives nothing');
  t.equal(through('a', 100, 1_000_000), 50, 'no more than a burst is saved up');
  const none = createRequestLimit(0);
  for (let count = 0; count < 10_000; count += 1) none.take('a', 0);
  t.equal(none.take('a', 0), undefined, '0 is no limit');
});

t.test('request limit: so many keys are remembered, the busiest among them', async (t) => {
  const limit = createRequestLimit(1);
  for (let count = 0; count < 5; count += 1) limit.take('busy', 0);
  for (let index = 0; index < 30_000; index += 1) {
    limit.take(`key ${index}`, 0);
    if (index % 5_000 === 0) t.equal(limit.take('busy', 0), 1, 'not forgotten while it is used');
  }
});

t.test('login limit: waits double, have an end, and are forgotten', async (t) => {
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
});

t.test('login limit: tries that are under way count, so that many at once are no way around', async (t) => {
  const limit = createLoginLimit();
  const begun = Array.from({ length: 20 }, () => {
    if (limit.waitS('jane', 'here', 0) !== undefined) return false;
    limit.tried('jane', 'here', 0);
    return true;
  });
  t.equal(begun.filter(Boolean).length, 5);
  t.equal(limit.waitS('jane', 'here', 3_600_001), undefined, 'after an hour all is forgotten');
});

t.test('login limit: all addresses of one IPv6 network are one', async (t) => {
  const limit = createLoginLimit();
  for (let count = 0; count < 5; count += 1) limit.tried('jane', `2001:db8:0:1::${count}`, 0);
  t.equal(limit.waitS('jane', '2001:db8:0:1:ffff:1:2:3', 0), 1);
  t.equal(limit.waitS('jane', '2001:db8:0:2::1', 0), undefined, 'its neighbour is another');
  limit.succeeded('jane', '2001:0db8::0001:0:0:0:9');
  t.equal(limit.waitS('jane', '2001:db8:0:1::1', 0), undefined);
});
