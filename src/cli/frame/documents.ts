/** JSON and YAML for a terminal. */
import { type CreateNodeOptions, Document, type DocumentOptions, type ToStringOptions, visit } from 'yaml';
import { UNSAFE } from './escape.ts';

/** JSON in which all control characters are escaped; `JSON.stringify` escapes only those below U+0020. */
export function jsonText(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent).replace(UNSAFE, (char) =>
    char === '\n' ? char : uEscape(char),
  );
}

/** YAML in which all control characters are escaped. */
export function yamlText(
  value: unknown,
  options: DocumentOptions & CreateNodeOptions & ToStringOptions = {},
): string {
  const document = new Document(value, options);
  visit(document, {
    Scalar(_key, scalar) {
      const isUnsafe =
        typeof scalar.value === 'string' && scalar.value.replace(/[\n\t]/g, '').search(UNSAFE) >= 0;
      // Only double-quoted texts can have escapes.
      if (isUnsafe) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString(options).replace(UNSAFE, (char) => (/[\n\t]/.test(char) ? char : uEscape(char)));
}

function uEscape(char: string): string {
  return `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}
