/**
 * Suggests the path that was probably meant by a request to a path that is not served: a misspelt word, a missing or
 * other version, a word in place of an id. The cost is bounded by the number of routes.
 */
import type { TSchema } from '@sinclair/typebox';
import { nearest } from '../domain/near-names.ts';

/** limit: longer paths get no suggestion. */
const PATH_CHARS_MAX = 300;
/** The largest distance of a suggestion: one word, and the version prefix. */
const COST_MAX = 2;
/** Literals are preferred to parameters, which match anything. */
const PARAMETER_COST = 0.01;
const VERSION = 'v6';

/** A segment of a served path: a word, or a parameter that takes digits or any text. */
type Step = { readonly word: string } | { readonly isNumber: boolean };

/** The part of a route that is used here. */
interface Routed {
  readonly path: string;
  readonly params?: Readonly<Record<string, { readonly schema: TSchema }>>;
}

interface Served {
  readonly path: string;
  readonly steps: readonly Step[];
}

export type NearPath = (path: string) => string | undefined;

/**
 * The returned function takes the path as it came, not decoded; its answer has the requested parameter values filled
 * in.
 */
export function nearPaths(routes: readonly Routed[]): NearPath {
  const served = [...new Map(routes.map((route) => [route.path, servedPath(route)])).values()];
  return (path) => {
    if (path.length > PATH_CHARS_MAX) return undefined;
    const words = path.split('/').filter((word) => word !== '');
    let best: { readonly cost: number; readonly path: string } | undefined;
    for (const { read, cost: before } of readings(words)) {
      for (const candidate of served) {
        const found = compare(candidate, read, (best?.cost ?? COST_MAX + 1) - before);
        if (found !== undefined) best = { path: found.path, cost: found.cost + before };
      }
    }
    // The path is served, but the record does not exist.
    return best?.path === path ? undefined : best?.path;
  };
}

function servedPath({ path, params }: Routed): Served {
  const steps = path
    .split('/')
    .filter((word) => word !== '')
    .map((word): Step => {
      if (!word.startsWith('{')) return { word };
      return { isNumber: params?.[word.slice(1, -1)]?.schema.type === 'integer' };
    });
  return { path, steps };
}

/** The path as requested, and with the served version. */
function readings(words: readonly string[]): { readonly read: readonly string[]; readonly cost: number }[] {
  const [first = '', ...rest] = words;
  const asIs = { read: words, cost: 0 };
  if (first === VERSION || first === 'api') return [asIs];
  const isVersion = /^v\d{1,3}$/i.test(first);
  return [asIs, { read: [VERSION, ...(isVersion ? rest : words)], cost: 1 }];
}

/** Undefined unless the distance is less than `below`. */
function compare(
  { path, steps }: Served,
  read: readonly string[],
  below: number,
): { readonly cost: number; readonly path: string } | undefined {
  if (steps.length !== read.length) return undefined;
  let cost = 0;
  const words: string[] = [];
  for (const [index, step] of steps.entries()) {
    const word = read[index] ?? '';
    if (!('word' in step)) {
      if (step.isNumber && !/^\d+$/.test(word)) return undefined;
      cost += PARAMETER_COST;
      words.push(word);
    } else if (step.word === word) words.push(word);
    else if (nearest(word, [step.word]) === undefined) return undefined;
    else {
      cost += 1;
      words.push(step.word);
    }
    if (cost >= below) return undefined;
  }
  const slash = path.endsWith('/') && words.length > 0 ? '/' : '';
  return { cost, path: `/${words.join('/')}${slash}` };
}
