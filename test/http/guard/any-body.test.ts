/** What bodies cost: what is nasty for any route. */
import t from 'tap';
import { holdMade } from './held-any.ts';
import { hostileTexts } from './hostile-bodies.ts';

t.test('bodies: the cost of any body is bounded for each byte', (t) => holdMade(t, hostileTexts, false));
