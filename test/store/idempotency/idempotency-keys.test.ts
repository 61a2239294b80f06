/** Answers under keys: saved with what they answer, once for each account and key, for a day; and claims of keys. */
import t from 'tap';
import type { Change } from '../../../src/domain/changes.ts';
import type { KeyedAnswer, RecordRef } from '../../../src/domain/idempotency.ts';
import { TurnRefused } from '../../../src/lib/commit-errors.ts';
import { commitPort } from '../../../src/store/commit.ts';
import {
  claimKey,
  insertAnswer,
  insertAnswers,
  type NewAnswer,
  releaseKey,
  removeOldKeys,
} from '../../../src/store/idempotency/keys.ts';
import { makeEvent, makeJob } from '../make.ts';
import { heardSql } from '../sql/heard-sql.ts';
import { EPOCH, storeWorld } from '../store-world.ts';

const world = await storeWorld(t);
const { sql } = world.db;
const FINGERPRINT = Buffer.from('print').toString('base64');

const keyOf = (key: string, accountId = 0) => ({ accountId, key, fingerprint: FINGERPRINT });
const answerOf = (key: string, record: RecordRef | null, location: string | null = null): KeyedAnswer => {
  return { key: keyOf(key), status: 201, location, warning: null, record };
};
const newAnswer = (key: string, over: Partial<NewAnswer> = {}): NewAnswer => ({
  ...{ key: keyOf(key), status: 201, location: null, warning: null, record: null, secretRecord: null },
  ...{ recordId: null, ...over },
});

/** The changes of a turn that queues a job for a request with a key. */
async function queued(key: string): Promise<{ id: number; changes: Change[] }> {
  const [id, eventId] = [await world.newId('job'), await world.newId('event')];
  const job = makeJob(world, { id, eventId });
  const changes: Change[] = [
    { type: 'createEvents', events: [makeEvent(eventId)] },
    { type: 'createJobs', jobs: [job] },
    { type: 'keepAnswers', answers: [answerOf(key, { type: 'job', id }, `/v6/jobs/${id}/`)] },
  ];
  return { id, changes };
}

const jobCount = async () => Number((await world.one<{ count: string }>('select count(*) from job')).count);
const name = (key: string) => ({ accountId: 0, key });

/** A coordinator whose lease ends when the test says so. */
const lease = (id: string, expires: string) =>
  world.rows(
    `insert into coordinator (id, version, started, expires) values ($1, '1', now(), now() + $2::interval)
     on conflict (id) do update set expires = excluded.expires`,
    [id, expires],
  );

t.test('keys: the answer holds the record as its turn saved it', async (t) => {
  const { id, changes } = await queued('made');
  await world.apply(...changes);
  const saved = await releaseKey(sql, name('made'), 'c-1');
  t.match(saved, { status: 201, location: `/v6/jobs/${id}/`, warning: null, secretRecord: null });
  t.match(saved?.record, { id, status: 'QUEUED', job_type: { name: 'type-a' } });
  await world.rows(`update job set status = 'CANCELED' where id = $1`, [id]);
  t.match(
    (await releaseKey(sql, name('made'), 'c-1'))?.record,
    { status: 'QUEUED' },
    'whatever becomes of it',
  );
});

t.test('keys: a used key refuses its turn, and nothing of the turn is saved', async (t) => {
  const before = await jobCount();
  const { changes } = await queued('made');
  await t.rejects(world.apply(...changes), TurnRefused);
  t.equal(await jobCount(), before);
  const [one, other, free] = [await queued('twice'), await queued('twice'), await queued('free')];
  const both = world.applyAll(one.changes, other.changes, free.changes);
  await t.rejects(
    both,
    { name: 'TurnRefused', turns: [1] },
    'of two turns of a group the later one is to blame',
  );
  t.equal(await jobCount(), before);
  await world.applyAll(one.changes, free.changes);
  t.equal(await jobCount(), before + 2);
});

t.test('keys: many answers take as many statements as one', async (t) => {
  const heard: number[] = [];
  for (const count of [1, 40]) {
    let statements = 0;
    const counting = heardSql(sql, () => {
      statements += 1;
    });
    const turns = await Promise.all(Array.from({ length: count }, (_, at) => queued(`many ${count} ${at}`)));
    await commitPort(counting).apply(turns.map(({ changes }) => ({ shard: 1, epoch: EPOCH, changes })));
    heard.push(statements);
  }
  t.equal(heard[0], heard[1]);
});

t.test('keys: each account has its own keys, and a key is free after a day', async (t) => {
  const other = { ...newAnswer('made'), key: keyOf('made', 7) };
  t.same(await insertAnswers(sql, [newAnswer('made'), other, newAnswer('new'), newAnswer('new')]), [0, 3]);
  await t.rejects(insertAnswer(sql, newAnswer('new')), { code: 'IDEMPOTENCY_KEY_IN_USE', status: 409 });
  await world.rows(`update idempotency_key set created = now() - interval '1 day' where key = 'new'`);
  t.equal(await releaseKey(sql, name('new'), 'c-1'), undefined);
  await insertAnswer(sql, newAnswer('new', { record: '{"b":1,"a":2}', warning: 'x' }));
  const saved = await releaseKey(sql, name('new'), 'c-1');
  t.match(saved, { warning: 'x', record: { b: 1, a: 2 } });
  t.equal(JSON.stringify(saved?.record), '{"b":1,"a":2}', 'in its order');
});

t.test('keys: keys that are a day old and expired claims are removed', async (t) => {
  await world.rows(`update idempotency_key set created = now() - interval '25 hours' where account_id = 7`);
  await world.rows(`insert into idempotency_key (account_id, key, fingerprint, status, created)
    select 8, n::text, '', 201, now() - interval '2 days' from generate_series(1, 1000) n`);
  await world.rows(
    `insert into idempotency_claim values (8, 'old', 'c-0', now()), (8, 'new', 'c-0', now() + '1 min')`,
  );
  const left = async () =>
    (await world.one<{ count: string }>('select count(*) from idempotency_key where account_id in (7, 8)'))
      .count;
  t.equal(await removeOldKeys(sql), true, 'there are more');
  t.equal(Number(await left()), 1);
  t.equal(await removeOldKeys(sql), false);
  t.equal(Number(await left()), 0);
  t.same(await world.rows('select key from idempotency_claim'), [{ key: 'new' }]);
  t.match(await releaseKey(sql, name('made'), 'c-1'), { status: 201 }, 'what is younger stays');
});

t.test('claims: a key is claimed by one request while its coordinator lives', async (t) => {
  await lease('c-1', '1 minute');
  await lease('c-2', '1 minute');
  const inUse = { code: 'IDEMPOTENCY_KEY_IN_USE', detail: { retryAfterS: 1 } };
  t.equal(await claimKey(sql, name('claimed'), 'c-1'), undefined);
  await t.rejects(claimKey(sql, name('claimed'), 'c-1'), inUse, 'another request of the same coordinator');
  await t.rejects(claimKey(sql, name('claimed'), 'c-2'), inUse);
  t.equal(await releaseKey(sql, name('claimed'), 'c-2'), undefined, 'nobody else releases it');
  await t.rejects(claimKey(sql, name('claimed'), 'c-2'), inUse);
  t.equal(await releaseKey(sql, name('claimed'), 'c-1'), undefined);
  t.equal(await claimKey(sql, name('claimed'), 'c-2'), undefined);
  await lease('c-2', '-1 second');
  t.equal(
    await claimKey(sql, name('claimed'), 'c-1'),
    undefined,
    'a coordinator that has gone holds nothing',
  );
  await world.rows(`update idempotency_claim set expires = now() where key = 'claimed'`);
  t.equal(
    await claimKey(sql, name('claimed'), 'c-1'),
    undefined,
    'a claim of more than a minute holds no more',
  );
  await world.rows(
    `update idempotency_claim set expires = now() + interval '10 minutes' where key = 'claimed'`,
  );
  t.equal(
    await claimKey(sql, name('claimed'), 'c-1'),
    undefined,
    'nor does one of a clock that has stepped back since',
  );
});

t.test('claims: an answered key is not claimed again', async (t) => {
  t.match(await claimKey(sql, name('made'), 'c-1'), { status: 201, record: { status: 'QUEUED' } });
  t.same(await world.rows(`select 1 from idempotency_claim where key = 'made'`), []);
});
