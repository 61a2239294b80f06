import t from 'tap';
import { secretKeyRoutes } from '../../../src/api/secret-keys/routes.ts';
import { currentKey, promoteKey, reportKeys } from '../../../src/store/secret-key/save.ts';
import { storeWorld } from '../../store/store-world.ts';
import { makeCaller } from '../../support/http.ts';

const [FIRST, SECOND, THIRD] = ['0000000001', '0000000002', '0000000003'];

t.test('secret keys: the list shows which key encrypts, who has it, and how far a rotation is', async (t) => {
  const { db, rows } = await storeWorld(t);
  const caller = makeCaller(secretKeyRoutes, { sql: db.sql });
  t.strictSame((await caller.get('/v6/secret-keys/')).json.results, []);

  await rows('delete from coordinator');
  await rows(
    `insert into coordinator (id, version, started, expires) select v, '1', now(), now() + interval '1 day'
     from unnest(array['one', 'two']) v`,
  );
  await currentKey(db.sql, FIRST);
  const report = (self: string, ...keyIds: string[]) =>
    reportKeys(db.sql, { self, keyIds, currentId: FIRST });
  await report('one', FIRST, SECOND);
  await report('two', FIRST);
  t.equal(await promoteKey(db.sql, SECOND), false, 'two does not have it');
  await report('two', FIRST, SECOND, THIRD);
  await report('gone', '0000000004');
  t.equal(await promoteKey(db.sql, SECOND), true);
  t.equal(await promoteKey(db.sql, FIRST), false, 'an older key is not used for encryption again');
  await rows('update secret_key set completed = now() where id = $1', [FIRST]);

  const { status, json } = await caller.get('/v6/secret-keys/');
  t.equal(status, 200);
  t.match(json.results, [
    { id: FIRST, is_current: false, began: /Z$/, completed: /Z$/, holder_count: 2, coordinator_count: 2 },
    { id: SECOND, is_current: true, began: /Z$/, completed: null, holder_count: 2 },
    { id: THIRD, is_current: false, began: null, completed: null, holder_count: 1 },
  ]);
  t.equal(json.results.length, 3);
});
