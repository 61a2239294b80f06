/** What bodies cost: those in which a list or a document is filled with what it does not expect. */
import t from 'tap';
import { holdMade } from './held-any.ts';
import { hostileFields } from './hostile-bodies.ts';

t.test('bodies: the cost of a list or document of any values is bounded for each byte', (t) =>
  holdMade(t, hostileFields, false),
);
