/**
 * Translates file name expressions from Python's syntax to JavaScript's. Text to text: the evaluator decides whether an
 * engine accepts the result, and runs it in linear time.
 *
 * Some parts are kept although Python reads them a little differently: `\d`, `\w`, `\s` mean ASCII digits, words and
 * JavaScript's blanks, and `$` is the very end (Python allows one line feed after it).
 */

/** An expression in JavaScript's syntax. `flags` consists of i, m and s. */
export interface TranslatedPattern {
  readonly source: string;
  readonly flags: string;
}

export const PATTERN_CHARS_MAX = 1_000;

const INLINE_FLAGS = /^\(\?([a-zA-Z]+)\)/;
const NAMED_GROUP = /^\(\?P<([A-Za-z_]\w*)>/;
const NAMED_REFERENCE = /^\(\?P=([A-Za-z_]\w*)\)/;
const OPEN_REPEAT = /^\{,(\d+)\}/;
/** Letters with a meaning after a backslash in both languages; other letters are an error in Python. */
const ESCAPES: ReadonlySet<string> = new Set('bBdDsSwWnrtfvxuk');

/** The translation, or the reason why there is none (completes "the expression …"). */
export function translatePattern(pattern: string): TranslatedPattern | string {
  if (pattern.length > PATTERN_CHARS_MAX) return `has more than ${PATTERN_CHARS_MAX} characters`;
  let flags = '';
  let rest = pattern;
  for (let inline = INLINE_FLAGS.exec(rest); inline !== null; inline = INLINE_FLAGS.exec(rest)) {
    for (const flag of inline[1] ?? '') {
      if ('ims'.includes(flag)) flags += flags.includes(flag) ? '' : flag;
      else if (!'au'.includes(flag)) return `has the flag '${flag}', which is not supported`;
    }
    rest = rest.slice(inline[0].length);
  }
  const source = translateBody(rest, flags.includes('m'));
  return source.problem === undefined ? { source: source.text, flags } : source.problem;
}

interface Translation {
  readonly text: string;
  readonly problem?: string;
}

function translateBody(body: string, isMultiline: boolean): Translation {
  let text = '';
  let isInClass = false;
  for (let index = 0; index < body.length; index += 1) {
    const character = body.charAt(index);
    if (character === '\\') {
      const escaped = translateEscape(body.charAt(index + 1), isInClass, isMultiline);
      if (escaped.problem !== undefined) return escaped;
      text += escaped.text;
      index += 1;
    } else if (isInClass) {
      isInClass = character !== ']';
      text += character;
    } else if (character === '[') {
      // In Python a bracket that comes first in a class is a member of the class.
      const opening = /^\[\^?\]?/.exec(body.slice(index, index + 3))?.[0] ?? '[';
      text += opening.replace(']', '\\]');
      index += opening.length - 1;
      isInClass = true;
    } else {
      const group = translateGroup(body.slice(index, index + PATTERN_CHARS_MAX));
      if (group === undefined) {
        text += character;
      } else {
        text += group.text;
        index += group.length - 1;
      }
    }
  }
  return { text };
}

function translateEscape(letter: string, isInClass: boolean, isMultiline: boolean): Translation {
  if (letter === '') return { text: '', problem: 'ends with a backslash' };
  if (letter === 'a') return { text: '\\x07' };
  if (letter === 'A' || letter === 'Z') {
    if (isInClass || isMultiline)
      return { text: '', problem: `has '\\${letter}' in a class or with the flag m` };
    return { text: letter === 'A' ? '^' : '$' };
  }
  if (/[A-Za-z]/.test(letter) && !ESCAPES.has(letter)) {
    return { text: '', problem: `has the escape '\\${letter}', which is not known` };
  }
  return { text: `\\${letter}` };
}

/** Groups, references, comments and open repeats that the two languages write differently. */
function translateGroup(rest: string): { text: string; length: number } | undefined {
  const named = NAMED_GROUP.exec(rest);
  if (named !== null) return { text: `(?<${named[1]}>`, length: named[0].length };
  const reference = NAMED_REFERENCE.exec(rest);
  if (reference !== null) return { text: `\\k<${reference[1]}>`, length: reference[0].length };
  const repeat = OPEN_REPEAT.exec(rest);
  if (repeat !== null) return { text: `{0,${repeat[1]}}`, length: repeat[0].length };
  if (!rest.startsWith('(?#')) return undefined;
  const end = rest.indexOf(')');
  return end === -1 ? undefined : { text: '', length: end + 1 };
}
