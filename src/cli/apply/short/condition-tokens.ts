/** Splits a condition into words, signs and literals, each with its offset. */

export type Token =
  | { readonly kind: 'word'; readonly text: string; readonly offset: number }
  /** Names between dots: `count.WORDS`, `in.TEXT.meta."my key"`. */
  | { readonly kind: 'reference'; readonly steps: readonly string[]; readonly offset: number }
  | { readonly kind: 'literal'; readonly value: string | number | boolean; readonly offset: number }
  | { readonly kind: 'sign'; readonly text: string; readonly offset: number }
  | { readonly kind: 'end'; readonly offset: number };

/** What is wrong with a text, and where in it. */
export interface Fault {
  readonly offset: number;
  readonly message: string;
}

const BLANKS = /\s+/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y;
const NAME = /[A-Za-z_][A-Za-z0-9_-]*/y;
const STEP = /\.(?:([A-Za-z0-9_-]+)|"([^"]*)"|'([^']*)')/y;
const TEXT = /"((?:[^"\\]|\\["\\])*)"|'((?:[^'\\]|\\['\\])*)'/y;
const SIGN = /<=|>=|==|!=|[<>[\],]/y;

/** Signs of other languages, and what to write instead. */
const HABITS: readonly (readonly [sign: string, message: string])[] = [
  ['===', `write '==' instead of '==='`],
  ['!==', `write '!=' instead of '!=='`],
  ['=>', `write '>=' instead of '=>'`],
  ['=<', `write '<=' instead of '=<'`],
  ['&&', `write 'and' instead of '&&'`],
  ['||', `write 'or' instead of '||'`],
  ['<>', `write '!=' instead of '<>'`],
  ['=', `write '==' instead of '='`],
  ['!', `write '!=' or 'not in' instead of '!'`],
  ['(', `parentheses are not accepted: a condition is comparisons joined by only 'and' or only 'or'`],
  [')', `parentheses are not accepted: a condition is comparisons joined by only 'and' or only 'or'`],
];

/** The tokens, the last of them the end; or the first character that belongs to none. */
export function tokensOf(text: string): readonly Token[] | Fault {
  const tokens: Token[] = [];
  let offset = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = offset;
    return pattern.exec(text);
  };
  while (true) {
    offset += match(BLANKS)?.[0].length ?? 0;
    if (offset >= text.length) return [...tokens, { kind: 'end', offset: text.length }];
    const habit = habitAt(text, offset);
    if (habit !== undefined) return { offset, message: habit };
    const number = match(NUMBER)?.[0];
    const quoted = match(TEXT);
    const sign = match(SIGN)?.[0];
    if (number !== undefined) {
      tokens.push({ kind: 'literal', value: Number(number), offset });
      offset += number.length;
    } else if (quoted !== null) {
      const value = (quoted[1] ?? quoted[2] ?? '').replace(/\\(.)/g, '$1');
      tokens.push({ kind: 'literal', value, offset });
      offset += quoted[0].length;
    } else if (sign !== undefined) {
      tokens.push({ kind: 'sign', text: sign, offset });
      offset += sign.length;
    } else {
      const name = match(NAME)?.[0];
      if (name === undefined) return { offset, message: strange(text, offset) };
      const start = offset;
      const steps = [name];
      offset += name.length;
      for (let step = match(STEP); step !== null; step = match(STEP)) {
        steps.push(step[1] ?? step[2] ?? step[3] ?? '');
        offset += step[0].length;
      }
      if (text[offset] === '.') return { offset, message: `a name is expected after '.'` };
      tokens.push(steps.length > 1 ? { kind: 'reference', steps, offset: start } : wordOf(name, start));
    }
  }
}

function habitAt(text: string, offset: number): string | undefined {
  const isSign = /^[<>!=]=(?!=)/.test(text.slice(offset, offset + 3));
  return isSign ? undefined : HABITS.find(([sign]) => text.startsWith(sign, offset))?.[1];
}

function wordOf(text: string, offset: number): Token {
  if (text === 'true' || text === 'false') return { kind: 'literal', value: text === 'true', offset };
  return { kind: 'word', text, offset };
}

function strange(text: string, offset: number): string {
  const character = String.fromCodePoint(text.codePointAt(offset) ?? 0);
  if (character === '"' || character === "'") return `the text in quotes does not end`;
  if (/[\d-]/.test(character)) return 'this is not a JSON number';
  return `'${character}' has no meaning in a condition`;
}
