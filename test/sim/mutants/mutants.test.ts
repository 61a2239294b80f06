/** The simulation finds bugs: each seeded bug breaks a law within a few seeds. */
import t from 'tap';
import { simulate } from '../simulation.ts';
import { MUTANTS } from './mutants.ts';

const SEEDS_MAX = 40;
/** A world without a bug has nothing left to do long before. */
const REST_MS_MAX = 250_000;

t.ok(MUTANTS.length >= 20);

for (const { bug, seams, from } of MUTANTS) {
  t.test(`simulation: finds that ${bug}`, async (t) => {
    for (let seed = from; seed < from + SEEDS_MAX; seed++) {
      const found = await simulate(seed, { seams, restMsMax: REST_MS_MAX }).then(
        () => undefined,
        (error: Error) => error.message,
      );
      if (found === undefined) {
        t.comment(`seed ${seed} does not find it`);
        continue;
      }
      t.pass(`seed ${seed}: ${found}`);
      return;
    }
    t.fail(`not found by seeds ${from} to ${from + SEEDS_MAX - 1}`);
  });
}
