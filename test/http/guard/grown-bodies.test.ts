/** What bodies cost: those that a route accepts, blown up at each of their places. */
import type { TSchema } from '@sinclair/typebox';
import t from 'tap';
import { Guard, PREFIXES, ROUTES, routeOf, sizeFor } from './guard.ts';
import { grown, grownTwice, isDocument } from './hostile-bodies.ts';

/** Calls that clients of the public system do not have. */
const NOT_REPEATED: ReadonlySet<string> = new Set(['/v6/job-types/try/']);

t.test('bodies: the cost of an accepted body, grown at a place, is bounded for each byte', async (t) => {
  const guard = await Guard.start(t);
  for (const { method, path, body } of ROUTES) {
    if (path.startsWith('/api')) continue;
    const fields = Object.entries((body?.properties ?? {}) as Record<string, TSchema>);
    const sent = guard.samples.filter((sample) => sample.method === method && sample.route === path);
    for (const [name, field] of fields) {
      const isSampled = !isDocument(field) || sent.some((sample) => sample.body[name] !== undefined);
      t.ok(isSampled, `${method} ${path}: ${name}`);
    }
  }
  for (const { method, target, route: path, body } of guard.samples) {
    for (const prefix of PREFIXES) {
      if (prefix !== '' && NOT_REPEATED.has(path)) continue;
      const route = routeOf(method, `${prefix}${path}`);
      await guard.holdAll(route, `${prefix}${target}`, { shapes: grown(body), size: sizeFor(route) });
    }
    t.pass(`${method} ${path}`);
  }
});

t.test('bodies: the cost of an accepted body, grown at two places, is bounded for each byte', async (t) => {
  const guard = await Guard.start(t);
  for (const { method, target, route: path, body } of guard.samples) {
    const route = routeOf(method, path);
    await guard.holdAll(route, target, { shapes: grownTwice(body), size: sizeFor(route) });
    t.pass(`${method} ${path}`);
  }
});
