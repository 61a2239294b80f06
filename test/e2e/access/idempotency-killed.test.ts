/**
 * Requests with an `Idempotency-Key` whose answer is lost: coordinators killed on both sides of the commit, commits
 * whose answer nobody hears, and repeats that come while the first is being worked on. Callers have no account here.
 */
import t, { type Test } from 'tap';
import { migratedDatabase } from '../../support/db.ts';
import { needs, serviceUrl } from '../../support/services/services.ts';
import { jobTypeBody } from '../../support/worlds/creations.ts';
import { CommitLoser } from '../harness/lost-commit.ts';
import type { Program } from '../harness/program.ts';
import { until } from '../harness/until.ts';
import {
  hold,
  type KeyedAnswer,
  newKey,
  openSession,
  type Session,
  send,
} from '../harness/work/keyed-calls.ts';
import { createWorld } from '../harness/world.ts';

interface Installation {
  readonly session: Session;
  start(name: string): Promise<Program>;
}

async function installation(t: Test, env: (databaseUrl: string) => Promise<object>): Promise<Installation> {
  const world = await createWorld(t);
  const url = await migratedDatabase(t);
  const all = { DATABASE_URL: url, MILLRACE_GRPC: '127.0.0.1:0', ...(await env(url)) };
  return {
    session: await openSession(t, url),
    start: (name) => world.start('coordinator', name, { ...all, MILLRACE_DATA_DIR: world.folder }),
  };
}

interface Call {
  readonly path: string;
  readonly table: string;
  readonly body: object;
}

/** What an actor's turn creates, and what a transaction of the catalog does. */
async function callsOf(url: string): Promise<readonly Call[]> {
  const jobType = await send(url, '/v6/job-types/', jobTypeBody('fixture'));
  const job = { job_type_id: jobType.json.id, input: { files: {}, json: {} } };
  // The first job makes its scheduling class, which a second commit would wait for.
  await send(url, '/v6/jobs/', job);
  const workspace = { title: 'W', configuration: { broker: { type: 'host', host_path: '/tmp' } } };
  return [
    { path: '/v6/jobs/', table: 'job', body: job },
    { path: '/v6/workspaces/', table: 'workspace', body: workspace },
  ];
}

const ask = (program: Program, { path, body }: Call, key: string) =>
  send(program.url, path, body, { 'idempotency-key': key });

const isSaved = (session: Session, key: string) =>
  until('the commit is there', async () => {
    const rows = await session.rows('select account_id from idempotency_key where key = $1', [key]);
    return rows.length === 1 ? rows[0] : undefined;
  });

/** Somebody waits for what `hold` holds. */
const isHeld = (session: Session, count: number) =>
  until(`${count} statements are held`, async () => {
    const rows = await session.rows(
      `select 1 from pg_locks where locktype = 'advisory' and not granted
         and database = (select oid from pg_database where datname = current_database())`,
    );
    return rows.length >= count;
  });

const same = (t: Test, one: KeyedAnswer, other: KeyedAnswer, what: string) =>
  t.same([one.status, one.location, one.text], [other.status, other.location, other.text], what);

t.test('idempotency: after a kill between commit and answer, a repeat gets the record', async (t) => {
  const { session, start } = await installation(t, async () => ({}));
  let coordinator = await start('coordinator');
  for (const call of await callsOf(coordinator.url)) {
    const key = newKey();
    const before = await session.count(call.table);
    const held = await hold(session, 'delete', 'idempotency_claim');
    const lost = ask(coordinator, call, key).catch((error: unknown) => error);
    t.same(await isSaved(session, key), { account_id: '0' }, 'callers without an account');
    await coordinator.end();
    t.ok((await lost) instanceof Error, 'nobody was answered');
    await held.release();
    coordinator = await start('coordinator');
    const found = await ask(coordinator, call, key);
    t.equal(found.status, 201, found.text);
    t.equal(await session.count(call.table), before + 1, call.path);
    const id = Number(/(\d+)\/$/.exec(found.location ?? '')?.[1]);
    t.equal(found.json.id, id);
    if (call.table === 'job') {
      await send(coordinator.url, '/v6/jobs/cancel/', { job_ids: [id] });
      await until('the job is canceled', async () => {
        const [row] = await session.rows('select status from job where id = $1', [id]);
        return row?.status === 'CANCELED';
      });
      t.equal(found.json.status, 'QUEUED');
    }
    same(t, await ask(coordinator, call, key), found, 'the record as it was created');
  }
});

t.test('idempotency: after a kill before the commit, the key is free once the lease expires', async (t) => {
  const { session, start } = await installation(t, async () => ({ MILLRACE_LEASE_MS: '5000' }));
  let coordinator = await start('coordinator');
  for (const call of await callsOf(coordinator.url)) {
    const key = newKey();
    const before = await session.count(call.table);
    const held = await hold(session, 'insert', call.table);
    const lost = ask(coordinator, call, key).catch((error: unknown) => error);
    await isHeld(session, 1);
    await coordinator.end();
    t.ok((await lost) instanceof Error, 'nobody was answered');
    await held.release();
    coordinator = await start('coordinator');
    const refused: KeyedAnswer[] = [];
    const made = await until('the key is free', async () => {
      const answer = await ask(coordinator, call, key);
      if (answer.status === 201) return answer;
      refused.push(answer);
      return undefined;
    });
    for (const { status, text } of refused) t.ok(status === 409 || status === 503, text);
    t.equal(await session.count(call.table), before + 1, call.path);
    same(t, await ask(coordinator, call, key), made, 'the repeat');
  }
});

t.test(
  'idempotency: a repeat of a request under way gets 409, or the answer of the first',
  needs('nats'),
  async (t) => {
    const nats = await serviceUrl('nats');
    const { session, start } = await installation(t, async () => ({ NATS_URL: nats }));
    const coordinators = [await start('one'), await start('two')];
    const [one, two] = coordinators as [Program, Program];
    // A coordinator without shards would have the other one save, which waits for its first commit.
    await until('both have shards', async () => {
      const [row] = await session.rows('select count(distinct owner)::int as owners from shard_lease');
      return (row as { owners: number } | undefined)?.owners === 2;
    });
    for (const call of await callsOf(one.url)) {
      const key = newKey();
      const before = await session.count(call.table);
      const held = await hold(session, 'insert', call.table);
      const first = ask(one, call, key);
      await isHeld(session, 1);
      for (const coordinator of coordinators) {
        const busy = await ask(coordinator, call, key);
        t.match(busy, { status: 409, retryAfter: '1', json: { code: 'IDEMPOTENCY_KEY_IN_USE' } }, busy.text);
      }
      // As if the claim had lapsed: the unique key alone decides between the two.
      await session.rows('delete from idempotency_claim where key = $1', [key]);
      const second = ask(two, call, key);
      await isHeld(session, 2);
      await held.release();
      t.equal((await first).status, 201, (await first).text);
      same(t, await second, await first, 'both answers name the same record');
      t.equal(await session.count(call.table), before + 1, call.path);
      t.equal(await session.count('idempotency_claim'), 0, 'nothing is claimed any more');
    }
  },
);

t.test('idempotency: a commit whose answer is lost is found by its key', async (t) => {
  let loser: CommitLoser | undefined;
  const { session, start } = await installation(t, async (databaseUrl) => {
    loser = await CommitLoser.start(databaseUrl);
    return { DATABASE_URL: loser.url };
  });
  t.teardown(() => loser?.stop());
  const coordinator = await start('coordinator');
  const calls = await callsOf(coordinator.url);
  for (const [index, call] of calls.entries()) {
    const key = newKey();
    const before = await session.count(call.table);
    loser?.loseNext('insert_idempotency_keys');
    const first = await ask(coordinator, call, key);
    t.equal(loser?.lostCount, index + 1, 'the answer of the commit was lost');
    t.equal(first.status, 201, first.text);
    same(t, await ask(coordinator, call, key), first, 'the repeat');
    t.equal(await session.count(call.table), before + 1, call.path);
  }
});

t.test('idempotency: passwords and tokens are not kept in clear', async (t) => {
  const { session, start } = await installation(t, async () => ({}));
  const { url } = await start('coordinator');
  const password = 'correct horse battery';
  const account = { username: 'jane', password };
  const { json: made } = await send(url, '/v6/accounts/', account, { 'idempotency-key': newKey() });
  const headers = { 'idempotency-key': newKey() };
  const body = { name: 'x', account_id: made.id };
  const first = await send(url, '/v6/tokens/', body, headers);
  t.match(first.json.token, /^mlr_[\w-]{43}$/);
  same(t, await send(url, '/v6/tokens/', body, headers), first, 'a repeat shows the token again');
  const rows = await session.rows(`select to_jsonb(k)::text || encode(secret_record, 'escape') as row
    from idempotency_key k where secret_record is not null
    union all select to_jsonb(k)::text from idempotency_key k`);
  t.equal(rows.length, 3);
  const text = JSON.stringify(rows);
  for (const secret of [password, first.json.token]) {
    t.notOk(text.includes(secret) || text.includes(Buffer.from(secret).toString('hex')), 'not in clear');
  }
});
