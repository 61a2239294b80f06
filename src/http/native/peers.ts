/**
 * Where connections come from. µWebSockets.js tells it with each request, in a buffer of its own, which took 3 us of
 * the 12 of a small answer. So while all connections there are come from one address, as those of a proxy or of this
 * host do, it is asked once a connection; while they come from several, it is asked for each request.
 */

/** The part of the library's response that tells it. */
export interface Told {
  getRemoteAddressAsText(): ArrayBuffer;
}

export class Peers {
  #count = 0;
  /** The address of all connections there are; undefined when they come from several. */
  #only: string | undefined;

  /** How many there are now. */
  get count(): number {
    return this.#count;
  }

  came(peer: Told): void {
    const address = addressOf(peer);
    if (this.#count === 0) this.#only = address;
    else if (this.#only !== address) this.#only = undefined;
    this.#count += 1;
  }

  went(): void {
    this.#count -= 1;
  }

  /** The address of a connection that came and has not gone. */
  addressOf(peer: Told): string {
    return this.#only ?? addressOf(peer);
  }
}

function addressOf(peer: Told): string {
  return Buffer.from(peer.getRemoteAddressAsText()).toString('latin1');
}
