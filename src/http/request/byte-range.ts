/**
 * The bytes that a `Range` header asks for (RFC 9110, 14): one range of bytes. Anything else, including several ranges,
 * is ignored as if there were no `Range`, which a server may always do.
 */

/** Both ends inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Whole numbers that JavaScript holds exactly. */
const POSITION = /^\d{1,15}$/;

/** Undefined: the whole content. `unsatisfiable`: no byte of `size` is in the range. */
export function byteRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const found = /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? '');
  const [, first = '', last = ''] = found ?? [];
  if (first === '') {
    if (!POSITION.test(last)) return undefined;
    const count = Math.min(Number(last), size);
    return count === 0 ? 'unsatisfiable' : { start: size - count, end: size - 1 };
  }
  if (!POSITION.test(first) || (last !== '' && !POSITION.test(last))) return undefined;
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? 'unsatisfiable' : { start, end };
}
