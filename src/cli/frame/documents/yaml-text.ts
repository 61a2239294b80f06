/** YAML for a terminal. Loaded for `--output yaml`. */
import { type CreateNodeOptions, Document, type DocumentOptions, type ToStringOptions, visit } from 'yaml';
import { UNSAFE } from '../escape.ts';
import { uEscape } from './json-text.ts';

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
