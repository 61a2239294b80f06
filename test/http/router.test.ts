/** The tree of paths: precedence, backtracking, and routes that contradict each other. */
import t from 'tap';
import { createRouter } from '../../src/http/router.ts';

const route = (method: string, path: string) => ({ method, path });
const segments = (path: string) => path.slice(1).split('/');

t.test('router: a literal precedes a parameter, and the search backtracks from a dead end', async (t) => {
  const router = createRouter([
    route('GET', '/a/{id}/'),
    route('POST', '/a/{id}/process/'),
    route('POST', '/a/cancel/{id}/'),
    route('GET', '/a/status/'),
  ]);
  const find = (path: string) => {
    const match = router.find(segments(path));
    return (
      match && [
        [...match.routes.values()].map((found) => found.path).join(),
        Object.fromEntries(match.values),
      ]
    );
  };
  t.strictSame(find('/a/5/'), ['/a/{id}/', { id: '5' }]);
  t.strictSame(find('/a/status/'), ['/a/status/', {}]);
  t.strictSame(find('/a/cancel/5/'), ['/a/cancel/{id}/', { id: '5' }]);
  t.strictSame(find('/a/cancel/'), ['/a/{id}/', { id: 'cancel' }]);
  t.strictSame(find('/a/cancel/process/'), ['/a/cancel/{id}/', { id: 'process' }]);
  t.strictSame(find('/a/status/process/'), ['/a/{id}/process/', { id: 'status' }], 'back from the literal');
  for (const path of [
    '/',
    '/a/',
    '/a/5',
    '/a//',
    '/a/5/other/',
    '/a/5/process/more/',
    '/A/5/',
    '/__proto__/',
  ]) {
    t.equal(find(path), undefined, path);
  }
});

t.test('router: a route for the rest of a path serves it only if no other route matches', (t) => {
  const router = createRouter([
    route('GET', '/a/{id}/'),
    route('GET', '/a/{name}/files/status/'),
    { ...route('GET', '/a/{name}/files/{path}'), takesRest: true },
  ]);
  const find = (path: string) => Object.fromEntries(router.find(segments(path))?.values ?? []);
  t.strictSame(find('/a/5/'), { id: '5' }, 'a parameter has the name that its own route gives it');
  t.strictSame(find('/a/n/files/x'), { name: 'n', path: 'x' });
  t.strictSame(find('/a/n/files/x//y/'), { name: 'n', path: 'x//y/' });
  t.strictSame(find('/a/n/files/status/'), { name: 'n' });
  t.strictSame(find('/a/n/files/status/x'), { name: 'n', path: 'status/x' }, 'back from the literal');
  t.equal(router.find(segments('/a/n/files/')), undefined, 'nothing is left');
  t.equal(router.find(segments('/a/n/files//')), undefined, 'slashes alone are nothing');
  t.end();
});

t.test('router: contradictory routes are refused', async (t) => {
  t.throws(() => createRouter([route('GET', '/a/'), route('GET', '/a/')]), /routed twice/);
  t.throws(
    () => createRouter([route('GET', '/a/{id}/'), route('PUT', '/a/{name}/')]),
    /called \{id\} elsewhere/,
  );
  t.throws(() => createRouter([route('GET', 'a/')]), /begin with a slash/);
});
