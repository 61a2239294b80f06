/**
 * Translates a file name pattern (`*.txt`) to an expression of the contract, which matches from the start of a name or
 * path, and here also to its end. `*` and `?` do not match `/`; `**` matches whole directories.
 */
import { PATTERN_CHARS_MAX } from '../../../domain/pattern/pattern.ts';
import type { Fault } from './condition-tokens.ts';

export interface TranslatedGlob {
  readonly regex: string;
  /** The pattern has a slash: it is matched with the path in the workspace, not with the base name. */
  readonly isPath: boolean;
}

const SPECIAL = /[\\^$.*+?()[\]{}|]/;

/** The expression, or the pattern's fault with its offset. Never throws. */
export function translateGlob(glob: string): TranslatedGlob | Fault {
  if (glob === '') return { offset: 0, message: 'the pattern is empty' };
  if (glob.startsWith('/'))
    return { offset: 0, message: `a path begins without '/': it is relative to the workspace` };
  let [body, index, isInBraces] = ['', 0, -1];
  while (index < glob.length) {
    const character = String.fromCodePoint(glob.codePointAt(index) ?? 0);
    if (character === '*') {
      const [text, length] = starsAt(glob, index);
      body += text;
      index += length;
      continue;
    }
    if (character === '[') {
      const found = classAt(glob, index);
      if ('message' in found) return found;
      body += found.text;
      index += found.length;
      continue;
    }
    if (character === '{') {
      if (isInBraces !== -1) return { offset: index, message: `'{' inside '{…}' is not accepted` };
      isInBraces = index;
      body += '(?:';
    } else if (character === '}' && isInBraces !== -1) {
      isInBraces = -1;
      body += ')';
    } else if (character === ',' && isInBraces !== -1) body += '|';
    else if (character === '?') body += '[^/]';
    else if (character === '\\') {
      const next = glob.charAt(index + 1);
      if (next === '') return { offset: index, message: 'the pattern ends with a backslash' };
      body += escaped(next);
      index += 1;
    } else body += escaped(character);
    index += character.length;
  }
  if (isInBraces !== -1) return { offset: isInBraces, message: `'{' has no '}'` };
  const regex = `${body}$`;
  if (regex.length > PATTERN_CHARS_MAX) {
    return {
      offset: 0,
      message: `the pattern is too long: its expression has more than ${PATTERN_CHARS_MAX} characters`,
    };
  }
  return { regex, isPath: glob.includes('/') };
}

/** `**` between slashes is any directories, at the end any path; one or more stars otherwise any text without `/`. */
function starsAt(glob: string, index: number): readonly [text: string, length: number] {
  const length = /^\*+/.exec(glob.slice(index))?.[0].length ?? 1;
  const isWhole = length === 2 && (index === 0 || glob[index - 1] === '/');
  if (isWhole && glob[index + 2] === '/') return ['(?:[^/]+/)*', 3];
  if (isWhole && index + 2 === glob.length) return ['(?:[^/]+/)*[^/]+', 2];
  return ['[^/]*', length];
}

function classAt(glob: string, index: number): { readonly text: string; readonly length: number } | Fault {
  const isNegated = glob[index + 1] === '!' || glob[index + 1] === '^';
  const first = index + (isNegated ? 2 : 1);
  // A bracket at the beginning is a member of the class.
  const end = glob.indexOf(']', first + 1);
  if (end === -1) return { offset: index, message: `'[' has no ']'` };
  const members = glob.slice(first, end);
  if (members.includes('/'))
    return { offset: first + members.indexOf('/'), message: `'/' inside '[…]' is not accepted` };
  const range = /(.)-(.)/gsu;
  for (const [whole, low = '', high = ''] of members.matchAll(range)) {
    if (low > high) return { offset: first + members.indexOf(whole), message: `'${whole}' is not a range` };
  }
  const text = members.replace(/[\\\][^]/g, '\\$&');
  return { text: isNegated ? `[^/${text}]` : `[${text}]`, length: end + 1 - index };
}

function escaped(character: string): string {
  return SPECIAL.test(character) ? `\\${character}` : character;
}
