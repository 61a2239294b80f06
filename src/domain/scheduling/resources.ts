/** Vectors of resources: amounts by name. A name that is absent is zero. */
import type { Resources } from './scheduling-class.ts';

/** Sums of fractional cpus drift; less than this is nothing. */
const EPSILON = 1e-6;

/** Whether `free` covers every amount of `wanted`. */
export function fits(wanted: Resources, free: Resources): boolean {
  for (const name in wanted) {
    if ((wanted[name] ?? 0) > (free[name] ?? 0) + EPSILON) return false;
  }
  return true;
}

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

/** How full a node would be, 0..1: the greatest share of one resource that is taken once `wanted` is placed. */
export function fullness(wanted: Resources, free: Resources, total: Resources): number {
  let share = 0;
  for (const name in total) {
    const whole = total[name] ?? 0;
    if (whole <= 0) continue;
    share = Math.max(share, (whole - (free[name] ?? 0) + (wanted[name] ?? 0)) / whole);
  }
  return share;
}
