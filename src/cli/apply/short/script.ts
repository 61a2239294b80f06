/**
 * Finds which variables a shell script reads and which it sets itself. It understands only quotes, comments, here
 * documents and the forms of `$`, which is enough to notice a mistyped name.
 */

export interface ReadVariable {
  readonly name: string;
  readonly offset: number;
}
export interface ScriptVariables {
  /** Every read in the order of the script; a name may occur several times. */
  readonly read: readonly ReadVariable[];
  /** Names that the script sets anywhere, because the order of execution is not known. */
  readonly set: ReadonlySet<string>;
  /** The script reads other scripts or evaluates texts, so any name may be set. */
  readonly setsOthers: boolean;
}

const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const ASSIGNMENTS = [
  /(?<![A-Za-z0-9_$'"/.-])([A-Za-z_][A-Za-z0-9_]*)(?:\[[^\]\n]{0,100}\])?\+?=/g,
  /\bfor\s+([A-Za-z_][A-Za-z0-9_]*)/g,
  /\b(?:printf\s+-v|getopts\s+\S+)\s+([A-Za-z_][A-Za-z0-9_]*)/g,
];
/** Commands that set the names which follow them and their options. */
const DECLARING = new RegExp(
  '\\b(?:read|mapfile|readarray|local|declare|typeset|export|readonly|unset)\\b' +
    '((?:[ \\t]+-\\w+)*(?:[ \\t]+[A-Za-z_][A-Za-z0-9_]*\\b(?!\\())+)',
  'g',
);
const ARITHMETIC = /\(\(([^()]{0,1000})\)\)/g;
const OTHERS = /(?:^|[\n;&|(][ \t]*|\bthen\s|\bdo\s)(?:\.|source|eval)\s/;

export function variablesOf(script: string): ScriptVariables {
  const scan = new Scan(script);
  scan.run();
  const { code } = scan;
  const set = new Set<string>();
  for (const pattern of ASSIGNMENTS) for (const [, name = ''] of code.matchAll(pattern)) set.add(name);
  for (const [, words = ''] of code.matchAll(DECLARING)) {
    for (const word of words.split(/\s+/)) if (/^[A-Za-z_]/.test(word)) set.add(word);
  }
  for (const [, text = ''] of code.matchAll(ARITHMETIC)) {
    for (const [name] of text.matchAll(/[A-Za-z_][A-Za-z0-9_]*(?=\s*(?:[-+*/%&|^]?=(?!=)|\+\+|--))/g))
      set.add(name);
  }
  for (const name of scan.defaulted) set.add(name);
  return { read: scan.read, set, setsOthers: OTHERS.test(code) };
}

/** One pass that collects `$NAME`, and a copy of the script in which quoted texts and comments are blanks. */
class Scan {
  readonly read: ReadVariable[] = [];
  /** Set by `${NAME:=…}`. */
  readonly defaulted: string[] = [];
  readonly #script: string;
  readonly #code: string[];
  #at = 0;
  /** The here documents that begin after this line: the word that ends each, and whether `$` is literal in it. */
  #documents: { readonly end: string; readonly isLiteral: boolean; readonly isIndented: boolean }[] = [];

  constructor(script: string) {
    this.#script = script;
    this.#code = [...Array.from({ length: script.length }, (_, index) => script[index] ?? '')];
  }

  get code(): string {
    return this.#code.join('');
  }

  run(): void {
    const script = this.#script;
    let isInDouble = false;
    while (this.#at < script.length) {
      const character = script[this.#at];
      if (character === '\\') {
        this.#blank(2);
      } else if (character === '"') {
        isInDouble = !isInDouble;
        this.#blank(1);
      } else if (character === '$') {
        this.#dollar(isInDouble);
      } else if (isInDouble) {
        this.#blank(1);
      } else if (character === "'") {
        this.#blankUntil("'", this.#at + 1);
      } else if (character === '#' && /^$|[\s;&|()]/.test(script[this.#at - 1] ?? '')) {
        this.#blankUntilLineEnd();
      } else if (script.startsWith('<<', this.#at) && script[this.#at + 2] !== '<') {
        this.#hereDocument();
      } else {
        if (character === '\n') this.#skipDocuments();
        else this.#at += 1;
      }
    }
  }

  #blank(count: number): void {
    for (let left = count; left > 0 && this.#at < this.#script.length; left -= 1) {
      if (this.#script[this.#at] !== '\n') this.#code[this.#at] = ' ';
      this.#at += 1;
    }
  }

  #blankUntil(end: string, from: number): void {
    const found = this.#script.indexOf(end, from);
    this.#blank((found === -1 ? this.#script.length : found + end.length) - this.#at);
  }

  #blankUntilLineEnd(): void {
    const found = this.#script.indexOf('\n', this.#at);
    this.#blank((found === -1 ? this.#script.length : found) - this.#at);
  }

  /** Reads `$NAME` or `${NAME…}`. The text inside braces and parentheses is then read as code. */
  #dollar(isInDouble: boolean): void {
    const script = this.#script;
    const next = script[this.#at + 1] ?? '';
    if (next === "'" && !isInDouble) {
      this.#blankUntil("'", this.#at + 2);
      return;
    }
    const isBraced = next === '{';
    // `${#NAME}` is a length, `${!NAME}` the value of the variable that it names.
    const start = this.#at + (isBraced ? (/[#!]/.test(script[this.#at + 2] ?? '') ? 3 : 2) : 1);
    NAME.lastIndex = start;
    const name = NAME.exec(script)?.[0];
    if (name === undefined) {
      this.#blank(1);
      return;
    }
    this.read.push({ name, offset: this.#at });
    const after = start + name.length;
    if (isBraced && /^:?=/.test(script.slice(after, after + 2))) this.defaulted.push(name);
    this.#blank(after - this.#at);
  }

  #hereDocument(): void {
    const found = /^<<(-?)\s*(?:'([^'\n]+)'|"([^"\n]+)"|\\?([\w.-]+))/.exec(
      this.#script.slice(this.#at, this.#at + 300),
    );
    if (found === null) {
      this.#at += 2;
      return;
    }
    const [whole, dash = '', single, double, plain] = found;
    const isLiteral = plain === undefined || whole.includes('\\');
    this.#documents.push({ end: single ?? double ?? plain ?? '', isLiteral, isIndented: dash !== '' });
    this.#blank(whole.length);
  }

  #skipDocuments(): void {
    this.#at += 1;
    const documents = this.#documents;
    this.#documents = [];
    for (const { end, isLiteral, isIndented } of documents) {
      while (this.#at < this.#script.length) {
        const newline = this.#script.indexOf('\n', this.#at);
        const lineEnd = newline === -1 ? this.#script.length : newline;
        const line = this.#script.slice(this.#at, lineEnd);
        if ((isIndented ? line.replace(/^\t+/, '') : line) === end) {
          this.#blank(lineEnd - this.#at);
          break;
        }
        while (this.#at < lineEnd) {
          if (!isLiteral && this.#script[this.#at] === '$') this.#dollar(true);
          else this.#blank(!isLiteral && this.#script[this.#at] === '\\' ? 2 : 1);
        }
        if (this.#at < this.#script.length) this.#at += 1;
      }
    }
  }
}
