/**
 * Times and durations as texts of the interface: ISO-8601 in, UTC out, milliseconds inside. The runtime's `Date` knows
 * the calendar; `nowMs` is passed in.
 */

const DAY_MS = 86_400_000;
const YEAR_ONE_MS = Date.parse('0001-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');
const INSTANT =
  /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|z|[+-]\d\d(?::?\d\d)?)$/;
const DURATION = new RegExp(
  '^P(?:N(Y))?(?:N(M))?(?:N(W))?(?:N(D))?(T(?:N(H))?(?:N(M))?(?:N(S))?)?$'.replace(
    /N\((\w)\)/g,
    '(\\d{1,12}(?:[.,]\\d{1,9})?)$1',
  ),
);

/** A calendar duration: a month is as long as the month that it is subtracted from. */
export interface Duration {
  readonly months: number;
  readonly ms: number;
}

/**
 * Milliseconds since 1970 for a time with a zone (`Z` or any offset); undefined for any other text, and for a time that
 * is in UTC before the year 1 or after 9999, which `formatInstant` could not write.
 */
export function parseInstant(text: string): number | undefined {
  const match = INSTANT.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  if (year < 1 || hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  // A day that the calendar lacks has become another one.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const offset = offsetMinutes(match[8] ?? 'Z');
  if (offset === undefined) return undefined;
  const fractionMs = Math.floor(Number(`0.${match[7] ?? '0'}`) * 1000 + 1e-6);
  const atMs = date.getTime() + (hour * 60 + minute - offset) * 60_000 + second * 1000 + fractionMs;
  return atMs >= YEAR_ONE_MS && atMs <= LAST_MS ? atMs : undefined;
}

function offsetMinutes(zone: string): number | undefined {
  if (zone === 'Z' || zone === 'z') return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3).replace(':', '') || '0')];
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

/**
 * A duration with any ISO-8601 units (`P1Y2M3W4DT5H6M7.5S`), or undefined. Fractions are accepted in every unit; the
 * fraction of a month counts 30 days. `P` alone is invalid, and so is a `T` without a unit after it.
 */
export function parseDuration(text: string): Duration | undefined {
  const match = DURATION.exec(text);
  if (match === null || match[5] === 'T') return undefined;
  const amount = (index: number): number => Number((match[index] ?? '0').replace(',', '.'));
  const months = amount(1) * 12 + amount(2);
  const whole = Math.floor(months);
  const days = (months - whole) * 30 + amount(3) * 7 + amount(4);
  const ms = days * DAY_MS + amount(6) * 3_600_000 + amount(7) * 60_000 + amount(8) * 1000;
  return { months: whole, ms: Math.round(ms) };
}

/** The time `duration` before `atMs`. A day that the month lacks becomes its last day. */
export function before(atMs: number, duration: Duration): number {
  const date = new Date(atMs);
  const day = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() - duration.months);
  if (date.getUTCDate() !== day) date.setUTCDate(0);
  return date.getTime() - duration.ms;
}

/** A time, or a duration that means "this long ago"; undefined if it is neither or before the year 1. */
export function parseMoment(text: string, nowMs: number): number | undefined {
  if (!text.startsWith('P')) return parseInstant(text);
  const duration = parseDuration(text);
  if (duration === undefined) return undefined;
  const atMs = before(nowMs, duration);
  return atMs >= YEAR_ONE_MS ? atMs : undefined;
}

/** `2015-09-10T15:24:53.503Z`; the fraction is left out when it is zero. Years 1 to 9999. */
export function formatInstant(atMs: number): string {
  return new Date(atMs).toISOString().replace('.000Z', 'Z');
}

/** The time of a file, which can be of any year: the nearest one of the years 1 to 9999. */
export function formatFileTime(atMs: number): string {
  return new Date(Math.min(Math.max(atMs, YEAR_ONE_MS), LAST_MS)).toISOString();
}

/** `2015/09/10`: the directories that a day has, in UTC. */
export function datePath(atMs: number): string {
  const date = new Date(atMs);
  return [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()]
    .map((part, index) => String(part).padStart(index === 0 ? 4 : 2, '0'))
    .join('/');
}
