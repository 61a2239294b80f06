/**
 * Part of `npm run fix`: moves words of comments that run past the column limit to the next line, which the
 * formatter leaves alone. Arguments are files or folders; without any, the whole tree. Touches comments only.
 */
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LIMITS, UNMEASURED } from './tidy/law.ts';

const COMMENT = /^(\s*(?:\*|\/\/)\s)(\S.*)$/;
const ONE_LINE_DOC = /^(\s*)\/\*\* (.*) \*\/$/;
/** A line that begins something of its own: overflow must not be put before it. */
const BEGINS_ANEW = /^(?:[-*] |\d+\. |@|\||```)/;

export function rewrap(text: string, columns: number): string {
  const out: string[] = [];
  let carried = '';
  for (const original of text.split('\n')) {
    const doc = ONE_LINE_DOC.exec(original);
    if (doc !== null && original.length > columns) {
      const [, indent = '', words = ''] = doc;
      out.push(`${indent}/**`, ...fill(`${indent} * `, words, columns), `${indent} */`);
      continue;
    }
    const [, prefix = '', words = ''] = COMMENT.exec(original) ?? [];
    if (
      carried !== '' &&
      (prefix === '' || prefix !== out.at(-1)?.slice(0, prefix.length) || BEGINS_ANEW.test(words))
    ) {
      const before = COMMENT.exec(out.at(-1) ?? '')?.[1] ?? '';
      out.push(...fill(before, carried, columns));
      carried = '';
    }
    const line = carried === '' ? original : `${prefix}${carried} ${words}`;
    carried = '';
    if (line.length <= columns || prefix === '' || words.includes('://')) out.push(line);
    else {
      const [first = '', ...rest] = fill(prefix, line.slice(prefix.length), columns);
      out.push(first);
      carried = rest.map((part) => part.slice(prefix.length)).join(' ');
    }
  }
  return out.join('\n');
}

function fill(prefix: string, words: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words.split(/ +/)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && prefix.length + longer.length > columns) {
      lines.push(prefix + line);
      line = word;
    } else line = longer;
  }
  return [...lines, prefix + line];
}

function main(): void {
  const root = join(import.meta.dirname, '..');
  const given = process.argv.slice(2);
  const patterns = given.length === 0 ? ['src', 'node-agent', 'bench', 'test', 'scripts'] : given;
  for (const path of patterns) {
    const isFile = statSync(join(root, path), { throwIfNoEntry: false })?.isFile() ?? false;
    for (const file of isFile ? [path] : globSync(`${path}/**/*.ts`, { cwd: root })) {
      if (UNMEASURED.some((prefix) => file.startsWith(prefix))) continue;
      const text = readFileSync(join(root, file), 'utf8');
      const wrapped = rewrap(text, LIMITS.columns);
      if (wrapped !== text) writeFileSync(join(root, file), wrapped);
    }
  }
}

if (process.argv[1] === import.meta.filename) main();
