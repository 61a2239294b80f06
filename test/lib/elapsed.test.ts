import t from 'tap';
import { hasElapsed } from '../../src/lib/elapsed.ts';

t.test('elapsed: what a clock that stepped back says to be still to come has passed', async (t) => {
  t.notOk(hasElapsed(1_000, 500, 1_000));
  t.notOk(hasElapsed(1_000, 500, 1_499));
  t.ok(hasElapsed(1_000, 500, 1_500));
  t.ok(hasElapsed(1_000, 500, 999));
});
