/** IP addresses as texts: their plain form, whether they belong to this machine, and ranges of them. */
import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Turns `::ffff:10.0.0.1` and its long form into 10.0.0.1: dual-stack sockets report IPv4 connections so. */
export function plainAddress(address: string): string {
  if (isIP(address) !== 6) return address;
  const parsed = ipaddr.IPv6.parse(address);
  return parsed.isIPv4MappedAddress() ? parsed.toIPv4Address().toString() : address;
}

/**
 * The key under which limits count an address. Holders of IPv6 addresses have a network of 2^64 of them, which counts
 * as one: its first four words, as `2001:db8:0:1::/64`.
 */
export function holderOf(address: string): string {
  const plain = plainAddress(address);
  if (isIP(plain) !== 6) return plain;
  const network = ipaddr.IPv6.parse(plain).parts.slice(0, 4);
  return `${network.map((word) => word.toString(16)).join(':')}::/64`;
}

const LOOPBACK_6 = new BlockList();
LOOPBACK_6.addAddress('::1', 'ipv6');

/** False for a text that is no address. */
export function isIn(list: BlockList, address: string): boolean {
  const version = isIP(address);
  return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6');
}

/**
 * Called for every request. A BlockList allocates an object for each check, which costs more than the rest of a small
 * answer's auth filter.
 */
export function isLoopbackAddress(address: string): boolean {
  const plain = plainAddress(address);
  return isIP(plain) === 4 ? plain.startsWith('127.') : isIn(LOOPBACK_6, plain);
}

/** True for `10.0.0.1`, `10.0.0.0/8` and `fd00::/8`: an address or a range. */
export function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}
