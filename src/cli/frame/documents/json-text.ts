/** JSON for a terminal. */
import { UNSAFE } from '../escape.ts';

/** JSON in which all control characters are escaped; `JSON.stringify` escapes only those below U+0020. */
export function jsonText(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent).replace(UNSAFE, (char) =>
    char === '\n' ? char : uEscape(char),
  );
}

/** A UTF-16 unit as JSON and YAML escape it. */
export function uEscape(char: string): string {
  return `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}
