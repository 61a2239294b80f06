/**
 * Splits and decodes the query string. The parts interpret its parameters (`parameters.ts`, `paging.ts`, `ordering.ts`,
 * `time-range.ts`).
 */

import { textProblem } from '../../domain/document/json-value.ts';
import { AppError } from '../../domain/errors.ts';

/**
 * The values of each parameter. A parameter that is not repeatable takes its last value, as existing clients expect.
 */
export interface QueryText {
  /** The names of all given parameters, each once. */
  readonly names: Iterable<string>;
  all(name: string): readonly string[];
  last(name: string): string | undefined;
}

/** Splits and decodes. Throws AppError INVALID_PARAMETER for malformed percent-encoding and NUL. */
export function parseQuery(raw: string): QueryText {
  const values = new Map<string, string[]>();
  for (const piece of raw.split('&')) {
    if (piece === '') continue;
    const equals = piece.indexOf('=');
    const name = decodePiece(equals < 0 ? piece : piece.slice(0, equals));
    const value = decodePiece(equals < 0 ? '' : piece.slice(equals + 1));
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  return {
    names: values.keys(),
    all: (name) => values.get(name) ?? [],
    last: (name) => values.get(name)?.at(-1),
  };
}

/** The raw query with one parameter replaced or, without a value, removed; the others are unchanged. */
export function withParameter(raw: string, name: string, value: string | undefined): string {
  const kept = raw
    .split('&')
    .filter((piece) => piece !== '' && piece !== name && !piece.startsWith(`${name}=`));
  if (value !== undefined) kept.push(`${name}=${encodeURIComponent(value)}`);
  return kept.join('&');
}

/** Decodes one percent-encoded text; undefined if it is malformed or can't be stored. */
export function decodeText(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text);
    return textProblem(decoded) === undefined ? decoded : undefined;
  } catch {
    return undefined; // decodeURIComponent reports only that it is malformed
  }
}

function decodePiece(piece: string): string {
  const text = decodeText(piece.replaceAll('+', ' '));
  if (text !== undefined) return text;
  throw new AppError(
    'INVALID_PARAMETER',
    'the query is not valid percent-encoded UTF-8, or has a NUL character',
    {
      errors: [
        { name: 'BAD_ENCODING', description: 'malformed percent-encoding or a NUL character', path: '' },
      ],
    },
  );
}
