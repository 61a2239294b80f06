/**
 * The places of a JSON document, and documents with other values at them. Paths are written as refusals write them.
 */

export interface Place {
  readonly keys: readonly (string | number)[];
  /** Such as `files_to_ingest[0].filename_regex`. */
  readonly path: string;
  readonly value: unknown;
}

/** Every place below the top, containers before what they hold. */
export function placesOf(document: unknown): Place[] {
  const found: Place[] = [];
  const walk = (value: unknown, keys: readonly (string | number)[], path: string): void => {
    if (keys.length > 0) found.push({ keys, path, value });
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) walk(item, [...keys, index], `${path}[${index}]`);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value))
        walk(item, [...keys, key], path === '' ? key : `${path}.${key}`);
    }
  };
  walk(document, [], '');
  return found;
}

/** A copy with `value` at the place; without the member when `value` is undefined. */
export function withValue(document: unknown, keys: readonly (string | number)[], value: unknown): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return value;
  if (Array.isArray(document)) {
    return document.map((item, index) => (index === key ? withValue(item, rest, value) : item));
  }
  const copy: Record<string, unknown> = { ...(document as Record<string, unknown>) };
  const changed = withValue(copy[key], rest, value);
  // Not an assignment: the key may be `__proto__`.
  Object.defineProperty(copy, key, { value: changed, enumerable: true, configurable: true, writable: true });
  return copy;
}

/** Whether a problem reported at `path` names the place. */
export function names(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}.`) || path.startsWith(`${place}[`);
}
