/** The logger that rooms are given. Declared here so that no adapter depends on its implementation. */

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
export type LogFields = Readonly<Record<string, unknown>>;

/** `event` is a constant name in snake_case; what varies goes into `fields`. Secrets are masked by key. */
export interface Logger {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
  fatal(event: string, fields?: LogFields): void;
  /** A logger that adds `fields` to every line and follows this one's level. */
  child(fields: LogFields): Logger;
  /** Takes effect at once, in this logger and in all loggers derived from it. */
  setLevel(level: LogLevel): void;
  readonly level: LogLevel;
}
