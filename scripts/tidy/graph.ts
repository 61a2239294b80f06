/**
 * The import graph: which file a specifier means, cycles (type imports included), and files that nobody
 * reaches.
 */
import { posix } from 'node:path';
import type { Source } from './source.ts';

export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** The path a relative import names, or undefined for a package. */
export function resolveImport(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  return posix.normalize(posix.join(posix.dirname(from), specifier));
}

export function graphOf(sources: readonly Source[]): Graph {
  return new Map(
    sources.map(({ path, imports }) => {
      const targets = imports.map(({ specifier }) => resolveImport(path, specifier));
      return [path, new Set(targets.filter((target) => target !== undefined))];
    }),
  );
}

/** One cycle for each group of files that import each other, as the list of its files in order. */
export function cyclesOf(graph: Graph): string[][] {
  const cycles: string[][] = [];
  const state = new Map<string, 'open' | 'done'>();
  const trail: string[] = [];
  const visit = (path: string): void => {
    state.set(path, 'open');
    trail.push(path);
    for (const next of graph.get(path) ?? []) {
      if (state.get(next) === 'open') cycles.push([...trail.slice(trail.indexOf(next)), next]);
      else if (!state.has(next) && graph.has(next)) visit(next);
    }
    trail.pop();
    state.set(path, 'done');
  };
  for (const path of graph.keys()) if (!state.has(path)) visit(path);
  return cycles;
}

export function reachableFrom(graph: Graph, entries: readonly string[]): Set<string> {
  const reached = new Set(entries);
  for (const path of reached) for (const next of graph.get(path) ?? []) reached.add(next);
  return reached;
}
