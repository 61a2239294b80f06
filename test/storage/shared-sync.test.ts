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

t.test('shared sync: whoever asks during a sync waits for one that begins afterwards', async (t) => {
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
  t.equal(isSecondDone, false, 'the first does not vouch for the second');
  ends[1]?.resolve();
  await Promise.all([second, third]);
  void shared.run('a', sync);
  t.equal(ends.length, 3, 'nothing is remembered');
});

t.test('shared sync: keys do not wait for one another', async (t) => {
  const { ends, sync } = makeSyncs();
  const shared = new SharedSync();
  void shared.run('a', sync);
  void shared.run('b', sync);
  t.equal(ends.length, 2);
});

t.test('shared sync: a failure is its own callers’ alone', async (t) => {
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
