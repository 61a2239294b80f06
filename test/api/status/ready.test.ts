import t from 'tap';
import { Readiness } from '../../../src/api/status/readiness.ts';
import { readyRoutes } from '../../../src/api/status/ready-routes.ts';
import type { System } from '../../../src/kernel/mod.ts';
import type { BusTrouble } from '../../../src/transport/linked-transport.ts';
import { makeCaller } from '../../support/http.ts';

function world() {
  let isRunning = true;
  let trouble: BusTrouble | undefined;
  const readiness = new Readiness();
  const system = { stats: () => ({ isRunning }) } as unknown as System;
  const { get } = makeCaller(readyRoutes, {
    readiness,
    system,
    bus: { trouble: () => trouble },
  });
  const run = (value: boolean): void => {
    isRunning = value;
  };
  const lose = (value: BusTrouble): void => {
    trouble = value;
  };
  return { get: () => get('/v6/ready/'), readiness, run, lose };
}

t.test('ready: a running coordinator is ready', async (t) => {
  const answer = await world().get();
  t.equal(answer.status, 200);
  t.strictSame(answer.json, { ready: true, warnings: [] });
});

t.test('ready: a coordinator without NATS is ready, with a warning', async (t) => {
  const { get, lose } = world();
  lose({ reason: 'NATS does not answer', sinceMs: 5 });
  const answer = await get();
  t.equal(answer.status, 200);
  t.match(answer.json, {
    ready: true,
    warnings: [{ name: 'NATS_UNAVAILABLE', description: /NATS does not answer/ }],
  });
});

t.test('ready: a coordinator whose leases may have expired is not ready until it renews them', async (t) => {
  const { get, run } = world();
  run(false);
  t.equal((await get()).status, 503);
  run(true);
  t.equal((await get()).status, 200);
});

t.test('ready: a draining coordinator is not ready, and waits for load balancers to notice', async (t) => {
  const { get, readiness } = world();
  const giveUp = new AbortController();
  let isOver = false;
  const handed = readiness.hand(60_000, giveUp.signal).then(() => {
    isOver = true;
  });
  const answer = await get();
  t.equal(answer.status, 503);
  t.match(answer.text, /about to end/);
  t.notOk(isOver);
  giveUp.abort();
  await handed;
  t.ok(isOver, 'no longer than it may');
  await readiness.hand(60_000, giveUp.signal);
});
