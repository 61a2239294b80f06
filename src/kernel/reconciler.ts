/** Runs the actors' reconciliations, which read rows for work whose wake-up was lost, and send the actors messages. */
import type { ActorType } from './activation/actor-type.ts';
import type { Registry } from './activation/registry.ts';
import type { AnyMessage } from './actor/address.ts';
import type { Runtime } from './runtime.ts';

export interface ReconcilerParts {
  readonly registry: Registry;
  /** The shards to reconcile; none while nothing may run. */
  shards(): readonly number[];
  tell(kind: string, key: string, message: AnyMessage): void;
}

export class Reconciler {
  readonly #runtime: Runtime;
  readonly #parts: ReconcilerParts;
  readonly #running = new Set<string>();
  #isClosed = false;

  constructor(runtime: Runtime, parts: ReconcilerParts) {
    this.#runtime = runtime;
    this.#parts = parts;
  }

  start(): void {
    for (const kind of this.#parts.registry.actorTypes()) this.#scheduleNext(kind);
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Reconciles shards that were just taken: messages of their former owner may have been lost. */
  reconcileShards(shards: readonly number[]): void {
    for (const kind of this.#parts.registry.actorTypes()) this.#reconcile(kind, shards, true);
  }

  /** Varies the interval by a fifth, so that coordinators and kinds don't run in step. */
  #scheduleNext(kind: ActorType): void {
    const everyMs = kind.def.reconcile?.everyMs;
    if (everyMs === undefined || this.#isClosed) return;
    this.#runtime.timers.set(everyMs * (0.9 + 0.2 * this.#runtime.rng()), () => {
      const shards = this.#running.has(kind.def.kind) || !kind.backoff.isOpen ? [] : this.#parts.shards();
      this.#reconcile(kind, shards, false).finally(() => this.#scheduleNext(kind));
    });
  }

  async #reconcile(kind: ActorType, shards: readonly number[], isTakenOver: boolean): Promise<void> {
    const { reconcile } = kind.def;
    if (reconcile === undefined || shards.length === 0) return;
    this.#running.add(kind.def.kind);
    try {
      const found = await reconcile.find(shards, kind.ports, isTakenOver);
      if (this.#isClosed) return;
      for (const { key, message } of found) this.#parts.tell(kind.def.kind, key, message);
    } catch (error) {
      this.#runtime.log.warn('reconciliation_failed', { actorKind: kind.def.kind, error });
    } finally {
      this.#running.delete(kind.def.kind);
    }
  }
}
