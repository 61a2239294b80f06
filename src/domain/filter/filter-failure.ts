/** Says why a filter does not pass, with the data and the values that it was compared with. */
import { isJsonObject, type Json } from '../document/json-value.ts';
import type { FilterCondition } from './filter.ts';

// limit: characters of one value, entries of one value and values of a list that a sentence shows.
const VALUE_CHARS_MAX = 80;
const ENTRIES_MAX = 20;
const VALUES_MAX = 5;

/**
 * The rest of a sentence after the shown data, such as `WORDS 8`: `is not above 100`. The table of conditions puts the
 * first value on the left; people expect the data there.
 */
export function failedCondition(condition: FilterCondition, values: readonly Json[]): string {
  const first = values[0] === undefined ? 'anything' : shownValue(values[0]);
  const all = shownValues(values);
  switch (condition) {
    case '<':
      return `is not above ${first}`;
    case '<=':
      return `is not at least ${first}`;
    case '>':
      return `is not below ${first}`;
    case '>=':
      return `is not at most ${first}`;
    case '==':
      return `is not equal to ${first}`;
    case '!=':
      return `is equal to ${first}`;
    case 'between':
      return `is not between ${first} and ${values[1] === undefined ? 'anything' : shownValue(values[1])}`;
    case 'in':
      return `is none of ${all}`;
    case 'not in':
      return `is one of ${all}`;
    case 'contains':
      return `contains none of ${all}`;
    case 'subset of':
      return `is no subset of ${first}`;
    case 'superset of':
      return `is no superset of ${first}`;
  }
}

/** A value as JSON, cut if it is long; only the shown part is read. */
export function shownValue(value: Json): string {
  const text = written(value);
  return text.length <= VALUE_CHARS_MAX ? text : `${text.slice(0, VALUE_CHARS_MAX - 1).toWellFormed()}…`;
}

function shownValues(values: readonly Json[]): string {
  const shown = values.slice(0, VALUES_MAX).map(shownValue).join(', ');
  return values.length <= VALUES_MAX ? shown : `${shown} and ${values.length - VALUES_MAX} more`;
}

function written(value: Json, level = 0): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, VALUE_CHARS_MAX).toWellFormed());
  if (typeof value !== 'object' || value === null) return String(value);
  if (level > 2) return '…';
  const isList = !isJsonObject(value);
  const parts: string[] = [];
  let chars = 0;
  for (const key in value) {
    if (parts.length >= ENTRIES_MAX || chars > VALUE_CHARS_MAX) {
      parts.push('…');
      break;
    }
    const item = written((value as { readonly [key: string]: Json })[key] ?? null, level + 1);
    const part = isList ? item : `${JSON.stringify(key.slice(0, VALUE_CHARS_MAX))}: ${item}`;
    parts.push(part);
    chars += part.length;
  }
  return isList ? `[${parts.join(', ')}]` : `{${parts.join(', ')}}`;
}
