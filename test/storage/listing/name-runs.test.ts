import t from 'tap';
import { NameRuns } from '../../../src/storage/listing/name-runs.ts';

/** The same shuffle each time: steps of a prime through the numbers. */
function shuffled(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `n${(n * 7_919) % count}`);
}

t.test('name runs: names are sorted, for any number of runs', async (t) => {
  for (const count of [0, 1, 9, 10, 11, 1_000]) {
    const runs = new NameRuns(10_000, 10);
    const names = shuffled(count);
    for (const name of names) runs.add(name);
    t.equal(runs.count, count);
    t.equal(runs.cutAfter, undefined);
    t.strictSame([...runs.sorted()], names.toSorted());
    t.strictSame([...runs.sorted()], names.toSorted(), 'again');
  }
});

t.test('name runs: beyond the limit the first names are kept, complete up to the cut', async (t) => {
  const names = shuffled(10_000);
  const all: string[] = [];
  let passes = 0;
  for (let from: string | undefined = ''; from !== undefined; passes += 1) {
    const runs = new NameRuns(500, 10);
    let countMax = 0;
    for (const name of names) {
      if (name > from) runs.add(name);
      countMax = Math.max(countMax, runs.count);
    }
    t.ok(countMax <= 510, `${countMax} names in memory`);
    all.push(...runs.sorted());
    from = runs.cutAfter;
  }
  t.strictSame(all, names.toSorted());
  t.ok(passes < 100, `${passes} passes`);
});
