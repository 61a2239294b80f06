/** What coordinators of earlier versions do otherwise, beside those of this one. */
import type { HelloAnswer, NodeMessage } from '../../../src/actors/node/node.messages.ts';
import type { NodeState } from '../../../src/domain/node/node-state.ts';
import type { AnyActorDef } from '../../../src/kernel/mod.ts';

/**
 * The actor of nodes as it was before it knew of boots: it neither compares nor saves them, and says nothing of them.
 */
export function withoutBoots(def: AnyActorDef): AnyActorDef {
  return {
    ...def,
    receive(state, message, ctx) {
      const node = state as NodeState | undefined;
      const said = message as NodeMessage;
      if (said.type !== 'hello' || node === undefined) return def.receive(state, message, ctx);
      const bootId = (node.successor ?? node).bootId ?? '';
      const other: NodeMessage = { ...said, hello: { ...said.hello, bootId } };
      const outcome = def.receive(state, other, ctx);
      const effects = outcome.effects.map((effect) => {
        if (effect.type !== 'reply') return effect;
        const { isAccepted, ...rest } = effect.value as HelloAnswer;
        return { ...effect, value: isAccepted ? { isAccepted } : { isAccepted, ...rest } };
      });
      return { ...outcome, effects };
    },
  };
}
