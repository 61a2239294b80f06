/** The client address of a request: that of its connection, or the one that trusted proxies report. */
import { BlockList, isIP } from 'node:net';
import { isIn, plainAddress } from '../lib/addresses.ts';

export interface Proxies {
  /** From the connection's address and headers. */
  originOf(
    address: string,
    headers: ReadonlyMap<string, string>,
  ): { readonly address: string; readonly scheme: 'http' | 'https' };
}

/** `trusted` are addresses and ranges, as `isAddressRange` accepts them; `own` is the scheme of our own HTTP server. */
export function createProxies(trusted: readonly string[], own: 'http' | 'https' = 'http'): Proxies {
  const list = new BlockList();
  for (const text of trusted) {
    const [address = '', bits] = text.split('/');
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  /** Cached: the latest peer that was not a proxy, from which the next request mostly comes as well. */
  let latest = { peer: '', origin: { address: '', scheme: own } };
  return {
    originOf(peer, headers) {
      if (peer === latest.peer) return latest.origin;
      let address = plainAddress(peer);
      if (trusted.length === 0 || !isIn(list, address)) {
        latest = { peer, origin: { address, scheme: own } };
        return latest.origin;
      }
      // Read from the end: entries that the client wrote come before those that our proxies added.
      const chain = (headers.get('x-forwarded-for') ?? '')
        .split(',')
        .map((text) => plainAddress(text.trim()));
      while (isIn(list, address)) {
        const before = chain.pop();
        if (before === undefined || isIP(before) === 0) break;
        address = before;
      }
      const forwarded = headers.get('x-forwarded-proto')?.trim().toLowerCase();
      const scheme = forwarded === undefined ? own : forwarded === 'https' ? 'https' : 'http';
      return { address, scheme };
    },
  };
}
