/** Reports that the connection to a service is lost, and that it is back: each once, however many attempts fail. */
import { ClientError } from './errors.ts';

export interface ContactListeners {
  /** Called once when a call has failed and is retried, with its failure. */
  readonly onLost?: ((error: ClientError) => void) | undefined;
  /** Called once when the service answers again, before anything that was missed is passed on. */
  readonly onBack?: (() => void) | undefined;
}

export class Contact {
  readonly #listeners: ContactListeners;
  #isLost = false;

  constructor(listeners: ContactListeners) {
    this.#listeners = listeners;
  }

  /** An attempt has failed. */
  readonly lose = (error: unknown): void => {
    if (this.#isLost || !(error instanceof ClientError)) return;
    this.#isLost = true;
    this.#listeners.onLost?.(error);
  };

  /** An attempt has succeeded. */
  readonly find = (): void => {
    if (!this.#isLost) return;
    this.#isLost = false;
    this.#listeners.onBack?.();
  };
}
