/**
 * Writes DER, the form that certificates are signed in: just the kinds that ours are made of. Reads nothing: what
 * others send is read by the runtime's own parser.
 */

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** RFC 5280: up to 2049 in two digits of the year, later in four. */
const LAST_UTC_YEAR = 2049;

function element(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(contents);
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const length = Buffer.from(evenHex(body.length.toString(16)), 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, body]);
}

function evenHex(hex: string): string {
  return hex.length % 2 === 0 ? hex : `0${hex}`;
}

export function sequence(...items: readonly Uint8Array[]): Buffer {
  return element(TAG.sequence, ...items);
}

export function setOf(item: Uint8Array): Buffer {
  return element(TAG.set, item);
}

/** `[number]` around whole elements. */
export function explicit(number: number, item: Uint8Array): Buffer {
  return element(0xa0 | number, item);
}

/** `[number]` instead of the element's own tag, of one that holds no others. */
export function implicit(number: number, content: Uint8Array): Buffer {
  return element(0x80 | number, content);
}

export function truth(): Buffer {
  return element(TAG.boolean, Buffer.from([0xff]));
}

/** Not negative; of big-endian bytes. */
export function integer(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start += 1;
  const value = bytes.subarray(start);
  const isHigh = ((value[0] ?? 0) & 0x80) !== 0;
  return element(TAG.integer, isHigh ? Buffer.concat([Buffer.from([0]), value]) : value);
}

export function bitString(bytes: Uint8Array, unusedBits = 0): Buffer {
  return element(TAG.bitString, Buffer.from([unusedBits]), bytes);
}

export function octetString(bytes: Uint8Array): Buffer {
  return element(TAG.octetString, bytes);
}

export function utf8String(text: string): Buffer {
  return element(TAG.utf8String, Buffer.from(text));
}

/** Encodes an object identifier from its dotted form. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [40 * first + second, ...rest.flatMap(base128)];
  return element(TAG.oid, Buffer.from(bytes));
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let left = value >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80);
  return digits;
}

/** To the second. */
export function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/[-:T]/g, '').slice(0, 14);
  const isShort = Number(digits.slice(0, 4)) <= LAST_UTC_YEAR;
  const text = Buffer.from(`${isShort ? digits.slice(2) : digits}Z`);
  return element(isShort ? TAG.utcTime : TAG.generalizedTime, text);
}
