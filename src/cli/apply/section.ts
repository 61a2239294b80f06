/** Reads a map of a file field by field; every problem is reported at its position. */
import { didYouMean, nearestOf } from '../../domain/near-names.ts';
import {
  type Entry,
  type Findings,
  type Located,
  type LocatedMap,
  type LocatedScalar,
  memberOf,
  type Position,
} from './source.ts';

/** Where findings of one file go. */
export interface FileFindings {
  readonly file: string;
  readonly findings: Findings;
}

export function report({ file, findings }: FileFindings, at: Position, message: string): undefined {
  findings.error(file, at, message);
  return undefined;
}

/** Returns the map; otherwise reports that `what` must be a map. */
export function mapOf(where: FileFindings, node: Located, what: string): LocatedMap | undefined {
  if (node.kind === 'map') return node;
  return report(where, node.at, `${what} must be a map`);
}

/** A text that is not empty. */
export function textOf(
  where: FileFindings,
  node: Located,
  what: string,
): (LocatedScalar & { value: string }) | undefined {
  if (node.kind === 'scalar' && typeof node.value === 'string' && node.value !== '') {
    return node as LocatedScalar & { value: string };
  }
  if (node.kind === 'scalar' && node.value === '') return report(where, node.at, `${what} is empty`);
  const isNumber =
    node.kind === 'scalar' && (typeof node.value === 'number' || typeof node.value === 'boolean');
  return report(
    where,
    node.at,
    `${what} must be a text${isNumber ? `: write it in quotes, '${node.value}'` : ''}`,
  );
}

export function numberOf(where: FileFindings, node: Located, what: string): number | undefined {
  if (node.kind === 'scalar' && typeof node.value === 'number') return node.value;
  return report(where, node.at, `${what} must be a number`);
}

export function flagOf(where: FileFindings, node: Located, what: string): boolean | undefined {
  if (node.kind === 'scalar' && typeof node.value === 'boolean') return node.value;
  return report(where, node.at, `${what} must be true or false`);
}

/** One of a closed set of words. */
export function wordOf<T extends string>(
  where: FileFindings,
  node: Located,
  what: string,
  words: readonly T[],
): T | undefined {
  const value = node.kind === 'scalar' ? node.value : undefined;
  if ((words as readonly unknown[]).includes(value)) return value as T;
  return report(where, node.at, `${what} must be one of ${words.join(', ')}${didYouMean(value, words)}`);
}

/** A required field. Its absence is reported at the name of the map. */
export function requiredOf(
  where: FileFindings,
  node: LocatedMap,
  key: string,
  owner: { readonly what: string; readonly at: Position },
): Located | undefined {
  const found = memberOf(node, key);
  return found === undefined ? report(where, owner.at, `${owner.what} needs '${key}'`) : found.value;
}

/** Reports unknown keys, each with the most similar known key. */
export function refuseOthers(
  where: FileFindings,
  node: LocatedMap,
  known: readonly string[],
  what: string,
): void {
  for (const { key, keyAt } of node.entries) {
    if (known.includes(key)) continue;
    report(where, keyAt, `${what} has no field '${key}'${nearestOf(key, known)}`);
  }
}

/** The entries of a map by name, as `jobs: {count: …}`. An empty value counts as a map without entries. */
export function entriesOf(where: FileFindings, node: Located | undefined, what: string): readonly Entry[] {
  if (node === undefined || (node.kind === 'scalar' && node.value === null)) return [];
  return mapOf(where, node, what)?.entries ?? [];
}
