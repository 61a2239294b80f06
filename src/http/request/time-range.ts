/**
 * Ranges of time in the query (`started` and `ended`, or another such pair): instants with any offset, or durations
 * that mean "so long ago". The list decides what to compare them with.
 */
import { Type } from '@sinclair/typebox';
import { parseMoment } from '../../domain/times.ts';
import type { QueryPart, ReadContext } from './parameters.ts';

const DAY_MS = 86_400_000;

/** Midnight, UTC, a week ago: the default start of ranges where the interface says so. */
export function weekAgo(nowMs: number): number {
  return Math.floor(nowMs / DAY_MS) * DAY_MS - 7 * DAY_MS;
}

/** Both ends are inclusive. An absent end is no bound. */
export interface TimeRange {
  readonly startedMs: number | undefined;
  readonly endedMs: number | undefined;
}

export interface TimeRangeOptions {
  /** Names of the two parameters; `started` and `ended` when not given. */
  readonly names?: readonly [started: string, ended: string];
  readonly isStartRequired?: boolean;
  /** The default start, when neither end is given. */
  readonly startDefault?: (nowMs: number) => number;
  /** The longest range. With it both ends are always set: `ended` defaults to now. */
  readonly daysMax?: number;
}

/**
 * Reads a pair of times. `ended` counts as now when the range is checked. Ends that are equal or reversed, and ranges
 * longer than `daysMax`, are refused.
 */
export function timeRange(options: TimeRangeOptions = {}): QueryPart<TimeRange> {
  const [started, ended] = options.names ?? ['started', 'ended'];
  const schema = Type.String({ examples: ['2026-01-31T00:00:00Z', 'P1DT6H'] });
  const limit = options.daysMax === undefined ? '' : ` The range has at most ${options.daysMax} days.`;
  return {
    document: () => [
      {
        name: started,
        description: `Start of the range: an ISO-8601 instant, or a duration before now.${limit}`,
        schema,
        isRequired: options.isStartRequired ?? false,
      },
      { name: ended, description: 'End of the range, in the same two forms. Default: now.', schema },
    ],
    read: (_key, context) => {
      const { errorCount } = context.issues;
      let startedMs = readMoment(context, started);
      let endedMs = readMoment(context, ended);
      if (startedMs === undefined && options.isStartRequired && context.issues.errorCount === errorCount) {
        context.issues.error('MISSING_PARAMETER', started, 'is required');
      }
      if (context.issues.errorCount > errorCount) return undefined;
      startedMs ??= options.startDefault?.(context.nowMs);
      checkRange(context, [started, ended], startedMs, endedMs ?? context.nowMs, options.daysMax);
      if (options.daysMax !== undefined) endedMs ??= context.nowMs;
      return { startedMs, endedMs };
    },
  };
}

function readMoment(context: ReadContext, name: string): number | undefined {
  const text = context.query.last(name);
  if (text === undefined || text === '') return undefined;
  // A `+` that the client forgot to encode arrives as a space.
  const atMs = parseMoment(text.replace(/ (\d\d(?::?\d\d)?)$/, isClock(text) ? ' $1' : '+$1'), context.nowMs);
  if (atMs === undefined) {
    context.issues.error('NOT_A_TIME', name, 'must be an ISO-8601 instant with a zone, or a duration');
  }
  return atMs;
}

/** True for `2026-01-31 10:15`, whose space stands for the T and has no zone after it. */
function isClock(text: string): boolean {
  return /^\d{4}-\d\d-\d\d \d\d(:?\d\d)?$/.test(text);
}

function checkRange(
  context: ReadContext,
  [started, ended]: readonly [string, string],
  startedMs: number | undefined,
  endedMs: number,
  daysMax: number | undefined,
): void {
  if (startedMs === undefined) return;
  if (startedMs === endedMs)
    context.issues.error('EMPTY_RANGE', started, `${started} and ${ended} must be different`);
  else if (startedMs > endedMs)
    context.issues.error('REVERSED_RANGE', started, `${started} must come before ${ended}`);
  else if (daysMax !== undefined && endedMs - startedMs > daysMax * DAY_MS) {
    context.issues.error('RANGE_TOO_LONG', started, `the range must not be longer than ${daysMax} days`);
  }
}
