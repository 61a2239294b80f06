/** Vectors of resources: amounts by name. An absent name means zero. */
import type { Resources } from './scheduling-class.ts';

/** Sums of fractional cpus drift; smaller amounts count as zero. */
export const EPSILON = 1e-6;

/** The names in `wanted` of which `total` does not have enough. */
export function missingNames(wanted: Resources, total: Resources): string[] {
  return Object.keys(wanted).filter((name) => (wanted[name] ?? 0) > (total[name] ?? 0) + EPSILON);
}

export function add(into: Record<string, number>, amounts: Resources): void {
  for (const name in amounts) into[name] = (into[name] ?? 0) + (amounts[name] ?? 0);
}

export function subtract(from: Record<string, number>, amounts: Resources): void {
  for (const name in amounts) from[name] = (from[name] ?? 0) - (amounts[name] ?? 0);
}
