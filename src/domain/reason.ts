/** The text of a record's `reason`: why something failed, waits or was skipped. */

/** limit: characters of a reason. */
export const REASON_CHARS_MAX = 2_000;

/**
 * Escape sequences of terminals, and all control characters except the line break and the tab. Neither the database nor
 * a terminal would take them as text.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds them
const CONTROLS = /\u001b\[[0-9;?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * The text as it is stored, from any source: without control characters or unpaired surrogates, and within the limit.
 */
export function reasonText(text: string, charsMax = REASON_CHARS_MAX): string {
  const clean = text
    .slice(0, charsMax * 2)
    .replace(CONTROLS, '')
    .toWellFormed();
  return clean.length <= charsMax && text.length <= charsMax * 2
    ? clean
    : `${clean.slice(0, charsMax - 1).toWellFormed()}…`;
}
