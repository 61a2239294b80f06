/** A logger that drops everything. */
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
