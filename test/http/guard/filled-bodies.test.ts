/** What bodies cost: those in which a list or a document is filled with what it does not expect. */
import t from 'tap';
import { Guard, ROUTES, sizeFor, targetOf } from './guard.ts';
import { hostileFields } from './hostile-bodies.ts';

t.test('bodies: the cost of a list or document of any values is bounded for each byte', async (t) => {
  const guard = await Guard.start(t);
  for (const route of ROUTES) {
    await guard.holdAll(route, targetOf(route), {
      shapes: hostileFields(route.body as never),
      size: sizeFor(route),
    });
    t.pass(`${route.method} ${route.path}`);
  }
});
