/**
 * Finds the routes of a path. A tree of segments in which literals precede parameters, so that `/v6/ingests/status/` is
 * not an ingest called "status". It is independent of requests and handlers.
 */
import { assert } from '../lib/assert.ts';

/** Anything that is served at a path by a method. */
interface Routed {
  readonly method: string;
  readonly path: string;
  /** The last parameter matches the rest of the path, slashes included. */
  readonly takesRest?: boolean;
}

interface Segment<R> {
  readonly literals: Map<string, Segment<R>>;
  parameter: Segment<R> | undefined;
  rest: Segment<R> | undefined;
  readonly routes: Map<string, R>;
  /** The names of the parameters on the way here, in their order. */
  names: readonly string[];
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
    const texts = route.path.slice(1).split('/');
    let at = root;
    for (const [index, text] of texts.entries())
      at = childFor(at, text, route.takesRest === true && index === texts.length - 1);
    const names = texts.filter((text) => text.startsWith('{')).map((text) => text.slice(1, -1));
    assert(!at.routes.has(route.method), `${route.method} ${route.path} is routed twice`);
    assert(
      at.routes.size === 0 || at.names.join() === names.join(),
      `${route.path}: its parameters are called {${at.names.join()}} elsewhere`,
    );
    at.names = names;
    at.routes.set(route.method, route);
  }
  return {
    find: (segments) => {
      const values: string[] = [];
      const found = descend(root, segments, 0, values);
      if (found === undefined) return undefined;
      return {
        routes: found.routes,
        values: new Map(found.names.map((name, at) => [name, values[at] ?? ''])),
      };
    },
  };
}

function emptySegment<R>(): Segment<R> {
  return { literals: new Map(), parameter: undefined, rest: undefined, routes: new Map(), names: [] };
}

function childFor<R>(parent: Segment<R>, text: string, takesRest: boolean): Segment<R> {
  if (text.startsWith('{')) {
    const kind = takesRest ? 'rest' : 'parameter';
    parent[kind] ??= emptySegment();
    return parent[kind];
  }
  let child = parent.literals.get(text);
  if (child === undefined) {
    child = emptySegment();
    parent.literals.set(text, child);
  }
  return child;
}

/**
 * Depth-first: literals first, a parameter for the rest of the path last. Bounded by the choices a level and the depth
 * of the longest known path. `values`: of the parameters on the way.
 */
function descend<R>(
  at: Segment<R>,
  segments: readonly string[],
  index: number,
  values: string[],
): Segment<R> | undefined {
  const text = segments[index];
  if (text === undefined) return at.routes.size > 0 ? at : undefined;
  const literal = at.literals.get(text);
  if (literal !== undefined) {
    const found = descend(literal, segments, index + 1, values);
    if (found !== undefined) return found;
  }
  if (at.parameter !== undefined && text !== '') {
    values.push(text);
    const found = descend(at.parameter, segments, index + 1, values);
    if (found !== undefined) return found;
    values.pop();
  }
  const rest = segments.slice(index);
  if (at.rest === undefined || rest.every((segment) => segment === '')) return undefined;
  values.push(rest.join('/'));
  return at.rest;
}
