/**
 * Whether a client of this coordinator can be sent to another one: addresses are what coordinators listen on, and that
 * is not always what a client can reach.
 */
import { isLoopback, parseAddress } from '../../lib/listen-address.ts';

const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/**
 * Not to a wildcard or an unknown port, which name no place; not to a loopback address, unless this coordinator listens
 * on one too: then its clients are on its host, and so is, as far as anybody can tell, the other coordinator. Its own
 * address on another host would lead back here, in a circle.
 */
export function canBeSentTo(target: string, own: string): boolean {
  const [there, here] = [parseAddress(target), parseAddress(own)];
  if (there === undefined || there.port === 0 || WILDCARDS.has(there.host) || target === own) return false;
  return !isLoopback(there.host) || (here !== undefined && isLoopback(here.host));
}
