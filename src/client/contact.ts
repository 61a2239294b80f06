/** Says that a service is lost, and that it is back: each once, however many attempts fail in between. */
import { ClientError } from './errors.ts';

export interface ContactListeners {
  /** Called once when the service is lost and is tried again, with what stands in the way. */
  readonly onLost?: ((error: ClientError) => void) | undefined;
  /** Called once when it answers after that, before what was missed is handed out. */
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
