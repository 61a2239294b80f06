/**
 * Which commits of the audit wait for a sync: a trigger notes the setting under which each row is written. (The server
 * of the tests syncs nothing, so what counts is who has set it.)
 */
import t from 'tap';
import { type AuditEntry, beginAudit, finishAudit } from '../../../src/store/audit/save.ts';
import { NOW, storeWorld } from '../store-world.ts';

const world = await storeWorld(t);
const ENTRY: AuditEntry = {
  ...{ atMs: NOW, accountId: null, username: 'x', knownBy: 'none', tokenId: null, address: '' },
  ...{ requestId: 'x', method: 'POST', route: '/v6/jobs/', path: '/v6/jobs/' },
};

t.test('audit: a row does not wait for its sync; its status and all other commits do', async (t) => {
  const { sql } = world.db;
  await world.rows('create table noted (what text, setting text, is_own boolean)');
  await world.rows(`create function note() returns trigger language plpgsql as $$ begin
    insert into noted select tg_op, setting, source = 'session' from pg_settings where name = 'synchronous_commit';
    return null; end $$`);
  await world.rows(
    'create trigger note after insert or update on audit for each row execute function note()',
  );

  const ids = await beginAudit(sql, [ENTRY, ENTRY]);
  t.equal(ids.length, 2);
  await finishAudit(
    sql,
    ids.map((id) => ({ id, status: 201, recordId: null })),
  );
  const noted = await world.rows<{ what: string; setting: string; is_own: boolean }>('select * from noted');
  t.match(noted, [
    { what: 'INSERT', setting: 'off', is_own: true },
    { what: 'INSERT', setting: 'off', is_own: true },
    { what: 'UPDATE', is_own: false },
    { what: 'UPDATE', is_own: false },
  ]);
});
