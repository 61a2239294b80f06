/** Readers of the stream that have not caught up: their reads wait in one queue. */
import pLimit from 'p-limit';
import t from 'tap';
import { ChangeFeed } from '../../../src/api/changes/feed.ts';
import { ChangeFollower } from '../../../src/api/changes/follower.ts';
import type { Sql } from '../../../src/store/sql/sql.ts';
import { silentLog } from '../../support/silent-log.ts';
import { Latch } from '../../support/worlds/kernel-world.ts';

t.test('follower: nothing is read for a reader that left while its read waited', async (t) => {
  const gone = new Error('the database is away');
  const [begun, hold] = [new Latch(), new Latch()];
  let reads = 0;
  const sql = {
    async execute() {
      reads += 1;
      begun.open();
      await hold.opened;
      throw gone;
    },
  } as unknown as Sql;
  const inTurn = pLimit(1);
  const parts = { sql, log: silentLog, feed: new ChangeFeed({ sql, log: silentLog }), inTurn };
  const query = { kind: [], what: [], id: [], status: [], job_type_name: [], recipe_type_name: [] };
  const links = { recipe_id: [], batch_id: [], job_id: [], strike_id: [], scan_id: [], node_id: [] };
  const from = { epoch: 'e', place: { tick: 1, row: 0, item: 0 } };
  const sink = { take: () => {}, hasRoom: async () => {}, fail: () => {} };
  const readers = Array.from(
    { length: 50 },
    () => new ChangeFollower(parts, { ...query, ...links }, from, sink),
  );
  await begun.opened;
  for (const reader of readers) reader.stop();
  hold.open();
  await inTurn(async () => {});
  t.equal(reads, 1, 'only that which was under way');
});
