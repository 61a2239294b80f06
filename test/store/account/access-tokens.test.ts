import t from 'tap';
import {
  createSession,
  createToken,
  removeEndedCredentials,
} from '../../../src/store/account/access-tokens.ts';
import { createAccount } from '../../../src/store/account/save.ts';
import { NOW, storeWorld } from '../store-world.ts';

const DAY_MS = 86_400_000;
const ACCOUNT = {
  ...{ username: 'x', firstName: '', lastName: '', email: '', isStaff: false, isActive: true },
  ...{ passwordHash: null, nowMs: NOW },
};

t.test('credentials: sessions are removed when they expire, tokens a month after their end', async (t) => {
  const { db, rows } = await storeWorld(t);
  const { sql } = db;
  const accountId = await createAccount(sql, ACCOUNT);
  for (const [index, expiresMs] of [NOW - 1, NOW, NOW + 1, NOW + DAY_MS].entries()) {
    const hashes = { hash: Buffer.from([index]), csrfHash: Buffer.alloc(32) };
    await createSession(
      sql,
      { accountId, ...hashes, address: `10.0.0.${index}`, expiresMs, nowMs: NOW },
      null,
    );
  }
  const [month, longer] = [30 * DAY_MS, 31 * DAY_MS];
  for (const [name, expiresMs, revokedMs] of [
    ...[['live', NOW + 1, null] as const, ['for ever', null, null] as const],
    ...[['just expired', NOW - 1, null] as const, ['expired', NOW - month, null] as const],
    ...[['long expired', NOW - longer, null] as const, ['revoked', NOW + DAY_MS, NOW - month] as const],
    ['long revoked', null, NOW - longer] as const,
  ]) {
    const token = { accountId, name, hash: Buffer.from(name), scope: 'read', expiresMs, nowMs: NOW } as const;
    const id = await createToken(sql, token);
    await rows(
      `update access_token set revoked = to_timestamp(${revokedMs}::float8 / 1000) where id = ${id}`,
    );
  }

  t.equal(await removeEndedCredentials(sql, NOW), false, 'no more');

  const sessions = await rows<{ address: string }>('select address from login_session order by id');
  t.strictSame(
    sessions.map(({ address }) => address),
    ['10.0.0.1', '10.0.0.2', '10.0.0.3'],
  );
  const tokens = await rows<{ name: string }>('select name from access_token order by id');
  t.strictSame(
    tokens.map(({ name }) => name),
    ['live', 'for ever', 'just expired', 'expired', 'revoked'],
  );
});

t.test('credentials: many are removed in bounded pieces', async (t) => {
  const { db, rows } = await storeWorld(t);
  const accountId = await createAccount(db.sql, ACCOUNT);
  await rows(
    `insert into login_session (account_id, session_hash, csrf_hash, address, expires, created, last_seen)
     select ${accountId}, int4send(n), '\\x00', '', '2000-01-01', '2000-01-01', '2000-01-01'
     from generate_series(1, 1500) n`,
  );
  t.equal(await removeEndedCredentials(db.sql, NOW), true, 'there is more');
  t.match(await rows('select count(*)::int as count from login_session'), [{ count: 500 }]);
  t.equal(await removeEndedCredentials(db.sql, NOW), false);
  t.match(await rows('select count(*)::int as count from login_session'), [{ count: 0 }]);
});

t.test('tokens: concurrent requests cannot exceed the limit of an account', async (t) => {
  const { db } = await storeWorld(t);
  const accountId = await createAccount(db.sql, ACCOUNT);
  const create = (at: number) => {
    const token = { accountId, name: 'x', hash: Buffer.from([at]), scope: 'read', expiresMs: null } as const;
    return createToken(db.sql, { ...token, nowMs: NOW });
  };
  for (let at = 0; at < 196; at += 1) await create(at);
  const made = await Promise.allSettled(Array.from({ length: 12 }, (_, at) => create(200 + at)));
  const statuses = made.map(({ status }) => status).sort();
  t.strictSame(statuses, [...Array(4).fill('fulfilled'), ...Array(8).fill('rejected')]);
});
