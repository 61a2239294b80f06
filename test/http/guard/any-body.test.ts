/** What bodies cost: what is nasty for any route. */
import t from 'tap';
import { Guard, ROUTES, sizeFor, targetOf } from './guard.ts';
import { hostileTexts } from './hostile-bodies.ts';

t.test('bodies: the cost of any body is bounded for each byte', async (t) => {
  const guard = await Guard.start(t);
  for (const route of ROUTES) {
    for (const { what, make } of hostileTexts(route.body as never))
      await guard.hold(route, targetOf(route), { what, text: make(sizeFor(route)) });
    t.pass(`${route.method} ${route.path}`);
  }
});
