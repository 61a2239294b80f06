/** The warnings of an accepted edit as a `Warning` header, because its answer has no body. */
import type { Problem } from '../../domain/validation.ts';

// limit: characters of the header; validation lists all warnings.
const CHARS_MAX = 2_000;

/** `299 millrace "NAME: description"` for each warning, separated by commas; no header if there are none. */
export function warningHeader(warnings: readonly Problem[]): Record<string, string> {
  if (warnings.length === 0) return {};
  const texts = warnings.map(({ name, description }) => {
    // Header values are printable ASCII; names of records may be anything.
    const plain = `${name}: ${description}`.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, "'");
    return `299 millrace "${plain.slice(0, CHARS_MAX)}"`;
  });
  let value = texts[0] as string;
  for (const text of texts.slice(1)) {
    if (value.length + text.length > CHARS_MAX) break;
    value += `, ${text}`;
  }
  return { warning: value };
}
