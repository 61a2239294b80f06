/** What bodies cost: those that are as large as their route takes. */
import t from 'tap';
import { JSON_VALUES_MAX } from '../../../src/domain/document/json-value.ts';
import { bodyBytesMaxOf } from '../../../src/http/body-limits.ts';
import { Guard, ROUTES, targetOf } from './guard.ts';
import { fullBodies } from './hostile-bodies.ts';

t.test('bodies: one as large as its route takes costs no more than so much a byte', async (t) => {
  const guard = await Guard.start(t);
  for (const route of ROUTES) {
    for (const { what, make } of fullBodies(route.body as never, JSON_VALUES_MAX))
      await guard.hold(route, targetOf(route), { what, text: make(bodyBytesMaxOf(route)) });
    t.pass(`${route.method} ${route.path}`);
  }
});
