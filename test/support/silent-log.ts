/** A logger for tests that don't read logs. */
import type { Logger } from '../../src/lib/logger.ts';

export const silentLog: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  fatal: () => {},
  child: () => silentLog,
  setLevel: () => {},
  level: 'silent',
};
