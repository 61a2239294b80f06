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

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** False for what is no address. */
export function isIn(list: BlockList, address: string): boolean {
  const version = isIP(address);
  return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6');
}

export function isLoopbackAddress(address: string): boolean {
  return isIn(LOOPBACK, plainAddress(address));
}

/** `10.0.0.1`, `10.0.0.0/8`, `fd00::/8`. False when the text is neither. */
export function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}
