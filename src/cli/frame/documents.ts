/** JSON and YAML for a terminal. */
import { type CreateNodeOptions, Document, type DocumentOptions, type ToStringOptions, visit } from 'yaml';
import { UNSAFE } from './escape.ts';

/** JSON of the same value in which nothing can command a terminal: JSON itself escapes C0 alone. */
export function jsonText(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent).replace(UNSAFE, (char) =>
    char === '\n' ? char : uEscape(char),
  );
}

/** YAML of the same value in which nothing can command a terminal. */
export function yamlText(
  value: unknown,
  options: DocumentOptions & CreateNodeOptions & ToStringOptions = {},
): string {
  const document = new Document(value, options);
  visit(document, {
    Scalar(_key, scalar) {
      const isUnsafe =
        typeof scalar.value === 'string' && scalar.value.replace(/[\n\t]/g, '').search(UNSAFE) >= 0;
      // In no other form can characters be escaped.
      if (isUnsafe) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString(options).replace(UNSAFE, (char) => (/[\n\t]/.test(char) ? char : uEscape(char)));
}

function uEscape(char: string): string {
  return `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}
