import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { migratedDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import { listed } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { PurgeWork, purge, purgeDone } from '../harness/work/purge-work.ts';
import { seeded } from '../harness/work/seeded.ts';
import { clientOf, createWorld } from '../harness/world.ts';

const FILES = 16;
const KILLS = 6;

t.test('purges are killed repeatedly: purged files are gone, and other files are whole', async (t) => {
  const world = await createWorld(t);
  const random = seeded(t);
  const grpc = `127.0.0.1:${await freePort()}`;
  const env = {
    DATABASE_URL: await migratedDatabase(t),
    MILLRACE_GRPC: grpc,
    MILLRACE_NODE_LOST_MS: '20000',
  };
  const agentEnv = { MILLRACE_COORDINATORS: grpc };
  let coordinator = await world.start('coordinator', 'coordinator', env);
  let agent = await world.start('agent', 'agent', agentEnv);
  const client = () => clientOf(coordinator);
  const work = await PurgeWork.create(world, client(), 0.5);
  const names = Array.from({ length: FILES }, (_, index) => `file-${index}.txt`);
  for (const name of names) work.drop(name, `content of ${name}`);

  // Every other file is purged, as soon as it is stored: its work is anywhere by then.
  const locations: string[] = [];
  const isPurged = (index: number): boolean => index % 2 === 1;
  const purging = (async () => {
    for (const [index, name] of names.entries()) {
      if (!isPurged(index)) continue;
      const location = await until(
        `${name} is being purged`,
        async () => {
          const source = await work.findSource(client(), name);
          return source && purge(client(), source.id, { delete_source_bytes: index % 4 === 1 });
        },
        120_000,
      );
      locations.push(location);
    }
  })();
  await until('a purge has begun', () => locations.length > 0);
  for (let kill = 0; kill < KILLS; kill += 1) {
    const delayMs = random.between(50, 1_500);
    await sleep(delayMs);
    t.comment(`kill ${kill + 1}: ${kill % 2 === 0 ? 'coordinator' : 'agent'} after ${delayMs.toFixed(0)} ms`);
    if (kill % 2 === 0) {
      await coordinator.end();
      coordinator = await world.start('coordinator', 'coordinator', env);
    } else {
      await agent.end();
      agent = await world.start('agent', 'agent', agentEnv);
    }
  }
  await purging;
  for (const location of locations) {
    const shown = await purgeDone(client, location, 120_000);
    t.same(shown.problems, [], location);
  }
  const kept = names.filter((_, index) => !isPurged(index));
  await work.completed(client(), kept.length);
  await audit(t, work, client());
});

type Client = ReturnType<typeof clientOf>;

async function audit(t: Parameters<typeof seeded>[0], work: PurgeWork, client: Client): Promise<void> {
  const kept = Array.from({ length: FILES / 2 }, (_, index) => `file-${2 * index}.txt`);
  const bytesStay = Array.from({ length: FILES / 4 }, (_, index) => `file-${4 * index + 3}.txt`);
  for (const path of ['/v6/files/', '/v6/recipes/', '/v6/ingests/', '/v6/jobs/']) {
    const shown = JSON.stringify(await listed<object>(client, path));
    t.notMatch(shown, /file-\d*[13579]\.txt/, `${path} knows nothing of what was purged`);
  }
  const base = (path: string): string => path.replace(/^.*\//, '');
  const onDisk = work.onDisk().map(base).sort();
  const wanted = [...kept.flatMap((name) => [name, `${name}.made`, `${name}.made.made`]), ...bytesStay];
  t.same(onDisk, wanted.sort(), 'the disks hold what is kept, once each, and sources that were to stay');
  const files = await listed<{ file_name: string }>(client, '/v6/files/');
  t.equal(files.length, 3 * kept.length, 'each kept source has its two products');
  t.equal(await client.count('/v6/recipes/'), kept.length);
  t.equal(await client.count('/v6/jobs/?status=COMPLETED&job_type_name=second'), kept.length);
  t.equal(await client.count('/v6/jobs/?job_type_name=first'), kept.length);
}
