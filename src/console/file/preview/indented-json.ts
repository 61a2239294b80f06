/**
 * JSON with a line for each member. The literals stay as they are written: numbers that JavaScript could not hold keep
 * all their digits.
 */
const INDENT = '  ';
/** limit: deeper documents would be mostly indentation; they are shown as they are. */
const LEVELS_MAX = 64;

/** Undefined: the text is not JSON, or too deep. */
export function indentedJson(text: string): string | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const out: string[] = [];
  let level = 0;
  const newLine = (): void => void out.push('\n', INDENT.repeat(level));
  // What parses consists of these tokens and white space.
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g)) {
    if (token === '{' || token === '[') {
      out.push(token);
      level += 1;
      if (level > LEVELS_MAX) return undefined;
      newLine();
    } else if (token === '}' || token === ']') {
      level -= 1;
      newLine();
      out.push(token);
    } else if (token === ',') {
      out.push(token);
      newLine();
    } else out.push(token === ':' ? ': ' : token);
  }
  return out.join('').replaceAll(/([{[])\n\s*([}\]])/g, '$1$2');
}
