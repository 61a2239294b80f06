/**
 * The stream of changes while coordinators, the one that assigns positions among them, and the database are killed with
 * -9: it loses and repeats nothing, and folded up it is the lists.
 */
import { join } from 'node:path';
import pg from 'pg';
import t from 'tap';
import { CHANGES } from '../../../src/actors/change/change.messages.ts';
import { keepEmbedded } from '../../../src/embedded/keep.ts';
import { readPostmasterFile } from '../../../src/embedded/postmaster.ts';
import { shardOf } from '../../../src/kernel/mod.ts';
import { createLogger } from '../../../src/observe/log.ts';
import { freePort } from '../../support/services/free-port.ts';
import { needs, serviceUrl } from '../../support/services/services.ts';
import {
  type ChangesPage,
  changesAfter,
  differencesOf,
  FoldedChanges,
  listedStates,
} from '../harness/folded-changes.ts';
import { signal } from '../harness/folder-processes.ts';
import type { Program } from '../harness/program.ts';
import { listed } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { DemoWork } from '../harness/work/demo-work.ts';
import { clientOf, createWorld } from '../harness/world.ts';

t.test('changes: no change is lost or listed twice through kills', needs('nats'), async (t) => {
  const world = await createWorld(t);
  const folder = join(world.folder, 'database');
  const database = await keepEmbedded({
    dataDir: folder,
    log: createLogger({ level: 'error', name: 'postgres' }),
  });
  t.teardown(() => database.stop());
  const shared = { DATABASE_URL: database.url, NATS_URL: await serviceUrl('nats') };
  const ports = [await freePort(), await freePort()];
  const start = (index: number): Promise<Program> =>
    world.start('coordinator', `coordinator-${index}`, {
      ...shared,
      MILLRACE_GRPC: `127.0.0.1:${ports[index]}`,
    });
  const coordinators = [await start(0), await start(1)];
  const at = (index: number) => clientOf(coordinators[index] as Program);
  await world.start('agent', 'agent', {
    MILLRACE_COORDINATORS: ports.map((port) => `127.0.0.1:${port}`).join(','),
  });

  const folded = new FoldedChanges();
  let told = 0;
  let asked = 0;
  let cursor = '0';
  const readOn = async (): Promise<boolean> => {
    // Now one is asked, now the other; whoever is away is asked again.
    asked += 1;
    const page = (await at(asked % 2).get(changesAfter(cursor, 50))) as ChangesPage;
    folded.add(page.changes);
    told += page.changes.length;
    cursor = page.cursor;
    return page.is_at_end;
  };
  await until('there are positions', async () => {
    await readOn().catch(() => false);
    return cursor !== '0';
  });
  let isFollowing = true;
  t.teardown(() => {
    isFollowing = false;
  });
  const following = (async () => {
    while (isFollowing) await readOn().catch(() => false);
  })();

  /** The coordinator that gives positions; -1 while there is none. */
  const assigner = async (): Promise<number> => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      const { rows } = await client.query(
        `select c.http_address from shard_lease l join coordinator c on c.id = l.owner
         where l.shard = $1 and l.expires > now()`,
        [shardOf(CHANGES.kind, CHANGES.key)],
      );
      const port = String(rows[0]?.http_address).split(':').at(-1);
      return [0, 1].findIndex((index) => new URL(at(index).base).port === port);
    } finally {
      await client.end();
    }
  };
  const killGiver = async (): Promise<number> => {
    let owner = -1;
    await until('somebody gives positions', async () => {
      owner = await assigner();
      return owner >= 0;
    });
    await coordinators[owner]?.end();
    return owner;
  };
  const postmaster = () => readPostmasterFile(join(folder, 'postgres/data'))?.pid;
  const killDatabase = async (): Promise<void> => {
    const killed = postmaster() as number;
    signal(killed, 'SIGKILL');
    await until('another server runs', () => ![undefined, killed].includes(postmaster()));
  };

  const work = await DemoWork.create(world, at(0), 60);
  for (const fault of ['assigner', 'database', 'both'] as const) {
    await work.deliver(15);
    const before = told;
    await until('changes flow', () => told > before + 20);
    const owner = fault === 'database' ? undefined : await killGiver();
    if (fault !== 'assigner') await killDatabase();
    await work.deliver(5);
    const since = told;
    await until(`changes flow again: ${fault}`, () => told > since + 20);
    if (owner !== undefined) coordinators[owner] = await start(owner);
  }
  await work.finished(at(0));
  isFollowing = false;
  await following;
  let differences: readonly string[] = [];
  await until('all of it is reported', async () => {
    if (!(await readOn())) return false;
    differences = differencesOf(folded.states, await listedStates((path) => listed(at(0), path)));
    return differences.length === 0;
  }).catch(() => undefined);
  t.strictSame(differences, [], 'folded up, the stream is the lists');
  t.strictSame(folded.problems, []);
  t.ok(told > 500, `${told} changes`);
});
