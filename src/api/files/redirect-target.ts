/**
 * Whether a client of this coordinator can be sent to another one: addresses are what coordinators listen on, which a
 * client may not be able to reach.
 */
import { isLoopback, parseAddress } from '../../lib/listen-address.ts';

const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/**
 * Not to a wildcard or an unknown port, which are no usable addresses. Not to a loopback address, unless this
 * coordinator listens on one too: then its clients are on its host, and so, presumably, is the other coordinator. Its
 * own address on another host would lead back here, in a loop.
 */
export function canBeSentTo(target: string, own: string): boolean {
  const [there, here] = [parseAddress(target), parseAddress(own)];
  if (there === undefined || there.port === 0 || WILDCARDS.has(there.host) || target === own) return false;
  return !isLoopback(there.host) || (here !== undefined && isLoopback(here.host));
}
