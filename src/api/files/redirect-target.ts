/**
 * Whether a client of this coordinator can be sent to another address. Known addresses are those that coordinators
 * listen on, and a client may not be able to reach them.
 */
import { isLoopback, parseAddress } from '../../lib/listen-address.ts';

const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/**
 * Returns whether clients can be sent to `target`. A wildcard or an unknown port is not a usable address. A loopback
 * address is usable only if this coordinator listens on one too: then its clients are on its host, and so, presumably,
 * is the other coordinator. This coordinator's own address is not usable, because it would redirect in a loop.
 */
export function canBeSentTo(target: string, own: string): boolean {
  const [there, here] = [parseAddress(target), parseAddress(own)];
  if (there === undefined || there.port === 0 || WILDCARDS.has(there.host) || target === own) return false;
  return !isLoopback(there.host) || (here !== undefined && isLoopback(here.host));
}
