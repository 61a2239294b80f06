import t from 'tap';
import { largeBodyRoutes } from '../../src/api/large-body-routes.ts';
import { serviceRoutes } from '../../src/api/service.ts';

t.test('the thread for large bodies serves every route that takes them, and no other', async (t) => {
  const all = serviceRoutes('0.0.0').filter(({ hasLargeBody }) => hasLargeBody === true);
  const callsOf = (routes: readonly { readonly method: string; readonly path: string }[]) =>
    routes.map(({ method, path }) => `${method} ${path}`).sort();
  t.ok(all.length > 0);
  t.same(callsOf(largeBodyRoutes()), callsOf(all));
});
