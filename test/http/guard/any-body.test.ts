/** What bodies cost: what is nasty for any route. */
import t from 'tap';
import { Guard, ROUTES, sizeFor, targetOf } from './guard.ts';
import { hostileTexts } from './hostile-bodies.ts';

t.test('bodies: the cost of any body is bounded for each byte', async (t) => {
  const guard = await Guard.start(t);
  for (const route of ROUTES) {
    await guard.holdAll(route, targetOf(route), {
      shapes: hostileTexts(route.body as never),
      size: sizeFor(route),
    });
    t.pass(`${route.method} ${route.path}`);
  }
});
