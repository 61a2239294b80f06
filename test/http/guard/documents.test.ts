/** What bodies cost: documents as large as they may be, in which everything has to do with everything else. */
import t from 'tap';
import { holdDocuments } from './held-any.ts';

t.test('bodies: the cost of a document is bounded for each byte', (t) => holdDocuments(t, false));
