/**
 * Ways to put a bug into a simulated cluster from outside: around actors, changes, ports and the kernel's
 * options.
 */
import type { Change } from '../../../src/domain/changes.ts';
import {
  type AnyActorDef,
  address,
  type Ctx,
  type Effect,
  type Outcome,
  type SystemOptions,
  type Turn,
} from '../../../src/kernel/mod.ts';
import type { Seams } from '../coordinator/coordinator.ts';

export interface Mutant {
  readonly bug: string;
  readonly seams: Seams;
  /** Seeds are tried from here on. */
  readonly from: number;
}

export type AnyEffect = Effect<Change, AnyMessage>;
type AnyMessage = { readonly type: string };
type AnyCtx = Ctx<AnyMessage>;
type AnyOutcome = Outcome<unknown, unknown, AnyMessage>;
/** Messages of any actor: a mutant looks into what it knows. */
// biome-ignore lint/suspicious/noExplicitAny: mutants look into messages and states of any actor
export type Anything = any;

/** One kind of actor, changed. */
export function changed(kind: string, change: (def: AnyActorDef) => AnyActorDef): Seams {
  return { actors: (actors) => actors.map((def) => (def.kind === kind ? change(def) : def)) };
}

/** Lost messages are never said again. */
export function withoutReconcile(kind: string): Seams {
  return changed(kind, ({ reconcile: _, ...def }) => def);
}

/** What is to be checked from time to time never is. */
export function withoutPoll(kind: string): Seams {
  return changed(kind, ({ poll: _, ...def }) => def);
}

/** What a kind of actor does with its messages, changed. */
export function receiving(
  kind: string,
  receive: (def: AnyActorDef, state: unknown, message: Anything, ctx: AnyCtx) => AnyOutcome,
): Seams {
  return changed(kind, (def) => ({
    ...def,
    receive: (state, message, ctx) => receive(def, state, message, ctx),
  }));
}

/** Messages of these types are taken and forgotten. */
export function deaf(kind: string, ...types: readonly string[]): Seams {
  return receiving(kind, (def, state, message, ctx) =>
    types.includes(message.type) && state !== undefined
      ? { state, effects: [] }
      : def.receive(state, message, ctx),
  );
}

/** What a kind of actor wants done, changed. */
export function effects(kind: string, change: (effect: AnyEffect) => readonly AnyEffect[]): Seams {
  const all = (outcome: AnyOutcome) => ({
    state: outcome.state,
    effects: outcome.effects.flatMap((effect) => change(effect as AnyEffect)),
  });
  return changed(kind, (def) => ({
    ...def,
    ...(def.start === undefined
      ? {}
      : {
          start: (state: unknown, ctx: AnyCtx) =>
            all((def.start as NonNullable<typeof def.start>)(state, ctx)),
        }),
    receive: (state, message, ctx) => all(def.receive(state, message, ctx)),
  }));
}

/** What it tells others leaves at once, whether its turn is saved or not. */
export function tellingEarly(kind: string): Seams {
  return {
    actors: (actors, system) =>
      actors.map((def) => {
        if (def.kind !== kind) return def;
        return {
          ...def,
          receive: (state, message, ctx) => {
            const outcome = def.receive(state, message, ctx);
            for (const effect of outcome.effects) {
              if (effect.type === 'tell') {
                const { kind, key } = effect.to;
                system().tell(address<object>(kind, key), effect.message);
              }
            }
            return { ...outcome, effects: outcome.effects.filter((effect) => effect.type !== 'tell') };
          },
        };
      }),
  };
}

/** What is saved, changed on its way. */
export function saving(change: (change: Change) => readonly Change[]): Seams {
  return {
    options: (options) => ({
      ...options,
      apply: {
        ...options.apply,
        apply: async (turns) => {
          const places: number[][] = [];
          const altered = turns.map((turn) => {
            const own: number[] = [];
            const changes = turn.changes.flatMap((one, at) => {
              const made = change(one as Change);
              for (const _ of made) own.push(at);
              return made;
            });
            places.push(own);
            return { ...turn, changes };
          });
          const results = await options.apply.apply(altered);
          return turns.map((turn, at) =>
            turn.changes.map((_, index) => results[at]?.[(places[at] ?? []).indexOf(index)]),
          );
        },
      },
    }),
  };
}

/** Turns, changed on their way. */
export function turning(
  change: (turn: Turn<unknown>, epochOf: (shard: number) => number) => Turn<unknown>,
): Seams {
  return {
    options: (options, cluster) => ({
      ...options,
      apply: {
        ...options.apply,
        apply: (turns) =>
          options.apply.apply(turns.map((turn) => change(turn, (shard) => cluster.epochOf(shard)))),
      },
    }),
  };
}

/** What a port answers, changed. */
export function answering(
  kind: string,
  port: string,
  change: (answer: Anything, args: Anything) => unknown,
): Seams {
  return {
    options: (options: SystemOptions) => {
      const own = options.ports[kind] as Record<string, (...args: unknown[]) => Promise<unknown>>;
      const changedPort = async (...args: unknown[]) => change(await own[port]?.(...args), args);
      return { ...options, ports: { ...options.ports, [kind]: { ...own, [port]: changedPort } } };
    },
  };
}
