/** What bodies cost: those that are as large as their route takes. */
import t from 'tap';
import { bodyBytesMaxOf, loopBodyBytesMaxOf } from '../../../src/http/body/limits.ts';
import { Guard, ROUTES, routeOf, targetOf } from './guard.ts';
import { fullBodies, heldMost } from './hostile-bodies.ts';

t.test('bodies: the work of the thread for large bodies is counted', async (t) => {
  const guard = await Guard.start(t);
  const route = routeOf('POST', '/v6/datasets/validation/');
  const values = Array.from({ length: 400_000 }, (_, index) => index);
  const text = JSON.stringify({ definition: { parameters: {}, global_data: { json: { VALUES: values } } } });
  const steps = await guard.hold(route, targetOf(route), { what: 'many values', text });
  t.ok(steps > values.length, `${steps} steps for ${values.length} values`);
});

t.test('bodies: the cost of the largest body of a route is bounded for each byte', async (t) => {
  const guard = await Guard.start(t);
  for (const route of ROUTES) {
    for (const { what, make } of fullBodies(route.body as never, heldMost(route))) {
      for (const size of new Set([bodyBytesMaxOf(route), loopBodyBytesMaxOf(route)]))
        await guard.hold(route, targetOf(route), { what, text: make(size) });
    }
    t.pass(`${route.method} ${route.path}`);
  }
});
