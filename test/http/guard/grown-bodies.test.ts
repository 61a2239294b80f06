/** What bodies cost: those that a route accepts, blown up at each of their places. `all-bodies.long.ts` has more. */
import t from 'tap';
import { holdGrownBodies, holdTwiceGrown } from './held-grown.ts';

t.test('bodies: the cost of an accepted body, grown at a place, is bounded for each byte', (t) =>
  holdGrownBodies(t, false),
);

t.test('bodies: the cost of an accepted body, grown at two places, is bounded for each byte', (t) =>
  holdTwiceGrown(t, false),
);
