/** Vectors of resources: amounts by name. A name that is absent is zero. */
import type { Resources } from './scheduling-class.ts';

/** Sums of fractional cpus drift; less than this is nothing. */
export const EPSILON = 1e-6;

/** Names of `wanted` that `total` could never cover. */
export function missingNames(wanted: Resources, total: Resources): string[] {
  return Object.keys(wanted).filter((name) => (wanted[name] ?? 0) > (total[name] ?? 0) + EPSILON);
}

export function add(into: Record<string, number>, amounts: Resources): void {
  for (const name in amounts) into[name] = (into[name] ?? 0) + (amounts[name] ?? 0);
}

export function subtract(from: Record<string, number>, amounts: Resources): void {
  for (const name in amounts) from[name] = (from[name] ?? 0) - (amounts[name] ?? 0);
}
