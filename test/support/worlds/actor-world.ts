/**
 * One kind of actor on the real kernel and virtual time. Other actors are simulated by the test. The messages that it
 * sends, the changes that it saves and its calls of ports are recorded.
 */
import type { Change } from '../../../src/domain/changes.ts';
import {
  type AnyActorDef,
  type ApplyPort,
  address,
  defineActor,
  restartWithin,
  type System,
  stay,
  TurnRefused,
  Unavailable,
} from '../../../src/kernel/mod.ts';
import { type Watched, World, watch } from './kernel-world.ts';

export type SentMessage = { readonly to: string; readonly type: string } & Readonly<Record<string, unknown>>;
type Message = { readonly type: string };

export interface ActorUnderTest {
  readonly def: unknown;
  readonly ports: object;
  /** Kinds of actors to which it sends messages. */
  readonly others: readonly string[];
}

export class ActorWorld {
  readonly world = new World();
  readonly told: SentMessage[] = [];
  readonly saved: Change[] = [];
  /** The store's answer to a change. */
  answer: (change: Change) => unknown = () => undefined;
  /** Called before a turn is saved; may throw to refuse it. */
  before: (changes: readonly Change[]) => void = () => {};
  /** Whether the database is unavailable. */
  isDown = false;
  system!: System;
  readonly #kind: string;
  readonly #under: ActorUnderTest;

  constructor(kind: string, under: ActorUnderTest) {
    this.#kind = kind;
    this.#under = under;
    this.world.nextId = 100_000;
  }

  get clock() {
    return this.world.clock;
  }

  async start(): Promise<this> {
    const apply: ApplyPort<Change> = {
      apply: async (turns) => {
        if (this.isDown) throw new Unavailable('the database is away');
        const refused = turns.flatMap((turn, at) => (this.#isRefused(turn.changes) ? [at] : []));
        if (refused.length > 0) throw new TurnRefused('a guard', refused);
        return turns.map((turn) =>
          turn.changes.map((change) => {
            this.saved.push(change);
            return this.answer(change);
          }),
        );
      },
    };
    const actors = [this.#under.def, ...this.#under.others.map((kind) => this.#listener(kind))];
    this.system = await this.world.system({
      actors: actors as AnyActorDef[],
      ports: { [this.#kind]: this.#under.ports },
      apply: apply as ApplyPort<unknown>,
    });
    return this;
  }

  #isRefused(changes: readonly Change[]): boolean {
    try {
      this.before(changes);
      return false;
    } catch {
      return true;
    }
  }

  tell(key: string | number, message: Message): void {
    this.system.tell(address<Message>(this.#kind, String(key)), message);
  }

  ask(key: string | number, message: Message): Watched {
    const to = address<Message>(this.#kind, String(key));
    return watch(this.system.forward(to, message, { deadlineMs: 60_000 }));
  }

  /** Sent messages of one type, to all actors or to one. */
  heard(type: string, to?: string): SentMessage[] {
    return this.told.filter((one) => one.type === type && (to === undefined || one.to === to));
  }

  changes<T extends Change['type']>(type: T): Extract<Change, { type: T }>[] {
    return this.saved.filter((one): one is Extract<Change, { type: T }> => one.type === type);
  }

  /** Clears the recorded messages and changes. */
  forget(): void {
    this.told.length = 0;
    this.saved.length = 0;
  }

  counter(name: string): number {
    return this.system.stats().counters[name] ?? 0;
  }

  #listener(kind: string) {
    return defineActor<object, Message, unknown, Change>({
      kind,
      mailboxMax: 100_000,
      idleMs: 1_000_000,
      turnMax: 1_000,
      supervise: restartWithin({ timesMax: 5, windowMs: 60_000 }),
      load: async (keys) => new Map(keys.map((key) => [key, {}])),
      receive: (state, message, ctx) => {
        this.told.push({ to: `${ctx.self.kind}/${ctx.self.key}`, ...message });
        return stay(state);
      },
    });
  }
}
