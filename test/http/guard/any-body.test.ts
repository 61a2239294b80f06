/** What bodies cost: what is nasty for any route. */
import t from 'tap';
import { Guard, ROUTES, sizeFor, targetOf } from './guard.ts';
import { hostileTexts } from './hostile-bodies.ts';

t.test('bodies: whatever is sent to a route costs no more than so much a byte', async (t) => {
  const guard = await Guard.start(t);
  for (const route of ROUTES) {
    for (const { what, make } of hostileTexts(route.body as never))
      await guard.hold(route, targetOf(route), { what, text: make(sizeFor(route)) });
    t.pass(`${route.method} ${route.path}`);
  }
});
