/** What bodies cost: those that are as large as their route takes, on every route. */
import t from 'tap';
import { holdFullBodies } from './held-full.ts';

t.test('bodies: the cost of the largest body of every route is bounded for each byte', (t) =>
  holdFullBodies(t, true),
);
