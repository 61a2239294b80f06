/**
 * Reads a TypeScript file as far as tidying needs it: its text with comments blanked, its text with comments
 * and strings blanked, its imports, its functions' lengths. A scanner, not a compiler: what biome formats is
 * what it meets.
 */

export interface Import {
  readonly specifier: string;
  readonly isTypeOnly: boolean;
  readonly line: number;
}

export interface FunctionSpan {
  readonly line: number;
  readonly length: number;
}

export interface Source {
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
  /** The text with comments and the inside of strings turned to spaces; line numbers are kept. */
  readonly code: string;
  readonly imports: readonly Import[];
  readonly functions: readonly FunctionSpan[];
}

export function readSource(path: string, text: string): Source {
  const { code, withoutComments } = blank(text);
  return {
    path,
    text,
    lines: text.split('\n'),
    code,
    imports: findImports(withoutComments, code),
    functions: findFunctions(code),
  };
}

export function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let index = text.indexOf('\n'); index !== -1 && index < offset; index = text.indexOf('\n', index + 1))
    line += 1;
  return line;
}

interface Blanked {
  readonly code: string;
  readonly withoutComments: string;
}

/** One alternative a token; what matches none is code. */
const TOKEN = new RegExp(
  [
    /\/\/[^\n]*|\/\*[\s\S]*?\*\//, // comments
    /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/, // strings
    // A regular expression follows an operator or a keyword; a division does not.
    /(?<=(?:^|[(,=:[!&|?{};\n>]|\breturn|\btypeof)\s*)\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/,
    /`|[{}]/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

function blank(text: string): Blanked {
  // By code units, as offsets count.
  const code = text.split('');
  const withoutComments = text.split('');
  const wipe = (target: string[], from: number, to: number) => {
    for (let index = from; index < to; index += 1) if (target[index] !== '\n') target[index] = ' ';
  };
  // Templates nest: the stack holds, for each open one, the depth of braces at which its `${` began.
  const templates: number[] = [];
  let depth = 0;
  let position = 0;
  const template = (from: number): number => {
    const end = templateEnd(text, from);
    wipe(code, from, end.at + (end.isSubstitution ? 2 : 0));
    if (end.isSubstitution) templates.push(depth);
    return end.at + (end.isSubstitution ? 2 : 1);
  };
  while (position < text.length) {
    TOKEN.lastIndex = position;
    const match = TOKEN.exec(text);
    if (match === null) break;
    const token = match[0];
    const end = match.index + token.length;
    position = end;
    if (token.startsWith('//') || token.startsWith('/*')) {
      wipe(code, match.index, end);
      wipe(withoutComments, match.index, end);
    } else if (token === '`') position = template(end);
    else if (token === '{') depth += 1;
    else if (token === '}' && templates.length > 0 && templates.at(-1) === depth) {
      templates.pop();
      code[match.index] = ' ';
      position = template(end);
    } else if (token === '}') depth -= 1;
    else wipe(code, match.index + 1, end - 1);
  }
  return { code: code.join(''), withoutComments: withoutComments.join('') };
}

/**
 * Where the text of a template ends: at its backtick, or at a `${`, whose two characters are left out of the
 * code.
 */
function templateEnd(text: string, from: number): { at: number; isSubstitution: boolean } {
  for (let index = from; index < text.length; index += 1) {
    if (text[index] === '\\') index += 1;
    else if (text[index] === '`') return { at: index, isSubstitution: false };
    else if (text[index] === '$' && text[index + 1] === '{') return { at: index, isSubstitution: true };
  }
  return { at: text.length, isSubstitution: false };
}

const STATIC =
  /^[ \t]*(?:import|export)\b([^;'"]*?)\bfrom\s*(['"])([^'"\n]+)\2|^[ \t]*import\s*(['"])([^'"\n]+)\4/gm;
const DYNAMIC = /\b(?:import|require|import\.meta\.resolve)\(\s*(['"])([^'"\n]+)\1\s*[,)]/g;
/** An entry that another process or thread starts: `new URL('./worker.ts', import.meta.url)`. */
const ENTRY = /new URL\(\s*(['"])(\.[^'"\n]+\.ts)\1,\s*import\.meta\.url\s*\)/g;

function findImports(text: string, code: string): Import[] {
  const found: Import[] = [];
  const isCode = (offset: number, word: string) =>
    code.startsWith(word, offset + (text.slice(offset).match(/^\s*/)?.[0].length ?? 0));
  for (const match of text.matchAll(STATIC)) {
    if (!isCode(match.index, 'import') && !isCode(match.index, 'export')) continue; // inside a template
    const clause = match[1] ?? '';
    found.push({
      specifier: match[3] ?? match[5] ?? '',
      isTypeOnly: isTypeClause(clause),
      line: lineOf(text, match.index),
    });
  }
  for (const match of text.matchAll(DYNAMIC)) {
    if (code[match.index] === ' ') continue;
    found.push({ specifier: match[2] ?? '', isTypeOnly: false, line: lineOf(text, match.index) });
  }
  for (const match of text.matchAll(ENTRY)) {
    if (code[match.index] === ' ') continue;
    found.push({ specifier: match[2] ?? '', isTypeOnly: false, line: lineOf(text, match.index) });
  }
  return found;
}

/** `import type {…}`, and `import { type A, type B }`. */
function isTypeClause(clause: string): boolean {
  if (/^\s*type\b(?!\s*,|\s*from)/.test(clause)) return true;
  const names = /^\s*\{([^}]*)\}\s*$/
    .exec(clause)?.[1]
    ?.split(',')
    .filter((name) => name.trim() !== '');
  return names !== undefined && names.length > 0 && names.every((name) => /^\s*type\s/.test(name));
}

const NO_FUNCTION = /(?:^|[^.\w])(?:if|for|while|switch|catch|with)\s*(?:await\s*)?$/;

/**
 * A brace opens a function's body when an arrow, or a parameter list (and perhaps a return type), stands
 * before it.
 */
function findFunctions(code: string): FunctionSpan[] {
  const spans: FunctionSpan[] = [];
  const open: { line: number; isFunction: boolean }[] = [];
  let line = 1;
  for (let index = 0; index < code.length; index += 1) {
    const character = code[index];
    if (character === '\n') line += 1;
    else if (character === '{') open.push({ line, isFunction: opensFunction(code, index) });
    else if (character === '}') {
      const begin = open.pop();
      if (begin?.isFunction) spans.push({ line: begin.line, length: line - begin.line + 1 });
    }
  }
  return spans;
}

function opensFunction(code: string, brace: number): boolean {
  const before = code.slice(Math.max(0, brace - 600), brace).trimEnd();
  if (before.endsWith('=>')) return true;
  const close = /\)(?:\s*:\s*[^;={}()]*(?:\([^)]*\)[^;={}()]*)?)?$/.exec(before);
  if (close === null) return false;
  let depth = 0;
  for (let index = close.index; index >= 0; index -= 1) {
    if (before[index] === ')') depth += 1;
    else if (before[index] === '(') depth -= 1;
    if (depth === 0) return !NO_FUNCTION.test(before.slice(0, index));
  }
  return false;
}
