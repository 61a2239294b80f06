/**
 * The addresses that connections come from. µWebSockets.js reports the address with each request, in a new buffer,
 * which took 3 us of the 12 of a small answer. So while all open connections share one address, as those of a proxy or
 * of this host do, it is read once a connection; otherwise once a request.
 */

/** The part of the library's response that reports the address. */
export interface AddressSource {
  getRemoteAddressAsText(): ArrayBuffer;
}

export class Peers {
  #count = 0;
  /** The address of all open connections; undefined when they come from several. */
  #only: string | undefined;

  /** The number of open connections. */
  get count(): number {
    return this.#count;
  }

  came(peer: AddressSource): void {
    const address = addressOf(peer);
    if (this.#count === 0) this.#only = address;
    else if (this.#only !== address) this.#only = undefined;
    this.#count += 1;
  }

  went(): void {
    this.#count -= 1;
  }

  /** The address of an open connection. */
  addressOf(peer: AddressSource): string {
    return this.#only ?? addressOf(peer);
  }
}

function addressOf(peer: AddressSource): string {
  return Buffer.from(peer.getRemoteAddressAsText()).toString('latin1');
}
