/** Durations and instants as people read them. Instants are shown in the browser's time zone. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Two units at most: `1.2 s`, `3 min 20 s`, `2 h 5 min`, `4 d 3 h`. What is too short to be measured is no zero. */
export function duration(ms: number): string {
  if (ms < 1) return 'under 1 ms';
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < 10 * SECOND) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return two(ms, [MINUTE, 'min'], [SECOND, 's']);
  if (ms < DAY) return two(ms, [HOUR, 'h'], [MINUTE, 'min']);
  return two(ms, [DAY, 'd'], [HOUR, 'h']);
}

/** As a point of an axis, or as a sum: nothing is zero there. */
export function durationFromZero(ms: number): string {
  return ms === 0 ? '0 s' : duration(ms);
}

/** A time that is measured in whole seconds. */
export function wholeSeconds(seconds: number): string {
  return seconds < 1 ? 'under 1 s' : duration(seconds * SECOND);
}

type Unit = readonly [ms: number, name: string];

function two(ms: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const rest = Math.floor((ms % large) / small);
  const first = `${Math.floor(ms / large)} ${largeName}`;
  return rest === 0 ? first : `${first} ${rest} ${smallName}`;
}

/** An ISO 8601 duration of days and less, as in answers of the interface; null: nothing was measured. */
export function isoDuration(text: string | null): string {
  const parts = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?$/.exec(text ?? '');
  if (parts === null) return text ?? '–';
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  const total = days * DAY + hours * HOUR + minutes * MINUTE + seconds * SECOND;
  return wholeSeconds(total / SECOND);
}

const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const SHORT_DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const LONG = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' });

/** `14:03:20` on the same day, `21 Nov 14:03:20` in the same year, else `21 Nov 2025 14:03:20`. */
export function instant(atMs: number, nowMs: number): string {
  const time = CLOCK.format(atMs);
  const [at, now] = [new Date(atMs), new Date(nowMs)];
  if (at.toDateString() === now.toDateString()) return time;
  const date = at.getFullYear() === now.getFullYear() ? SHORT_DATE : DATE;
  return `${date.format(atMs)} ${time}`;
}

/** `14:03` of a whole minute, else as `instant`: the time of a figure that is counted by the minute or the hour. */
export function minuteOrInstant(atMs: number, nowMs: number): string {
  const text = instant(atMs, nowMs);
  return atMs % MINUTE === 0 ? text.slice(0, -':00'.length) : text;
}

/** With the date, the year and the time zone. */
export function instantInFull(atMs: number): string {
  return LONG.format(atMs);
}

/** `3 min ago`: only the largest unit. */
export function ago(atMs: number, nowMs: number): string {
  const ms = nowMs - atMs;
  if (ms < 5 * SECOND) return 'now';
  for (const [unit, name] of [
    [DAY, 'd'],
    [HOUR, 'h'],
    [MINUTE, 'min'],
    [SECOND, 's'],
  ] as const) {
    if (ms >= unit) return `${Math.floor(ms / unit)} ${name} ago`;
  }
  return 'now';
}
