/** What bodies cost: what is nasty for any route. */
import t from 'tap';
import { holdTexts } from './held-any.ts';

t.test('bodies: the cost of any body is bounded for each byte', (t) => holdTexts(t, false));
