/** A line of a service's log in words, for people who have not asked for a log. */

const SHOWN: ReadonlySet<unknown> = new Set(['warn', 'error', 'fatal']);

interface LogLine {
  readonly level?: unknown;
  readonly event?: unknown;
  readonly what?: unknown;
  readonly reason?: unknown;
  readonly error?: { readonly message?: unknown };
}

/** `disk full: the embedded database: no space left on device`. Undefined for lines that warn of nothing. */
export function wordsOf(line: string): string | undefined {
  const entry = parsed(line);
  // What other programs write there, such as Node itself when it cannot start.
  if (entry === undefined) return line.trim() === '' ? undefined : line;
  const { level, event, what, reason, error } = entry;
  if (!SHOWN.has(level)) return undefined;
  const parts = [String(event).replaceAll('_', ' '), what, reason ?? error?.message];
  return parts.filter((part) => typeof part === 'string' && part !== '').join(': ');
}

function parsed(line: string): LogLine | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
