/** Bodies that a route accepts, blown up at each of their places. */
import type { TSchema } from '@sinclair/typebox';
import type { Test } from 'tap';
import { bodiesFor, Guard, PREFIXES, ROUTES, routeOf, sizeFor } from './guard.ts';
import { grown, grownTwice, type HostileShape, isDocument } from './hostile-bodies.ts';

/** Calls that clients of the public system do not have. */
const NOT_REPEATED: ReadonlySet<string> = new Set(['/v6/job-types/try/']);

/** One place at a time. `isWhole`: the routes under /api/ get all of them too. */
export async function holdGrownBodies(t: Test, isWhole: boolean): Promise<void> {
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
  for (const [turn, { method, target, route: path, body }] of guard.samples.entries()) {
    for (const prefix of PREFIXES) {
      if (prefix !== '' && NOT_REPEATED.has(path)) continue;
      const route = routeOf(method, `${prefix}${path}`);
      const shapes = bodiesFor(route, turn, grown(body), isWhole);
      await guard.holdAll(route, `${prefix}${target}`, { shapes, size: sizeFor(route) });
    }
    t.pass(`${method} ${path}`);
  }
}

/** Two places at a time. `isWhole`: every route gets all of them, also those that another route with them gets. */
export async function holdTwiceGrown(t: Test, isWhole: boolean): Promise<void> {
  const guard = await Guard.start(t);
  const held = new Set<string | undefined>();
  const isNew = ({ grownFrom }: HostileShape) => !held.has(grownFrom);
  for (const { method, target, route: path, body } of guard.samples) {
    const route = routeOf(method, path);
    const shapes = isWhole ? grownTwice(body) : grownTwice(body).filter(isNew);
    await guard.holdAll(route, target, { shapes, size: sizeFor(route) });
    for (const { grownFrom } of shapes) held.add(grownFrom);
    t.pass(`${method} ${path}`);
  }
}
