/**
 * Time limits of test files: five times the time on a quiet machine, so that no file fails on a busy machine, and a
 * hang still ends. `npm test -- --record` writes the quiet times.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const QUIET_TIMES = join(import.meta.dirname, 'quiet-times.json');
const FACTOR = 5;
/**
 * The least limit, because in short files the time for starting processes and connections varies by more than the
 * factor.
 */
const LEAST_MS = 60_000;
/** Files that have no quiet time yet. */
export const UNKNOWN_MS = 300_000;
/**
 * The simulation is bounded by seeds and virtual steps, so only its time without output is limited: it prints each
 * seed, and a seed that takes so long is an endless loop.
 */
const STEP_BOUND = 'test/sim/';
const SILENCE_MS = 900_000;
/** tap ends a file's unfinished subtest by name shortly before the file's limit. */
const TAP_AHEAD_MS = 5_000;

/** Seconds by file, relative to the project. */
export type QuietTimes = Readonly<Record<string, number>>;

export interface FileLimit {
  /** `silence` counts from the last output, `total` from the start. */
  readonly counts: 'total' | 'silence';
  readonly ms: number;
  /** For TAP_TIMEOUT, in seconds. 0 is no limit. */
  readonly tapSeconds: number;
}

/** For runs of hours, which are ended by their own limits or by their caller. */
export const UNLIMITED: FileLimit = { counts: 'total', ms: Number.POSITIVE_INFINITY, tapSeconds: 0 };

export function readQuietTimes(): QuietTimes {
  return JSON.parse(readFileSync(QUIET_TIMES, 'utf8')) as QuietTimes;
}

export function limitOf(file: string, quietTimes: QuietTimes): FileLimit {
  if (file.startsWith(STEP_BOUND)) return { counts: 'silence', ms: SILENCE_MS, tapSeconds: 0 };
  const quietSeconds = quietTimes[file];
  const ms =
    quietSeconds === undefined ? UNKNOWN_MS : Math.max(LEAST_MS, Math.ceil(quietSeconds * FACTOR * 1_000));
  return { counts: 'total', ms, tapSeconds: Math.ceil((ms - TAP_AHEAD_MS) / 1_000) };
}

/** Keeps the times of files that passed; files that are gone from `existing` are dropped. */
export function mergedQuietTimes(
  before: QuietTimes,
  results: readonly {
    readonly file: string;
    readonly tookMs: number;
    readonly failures: readonly unknown[];
  }[],
  existing: ReadonlySet<string>,
): QuietTimes {
  const times = new Map(Object.entries(before).filter(([file]) => existing.has(file)));
  for (const { file, tookMs, failures } of results)
    if (failures.length === 0) times.set(file, Math.ceil(tookMs / 1_000));
  return Object.fromEntries([...times].sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function writeQuietTimes(times: QuietTimes): void {
  writeFileSync(QUIET_TIMES, `${JSON.stringify(times, null, 2)}\n`);
}
