/**
 * Polls of actors: one timer for a kind. With a timer for each actor, a thousand of them wake the process hundreds of
 * times a second, and what many of them save or read because of it is not done together.
 */
import { absorbs } from './activation/absorb.ts';
import type { Activation } from './activation/activation.ts';
import type { ActorType } from './activation/actor-type.ts';
import type { Registry } from './activation/registry.ts';
import type { Poll } from './actor/actor.ts';
import type { AnyMessage } from './actor/address.ts';
import type { Runtime } from './runtime.ts';

export interface PollParts {
  readonly registry: Registry;
  /** False while our leases may have expired. */
  mayRun(): boolean;
  /** The system lane of an activation has a new entry. */
  wake(activation: Activation): void;
}

export class Polls {
  readonly #runtime: Runtime;
  readonly #parts: PollParts;

  constructor(runtime: Runtime, parts: PollParts) {
    this.#runtime = runtime;
    this.#parts = parts;
  }

  start(): void {
    for (const kind of this.#parts.registry.actorTypes()) {
      if (kind.def.poll !== undefined) this.#repeat(kind, kind.def.poll);
    }
  }

  #repeat(kind: ActorType, poll: Poll<AnyMessage>): void {
    this.#runtime.timers.set(poll.everyMs, () => {
      if (this.#parts.mayRun()) this.#ask(kind, poll);
      this.#repeat(kind, poll);
    });
  }

  #ask(kind: ActorType, { message }: Poll<AnyMessage>): void {
    for (const activation of kind.activations.values()) {
      if (activation.state === undefined || activation.isPolled) continue;
      if (absorbs(this.#runtime, activation, message)) continue;
      activation.isPolled = true;
      activation.offerSystem(message);
      this.#parts.wake(activation);
    }
  }
}
