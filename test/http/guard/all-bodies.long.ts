/** What bodies cost: all bodies on every route, of which `npm test` leaves out those that another route gets. */
import t from 'tap';
import { holdDocuments, holdMade, holdTexts } from './held-any.ts';
import { holdGrownBodies, holdTwiceGrown } from './held-grown.ts';
import { hostileFields } from './hostile-bodies.ts';

t.test('all bodies: what is nasty for any route', (t) => holdTexts(t, true));
t.test('all bodies: a list or document of any values', (t) => holdMade(t, hostileFields, true));
t.test('all bodies: an accepted body, grown at a place', (t) => holdGrownBodies(t, true));
t.test('all bodies: an accepted body, grown at two places', (t) => holdTwiceGrown(t, true));
t.test('all bodies: documents', (t) => holdDocuments(t, true));
