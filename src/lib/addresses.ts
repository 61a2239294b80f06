/** IP addresses as texts: their plain form, whether they are of this machine, and ranges of them. */
import { BlockList, isIP } from 'node:net';

/** `::ffff:10.0.0.1` and its long form are 10.0.0.1: connections over IPv4 on a socket for both. */
const MAPPED = /^(?:0*:)+:?ffff:((?:\d{1,3}\.){3}\d{1,3}|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i;

export function plainAddress(address: string): string {
  const [, tail, high, low] = MAPPED.exec(address) ?? [];
  if (tail === undefined) return address;
  if (high === undefined || low === undefined) return tail;
  const words = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return words.flatMap((word) => [word >> 8, word & 255]).join('.');
}

/**
 * Whom limits count an address for. Whoever has one of IPv6 has a network of 2^64 of them, so that they count as one:
 * its first four words, as `2001:db8:0:1::/64`.
 */
export function holderOf(address: string): string {
  const plain = plainAddress(address);
  if (isIP(plain) !== 6) return plain;
  const [head = '', tail] = (plain.split('%')[0] ?? '').split('::');
  const words = head === '' ? [] : head.split(':');
  const rest = tail === undefined || tail === '' ? [] : tail.split(':');
  // An IPv4 address at the end is two words.
  const restCount = rest.length + (rest.at(-1)?.includes('.') === true ? 1 : 0);
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - words.length - restCount }, () => '0');
  const all = [...words, ...zeros, ...rest];
  const network = all.slice(0, 4).map((word) => Number.parseInt(word, 16).toString(16));
  return `${network.join(':')}::/64`;
}

const LOOPBACK_6 = new BlockList();
LOOPBACK_6.addAddress('::1', 'ipv6');

/** False for what is no address. */
export function isIn(list: BlockList, address: string): boolean {
  const version = isIP(address);
  return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6');
}

/** Asked of every request: a list makes an object a look, which costs more than the rest of a small answer's gate. */
export function isLoopbackAddress(address: string): boolean {
  const plain = plainAddress(address);
  return isIP(plain) === 4 ? plain.startsWith('127.') : isIn(LOOPBACK_6, plain);
}

/** `10.0.0.1`, `10.0.0.0/8`, `fd00::/8`. False when the text is neither. */
export function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}
