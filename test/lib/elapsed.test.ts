import t from 'tap';
import { hasElapsed } from '../../src/lib/elapsed.ts';

t.test(
  'elapsed: a duration has elapsed if its begin is in the future, because the clock stepped back',
  async (t) => {
    t.notOk(hasElapsed(1_000, 500, 1_000));
    t.notOk(hasElapsed(1_000, 500, 1_499));
    t.ok(hasElapsed(1_000, 500, 1_500));
    t.ok(hasElapsed(1_000, 500, 999));
  },
);
