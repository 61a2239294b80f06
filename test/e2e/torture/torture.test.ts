/**
 * Everything that can go wrong goes wrong while files arrive and are processed; then an audit that reads only the
 * workspaces and the interface demands that each file was recorded and processed once. `npm run torture` with
 * TORTURE_SECONDS=3600 goes on for an hour; E2E_SEED has the same faults in the same order again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { needs } from '../../support/services/services.ts';
import { DemoWork } from '../harness/demo-work.ts';
import { needsHosts } from '../harness/hosts.ts';
import { checkQuiet } from '../harness/quiet.ts';
import { seeded } from '../harness/seeded.ts';
import { until } from '../harness/until.ts';
import { torture } from './faults.ts';
import { Installation } from './installation.ts';

const SECONDS = Number(process.env.TORTURE_SECONDS ?? 20);
const FILES = Number(process.env.TORTURE_FILES ?? Math.max(24, SECONDS));
const SETTLE_MS = 180_000;
/** Each kill of an agent takes a try of what runs there. */
const TRIES = 100;

t.setTimeout(SECONDS * 1_000 + 2 * SETTLE_MS);

const options = 'skip' in needsHosts() ? needsHosts() : needs('nats');

t.test('torture: whatever is done to it, each file is recorded and processed once', options, async (t) => {
  const random = seeded(t);
  const all = await Installation.start(t);
  const client = all.client('c1');
  await until('both agents have joined', async () => (await client.count('/v6/nodes/')) === 2);
  const work = await DemoWork.create(all.world, client, FILES, TRIES);
  const giveUp = new AbortController();
  const delivering = (async () => {
    for (let file = 0; file < FILES && !giveUp.signal.aborted; file += 1) {
      await work.deliver(1);
      await sleep((SECONDS * 1_000) / FILES);
    }
  })();
  const beganMs = performance.now();
  const since = () => ((performance.now() - beganMs) / 1_000).toFixed(1);
  const say = (text: string) => t.comment(`${since()} s: ${text}`);
  const done = await torture(all, random, { ms: SECONDS * 1_000, say });
  await delivering;
  t.comment(`${done.length} faults, ${work.delivered.length} files in ${since()} s`);
  t.ok(done.length > 0);
  all.hosts.healAll();
  const endedMs = performance.now();
  await work.finished(client, SETTLE_MS);
  t.comment(`all done ${((performance.now() - endedMs) / 1_000).toFixed(1)} s after the last fault`);
  await checkQuiet(t, { world: all.world, client, work });
  giveUp.abort();
});
