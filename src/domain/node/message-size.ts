/**
 * How much of a message on a session several things may fill together. A message on the wire has at most
 * `AGENT_MESSAGE_BYTES_MAX` bytes, and a single launch or report may be almost as large: it travels alone.
 */

// limit: launches, or reports, in one message.
export const TOGETHER_MAX = 100;
// limit: characters of the launches, or reports, in one message, unless a single one has more. On the wire a character
// takes three bytes at most.
export const TOGETHER_CHARS_MAX = 256 * 1024;
/** About what a number, or a field beside its value, takes. */
const FIELD_CHARS = 8;

/** About as many characters as a plain value of a message takes, with all that is in it: no field can be forgotten. */
export function charsIn(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return FIELD_CHARS;
  let chars = 0;
  for (const name in value) {
    chars += name.length + FIELD_CHARS + charsIn((value as Record<string, unknown>)[name]);
  }
  return chars;
}
