/** Translates the log levels of the scheduler's settings into the logger's levels. */
import type { LogLevel } from '../lib/logger.ts';

const LEVELS: ReadonlyMap<string, LogLevel> = new Map([
  ['DEBUG', 'debug'],
  ['INFO', 'info'],
  ['WARNING', 'warn'],
  ['ERROR', 'error'],
  ['CRITICAL', 'fatal'],
]);

/** Any other name counts as INFO. */
export function logLevelOf(name: string): LogLevel {
  return LEVELS.get(name) ?? 'info';
}
