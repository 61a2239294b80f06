/** The stream of changes over coordinators that are killed with -9, the giver of positions among them. */
import pg from 'pg';
import t from 'tap';
import { CHANGES } from '../../../src/actors/change/change.messages.ts';
import { shardOf } from '../../../src/kernel/mod.ts';
import { testDatabase } from '../../support/db.ts';
import { needs, serviceUrl } from '../../support/services/services.ts';
import type { Program } from '../harness/program.ts';
import { until } from '../harness/until.ts';
import { DemoWork } from '../harness/work/demo-work.ts';
import { clientOf, createWorld, freePort } from '../harness/world.ts';

interface ShownChange {
  readonly kind: string;
  readonly id: number;
  readonly object_version: number;
  readonly what: string;
  readonly to: string | null;
}

interface Page {
  readonly changes: readonly ShownChange[];
  readonly cursor: string;
  readonly is_at_end: boolean;
}

/** Objects of the work, each with its version and its status, from their rows. */
const ROWS = `
  select 'job/' || id as key, object_version as version, status from job
  union all select 'execution/' || id, object_version, status from job_exe
  union all select 'ingest/' || id, object_version, status from ingest
  union all select 'file/' || id, object_version, null from file
  union all select 'recipe/' || id, object_version, case when is_completed then 'COMPLETED' else 'OPEN' end from recipe
  union all select 'condition/' || id, object_version,
    case when not is_processed then 'PENDING' when is_accepted then 'ACCEPTED' else 'REJECTED' end from recipe_condition
  union all select 'strike/' || id, object_version, case when is_paused then 'PAUSED' else 'ACTIVE' end from strike
  union all select 'workspace/' || id, object_version, 'ACTIVE' from workspace`;

const KINDS = ['job', 'execution', 'ingest', 'file', 'recipe', 'condition', 'strike', 'workspace'];

t.test('changes: none is lost or told twice while coordinators are killed', needs('nats'), async (t) => {
  const world = await createWorld(t);
  const shared = { DATABASE_URL: await testDatabase(t), NATS_URL: await serviceUrl('nats') };
  const ports = [await freePort(), await freePort()];
  const start = (index: number): Promise<Program> =>
    world.start('coordinator', `coordinator-${index}`, {
      ...shared,
      MILLRACE_GRPC: `127.0.0.1:${ports[index]}`,
    });
  const coordinators = [await start(0), await start(1)];
  const at = (index: number) => clientOf(coordinators[index] as Program);
  const database = new pg.Client({ connectionString: shared.DATABASE_URL });
  await database.connect();
  t.teardown(() => database.end());
  await world.start('agent', 'agent', {
    MILLRACE_COORDINATORS: ports.map((port) => `127.0.0.1:${port}`).join(','),
  });

  const heard: ShownChange[] = [];
  let asked = 0;
  let cursor = '';
  const readOn = async (): Promise<boolean> => {
    // Now one is asked, now the other; whoever is away is asked again.
    asked += 1;
    const query = `after=${cursor === '' ? '0' : cursor}&limit=50&${KINDS.map((kind) => `kind=${kind}`).join('&')}`;
    const page = (await at(asked % 2).get(`/v6/changes/?${query}`)) as Page;
    heard.push(...page.changes);
    cursor = page.cursor;
    return page.is_at_end;
  };
  await until('the first change is told', async () => {
    await readOn().catch(() => false);
    return cursor !== '';
  });
  let isFollowing = true;
  t.teardown(() => {
    isFollowing = false;
  });
  const following = (async () => {
    while (isFollowing) await readOn().catch(() => false);
  })();

  /** The coordinator that gives positions. */
  const giver = async (): Promise<number> => {
    const { rows } = await database.query(
      `select c.http_address from shard_lease l join coordinator c on c.id = l.owner
       where l.shard = $1 and l.expires > now()`,
      [shardOf(CHANGES.kind, CHANGES.key)],
    );
    const port = String(rows[0]?.http_address).split(':').at(-1);
    return [0, 1].findIndex((index) => new URL(at(index).base).port === port);
  };
  const work = await DemoWork.create(world, at(0), 60);
  for (let kill = 0; kill < 3; kill += 1) {
    await work.deliver(15);
    let owner = -1;
    await until('somebody gives positions', async () => {
      owner = await giver();
      return owner >= 0;
    });
    const before = heard.length;
    await until('changes flow', async () => heard.length > before + 20);
    await coordinators[owner]?.end();
    await work.deliver(5);
    const told = heard.length;
    await until('changes flow again', async () => heard.length > told + 20);
    coordinators[owner] = await start(owner);
  }
  await work.finished(at(0));
  isFollowing = false;
  await following;
  const rowsNow = async () =>
    (await database.query(ROWS)).rows as { key: string; version: number; status: string }[];
  const state = (rows: readonly { key: string; version: number; status: string | null }[]) =>
    rows.map(({ key, version, status }) => `${key} ${version} ${status}`).sort();
  const folded = new Map<string, { key: string; version: number; status: string | null }>();
  let folds = 0;
  const fold = (): void => {
    for (; folds < heard.length; folds += 1) {
      const { kind, id, object_version: version, what, to } = heard[folds] as ShownChange;
      const key = `${kind}/${id}`;
      const last = folded.get(key)?.version ?? 0;
      if (version !== last + 1) t.fail(`${key}: version ${version} (${what}) after ${last}`);
      if (what === 'removed') folded.delete(key);
      else folded.set(key, { key, version, status: to });
    }
  };
  await until('all of it is told', async () => {
    const isAtEnd = await readOn();
    fold();
    return isAtEnd && state([...folded.values()]).join() === state(await rowsNow()).join();
  });
  t.strictSame(state([...folded.values()]), state(await rowsNow()), 'folded up, the stream is the rows');
  t.ok(heard.length > 500, `${heard.length} changes`);
});
