/**
 * Finds the routes of a path. A tree of segments in which literals precede parameters, so that `/v6/ingests/status/` is
 * not an ingest called "status". Knows no request and no handler.
 */
import { assert } from '../lib/assert.ts';

/** Anything that is served at a path by a method. */
interface Routed {
  readonly method: string;
  readonly path: string;
}

interface Segment<R> {
  readonly literals: Map<string, Segment<R>>;
  parameter: { readonly name: string; readonly segment: Segment<R> } | undefined;
  readonly routes: Map<string, R>;
}

export interface Match<R> {
  /** By method. Never empty. */
  readonly routes: ReadonlyMap<string, R>;
  /** Values of the path's parameters, decoded. */
  readonly values: ReadonlyMap<string, string>;
}

export interface Router<R> {
  /** The routes of a path, given its decoded segments; undefined if there are none. */
  find(segments: readonly string[]): Match<R> | undefined;
}

export function createRouter<R extends Routed>(routes: readonly R[]): Router<R> {
  const root = emptySegment<R>();
  for (const route of routes) {
    assert(route.path.startsWith('/'), `path ${route.path} must begin with a slash`);
    let at = root;
    for (const text of route.path.slice(1).split('/')) at = childFor(at, text, route.path);
    assert(!at.routes.has(route.method), `${route.method} ${route.path} is routed twice`);
    at.routes.set(route.method, route);
  }
  return {
    find: (segments) => {
      const values = new Map<string, string>();
      const found = descend(root, segments, 0, values);
      return found === undefined ? undefined : { routes: found.routes, values };
    },
  };
}

function emptySegment<R>(): Segment<R> {
  return { literals: new Map(), parameter: undefined, routes: new Map() };
}

function childFor<R>(parent: Segment<R>, text: string, path: string): Segment<R> {
  if (text.startsWith('{')) {
    const name = text.slice(1, -1);
    parent.parameter ??= { name, segment: emptySegment() };
    assert(
      parent.parameter.name === name,
      `${path}: {${name}} is called {${parent.parameter.name}} elsewhere`,
    );
    return parent.parameter.segment;
  }
  let child = parent.literals.get(text);
  if (child === undefined) {
    child = emptySegment();
    parent.literals.set(text, child);
  }
  return child;
}

/** Depth-first, literals first. Bounded by two choices a level and the depth of the longest known path. */
function descend<R>(
  at: Segment<R>,
  segments: readonly string[],
  index: number,
  values: Map<string, string>,
): Segment<R> | undefined {
  const text = segments[index];
  if (text === undefined) return at.routes.size > 0 ? at : undefined;
  const literal = at.literals.get(text);
  if (literal !== undefined) {
    const found = descend(literal, segments, index + 1, values);
    if (found !== undefined) return found;
  }
  if (at.parameter === undefined || text === '') return undefined;
  const found = descend(at.parameter.segment, segments, index + 1, values);
  if (found !== undefined) values.set(at.parameter.name, text);
  return found;
}
