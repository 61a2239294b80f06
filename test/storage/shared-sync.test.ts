import t from 'tap';
import { SharedSync } from '../../src/storage/shared-sync.ts';

function makeSyncs() {
  const ends: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const sync = () =>
    new Promise<void>((resolve, reject) => {
      ends.push({ resolve, reject });
    });
  return { ends, sync };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

t.test('shared sync: callers during a sync wait for the next one and share it', async (t) => {
  const { ends, sync } = makeSyncs();
  const shared = new SharedSync();
  const first = shared.run('a', sync);
  let isSecondDone = false;
  const second = shared.run('a', sync).then(() => {
    isSecondDone = true;
  });
  const third = shared.run('a', sync);
  t.equal(ends.length, 1);

  ends[0]?.resolve();
  await first;
  await turn();
  t.equal(ends.length, 2, 'the two that waited share one');
  t.equal(isSecondDone, false, 'the first sync does not count for the second caller');
  ends[1]?.resolve();
  await Promise.all([second, third]);
  void shared.run('a', sync);
  t.equal(ends.length, 3, 'a later caller gets a sync of its own');
});

t.test('shared sync: different keys are synced independently', async (t) => {
  const { ends, sync } = makeSyncs();
  const shared = new SharedSync();
  void shared.run('a', sync);
  void shared.run('b', sync);
  t.equal(ends.length, 2);
});

t.test('shared sync: a failure concerns only the callers of that sync', async (t) => {
  const { ends, sync } = makeSyncs();
  const shared = new SharedSync();
  const first = shared.run('a', sync);
  const second = shared.run('a', sync);
  ends[0]?.reject(new Error('disk'));
  await t.rejects(first, { message: 'disk' });
  await turn();
  ends[1]?.resolve();
  await t.resolves(second);
});
