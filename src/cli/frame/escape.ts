/** Escapes foreign text for a terminal: file names, reasons and outputs of tasks may contain anything. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped
export const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Escapes control characters, and those that change the direction of text. */
export function escapeControls(text: string): string {
  return text.replace(UNSAFE, (char) => SHORT[char] ?? escapeOf(char));
}

/** As `escapeControls`, but keeps line breaks. */
export function escapeLines(text: string): string {
  return text.split('\n').map(escapeControls).join('\n');
}

function escapeOf(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  return code < 256 ? `\\x${digits.padStart(2, '0')}` : `\\u${digits.padStart(4, '0')}`;
}
