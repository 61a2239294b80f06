/**
 * Times and durations as texts of the interface: ISO-8601 in, UTC out, milliseconds inside. Pure calendar arithmetic:
 * `nowMs` is passed in.
 */

const DAY_MS = 86_400_000;
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

/** Milliseconds since 1970 for a time with a zone (`Z` or any offset); undefined for any other text. */
export function parseInstant(text: string): number | undefined {
  const match = INSTANT.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0));
  if (year === undefined || month === undefined || day === undefined) return undefined;
  if (hour === undefined || minute === undefined || second === undefined) return undefined;
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysOfMonth(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const offset = offsetMinutes(match[8] ?? 'Z');
  if (offset === undefined) return undefined;
  const fractionMs = Math.floor(Number(`0.${match[7] ?? '0'}`) * 1000 + 1e-6);
  const minutes = hour * 60 + minute - offset;
  return dayNumber(year, month, day) * DAY_MS + minutes * 60_000 + second * 1000 + fractionMs;
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
  const days = Math.floor(atMs / DAY_MS);
  const { year, month, day } = dateOf(days);
  const monthIndex = year * 12 + (month - 1) - duration.months;
  const [toYear, toMonth] = [Math.floor(monthIndex / 12), (((monthIndex % 12) + 12) % 12) + 1];
  const toDay = Math.min(day, daysOfMonth(toYear, toMonth));
  return dayNumber(toYear, toMonth, toDay) * DAY_MS + (atMs - days * DAY_MS) - duration.ms;
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
  const days = Math.floor(atMs / DAY_MS);
  const ms = Math.floor(atMs - days * DAY_MS);
  const { year, month, day } = dateOf(days);
  const time = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60];
  const fraction = ms % 1000 === 0 ? '' : `.${String(ms % 1000).padStart(3, '0')}`;
  return `${pad(year, 4)}-${pad(month)}-${pad(day)}T${time.map((part) => pad(part)).join(':')}${fraction}Z`;
}

/** `2015/09/10`: the directories that a day has, in UTC. */
export function datePath(atMs: number): string {
  const { year, month, day } = dateOf(Math.floor(atMs / DAY_MS));
  return `${pad(year, 4)}/${pad(month)}/${pad(day)}`;
}

/** Days since 1970-01-01 of a date of the proleptic Gregorian calendar (eras of 400 years, March first). */
function dayNumber(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return (
    era * 146_097 +
    yearOfEra * 365 +
    Math.floor(yearOfEra / 4) -
    Math.floor(yearOfEra / 100) +
    dayOfYear -
    719_468
  );
}

function dateOf(dayNumber: number): { year: number; month: number; day: number } {
  const shifted = dayNumber + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const leapDays =
    Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthIndex = Math.floor((5 * dayOfYear + 2) / 153);
  const month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9;
  const day = dayOfYear - Math.floor((153 * monthIndex + 2) / 5) + 1;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

function daysOfMonth(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
}

function pad(value: number, width = 2): string {
  return String(value).padStart(width, '0');
}

const YEAR_ONE_MS = dayNumber(1, 1, 1) * DAY_MS;
