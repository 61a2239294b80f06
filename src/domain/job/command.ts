/**
 * A manifest's command as an argument vector. The template is first split into words, as a POSIX shell splits it
 * (quotes, backslashes). Placeholders are then expanded inside the words, so a value is never split, and no shell runs
 * anything.
 *
 * Placeholders: `$NAME`, `${NAME}`, `${NAME/#/PREFIX}` (PREFIX before the value when NAME is set). An unset NAME is
 * empty; a word that is empty only for that reason is dropped. Single quotes keep `$` literal.
 */
import { environmentName } from '../manifest/manifest.ts';

/** A piece of a word. Blanks of a prefix outside quotes end the word, as in `${X/#/-o }`. */
type Piece =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'variable'; readonly name: string; readonly prefix: string; readonly isQuoted: boolean };
interface Word {
  readonly pieces: readonly Piece[];
  readonly isQuoted: boolean;
}

const BLANK = /\s/;
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*/;
const BRACED = /^\{([A-Za-z0-9_-]+)(?:\/#\/([^}]*))?\}/;

/** The arguments of the command, in order. `environment` has the variables by their normalised names. */
export function expandCommand(template: string, environment: ReadonlyMap<string, string>): string[] {
  return wordsOf(template).flatMap((word) => expandWord(word, environment));
}

function wordsOf(template: string): Word[] {
  const words: Word[] = [];
  let index = 0;
  while (index < template.length) {
    if (BLANK.test(template.charAt(index))) {
      index += 1;
      continue;
    }
    const { word, end } = wordAt(template, index);
    words.push(word);
    index = end;
  }
  return words;
}

function wordAt(template: string, start: number): { word: Word; end: number } {
  const pieces: Piece[] = [];
  let [index, text, isQuoted] = [start, '', false];
  let quote = '';
  const flush = (): void => {
    if (text !== '') pieces.push({ type: 'text', text });
    text = '';
  };
  for (; index < template.length; index += 1) {
    const character = template.charAt(index);
    if (quote === '' && BLANK.test(character)) break;
    if (character === quote) {
      quote = '';
    } else if (quote === '' && (character === '"' || character === "'")) {
      [quote, isQuoted] = [character, true];
    } else if (character === '\\' && quote !== "'" && index + 1 < template.length) {
      const next = template.charAt(index + 1);
      text += quote === '"' && !'"\\$`'.includes(next) ? `\\${next}` : next;
      index += 1;
    } else if (character === '$' && quote !== "'") {
      const found = placeholderAt(template, index + 1, quote === '"');
      if (found === undefined) {
        text += character;
      } else {
        flush();
        pieces.push(found.piece);
        index += found.length;
      }
    } else {
      text += character;
    }
  }
  flush();
  return { word: { pieces, isQuoted }, end: index };
}

/** The placeholder after a `$`; undefined if there is none and the sign is literal. */
function placeholderAt(
  template: string,
  index: number,
  isQuoted: boolean,
): { piece: Piece; length: number } | undefined {
  const rest = template.slice(index, index + 2_000);
  const braced = BRACED.exec(rest);
  if (braced !== null) {
    const [whole, name = '', prefix = ''] = braced;
    return { piece: { type: 'variable', name, prefix, isQuoted }, length: whole.length };
  }
  const name = PLAIN_NAME.exec(rest)?.[0];
  if (name === undefined) return undefined;
  return { piece: { type: 'variable', name, prefix: '', isQuoted }, length: name.length };
}

function expandWord(word: Word, environment: ReadonlyMap<string, string>): string[] {
  const results = [''];
  let isEmptyByUnset = !word.isQuoted;
  const append = (text: string): void => {
    results.push((results.pop() ?? '') + text);
  };
  for (const piece of word.pieces) {
    if (piece.type === 'text') {
      append(piece.text);
      isEmptyByUnset = false;
      continue;
    }
    const value = environment.get(piece.name) ?? environment.get(environmentName(piece.name));
    if (value === undefined) continue;
    isEmptyByUnset = false;
    const parts = piece.isQuoted ? [piece.prefix] : piece.prefix.split(/\s+/);
    for (const [index, part] of parts.entries()) {
      if (index > 0) results.push('');
      append(part);
    }
    append(value);
  }
  if (isEmptyByUnset) return [];
  // A prefix that begins with a blank leaves an empty word before it, which the manifest does not contain.
  return results.filter((result, index) => result !== '' || index === results.length - 1);
}
