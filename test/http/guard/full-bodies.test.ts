/** What bodies cost: those that are as large as their route takes. `full-bodies.long.ts` does it on every route. */
import t from 'tap';
import { Guard, routeOf, targetOf } from './guard.ts';
import { holdFullBodies } from './held-full.ts';

t.test('bodies: the work of the thread for large bodies is counted', async (t) => {
  const guard = await Guard.start(t);
  const route = routeOf('POST', '/v6/datasets/validation/');
  const values = Array.from({ length: 400_000 }, (_, index) => index);
  const text = JSON.stringify({ definition: { parameters: {}, global_data: { json: { VALUES: values } } } });
  const steps = await guard.hold(route, targetOf(route), { what: 'many values', text });
  t.ok(steps > values.length, `${steps} steps for ${values.length} values`);
});

t.test('bodies: the cost of the largest bodies of a route is bounded for each byte', (t) =>
  holdFullBodies(t, false),
);
