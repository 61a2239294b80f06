/** Bodies that a route accepts, blown up at each of their places. */
import type { TSchema } from '@sinclair/typebox';
import type { Test } from 'tap';
import { bodiesFor, Guard, PREFIXES, ROUTES, routeOf, sizeFor, someOf } from './guard.ts';
import { grown, grownTwice, type HostileShape, isDocument } from './hostile-bodies.ts';

/** Calls that clients of the public system do not have. */
const NOT_REPEATED: ReadonlySet<string> = new Set(['/v6/job-types/try/']);

/** One in so many pairs of places is sent, besides those with a place that no other pair has reached. */
const PAIRS_ONE_IN = 3;

/** Those that no other route has got, and some of the others. */
class Held {
  readonly #all = new Set<string | undefined>();

  take(shapes: readonly HostileShape[], turn: number): readonly HostileShape[] {
    const isHeld = ({ grownFrom }: HostileShape) => this.#all.has(grownFrom);
    const old = shapes.filter(isHeld);
    const fresh = shapes.filter((shape) => !isHeld(shape));
    for (const { grownFrom } of fresh) this.#all.add(grownFrom);
    return old.length === 0 ? fresh : [...fresh, ...someOf(old, turn)];
  }
}

/** One place at a time. `isWhole`: every route gets all of them, also those that another route gets. */
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
  const held = new Held();
  for (const [turn, { method, target, route: path, body }] of guard.samples.entries()) {
    const all = isWhole ? grown(body) : held.take(grown(body), turn);
    for (const prefix of PREFIXES) {
      if (prefix !== '' && NOT_REPEATED.has(path)) continue;
      const route = routeOf(method, `${prefix}${path}`);
      const shapes = bodiesFor(route, turn, all, isWhole);
      await guard.holdAll(route, `${prefix}${target}`, { shapes, size: sizeFor(route) });
    }
    t.pass(`${method} ${path}`);
  }
  await guard.finish();
}

/** Two places at a time. `isWhole`: every route gets all of them. */
export async function holdTwiceGrown(t: Test, isWhole: boolean): Promise<void> {
  const guard = await Guard.start(t);
  const held = new Held();
  const reached = new Set<string>();
  for (const [turn, { method, target, route: path, body }] of guard.samples.entries()) {
    const route = routeOf(method, path);
    const all = grownTwice(body);
    const shapes = isWhole ? all : thinned(held.take(all, turn), turn, reached);
    await guard.holdAll(route, target, { shapes, size: sizeFor(route) });
    t.pass(`${method} ${path}`);
  }
  await guard.finish();
}

function thinned(
  pairs: readonly HostileShape[],
  turn: number,
  reached: Set<string>,
): readonly HostileShape[] {
  return pairs.filter(({ places = [] }, index) => {
    const isNew = places.some((place) => !reached.has(place));
    if (!isNew && (index + turn) % PAIRS_ONE_IN !== 0) return false;
    for (const place of places) reached.add(place);
    return true;
  });
}
