/** Open streams, and how soon each ends when its reader may no longer read. */
import { mock } from 'node:test';
import t from 'tap';
import { OpenStreams } from '../../src/auth/open-streams.ts';
import type { Caller } from '../../src/domain/access.ts';
import { createToken } from '../../src/store/account/access-tokens.ts';
import { createAccount } from '../../src/store/account/save.ts';
import type { Sql } from '../../src/store/sql/sql.ts';
import { NOW, storeWorld } from '../store/store-world.ts';
import { silentLog } from '../support/silent-log.ts';

const LAPSE_MS = 2_000;

t.test('streams: a stream is ended within two seconds after its account is deactivated', async (t) => {
  const { db, rows } = await storeWorld(t);
  const accountId = await createAccount(db.sql, {
    ...{ username: 'x', firstName: '', lastName: '', email: '', isStaff: false, isActive: true },
    ...{ passwordHash: null, nowMs: NOW },
  });
  const token = { accountId, name: 'x', hash: Buffer.from('x'), scope: 'read', expiresMs: null } as const;
  const credentialId = await createToken(db.sql, { ...token, nowMs: NOW });
  const caller: Caller = {
    ...{ by: 'token', accountId, username: 'x', isStaff: false, scope: 'read', credentialId },
  };
  const asked: Promise<unknown>[] = [];
  const sql = {
    execute: (text: string, values: unknown[]) => {
      const answer = db.sql.execute(text, values);
      asked.push(answer);
      return answer;
    },
  } as unknown as Sql;
  // Only the time of the streams is simulated, not that of the database.
  mock.timers.enable({ apis: ['setInterval'] });
  t.teardown(() => mock.timers.reset());
  const limits = { perCaller: 10, all: 10 };
  const streams = new OpenStreams({ sql, limits, nowMs: () => NOW, log: silentLog });
  const open = streams.open('events', caller, '10.0.0.1');
  const pass = async (ms: number) => {
    mock.timers.tick(ms);
    await Promise.all(asked.splice(0));
    await new Promise(setImmediate);
  };

  await pass(LAPSE_MS);
  t.notOk(open.ending.aborted, 'its account may read');
  await rows(`update account set is_active = false where id = ${accountId}`);
  await pass(LAPSE_MS);
  t.equal(open.ending.reason, 'lapsed');
  open.close();
  mock.timers.tick(10 * LAPSE_MS);
  t.strictSame(asked, [], 'no account is checked when no stream is open');
});
