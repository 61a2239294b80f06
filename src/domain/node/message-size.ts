/**
 * The size up to which launches, or reports, are gathered in one message of a session. A message on the wire has at
 * most `AGENT_MESSAGE_BYTES_MAX` bytes. A single launch or report may be almost as large, and then has a message of its
 * own.
 */

// limit: launches, or reports, in one message.
export const TOGETHER_MAX = 100;
// limit: characters of the launches, or reports, in one message, unless a single one has more. On the wire a character
// takes three bytes at most.
export const TOGETHER_CHARS_MAX = 256 * 1024;
/** An estimate for a number, and for what a field takes beside its value. */
const FIELD_CHARS = 8;

/** An estimate of the characters of a message or a part of it. It walks over all fields, so that none is forgotten. */
export function charsIn(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return FIELD_CHARS;
  let chars = 0;
  for (const name in value) {
    chars += name.length + FIELD_CHARS + charsIn((value as Record<string, unknown>)[name]);
  }
  return chars;
}
