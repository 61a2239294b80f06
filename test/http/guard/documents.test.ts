/** What bodies cost: documents as large as they may be, in which everything has to do with everything else. */
import t from 'tap';
import { bodyBytesMaxOf } from '../../../src/http/body/limits.ts';
import { Guard, PREFIXES, routeOf } from './guard.ts';
import { hostileDocuments } from './hostile-documents.ts';

t.test('bodies: the cost of a document is bounded for each byte', async (t) => {
  const guard = await Guard.start(t);
  for (const { method, target, route: path, body, what } of hostileDocuments(guard.service.facts)) {
    const text = JSON.stringify(body);
    for (const prefix of PREFIXES) {
      const route = routeOf(method, `${prefix}${path}`);
      t.ok(text.length <= bodyBytesMaxOf(route), `${what} fits`);
      await guard.hold(route, `${prefix}${target}`, { what, text });
    }
  }
});
