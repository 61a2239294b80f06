/** Seeded bugs in what follows a loss of power: launches that were recorded and not synced. */
import type { NodeState } from '../../../src/domain/node/node-state.ts';
import { type Anything, type Mutant, receiving } from './seams.ts';

/** The boot of a hello is taken for the one that is known. */
const bootsUncompared = receiving('node', (def, state: Anything, message, ctx) => {
  if (message.type !== 'hello' || state === undefined) return def.receive(state, message, ctx);
  const bootId = (state.successor ?? state).bootId || message.hello.bootId;
  return def.receive(state, { ...message, hello: { ...message.hello, bootId } } as never, ctx);
});

/** The row names the new boot at once, while executions of the former one are only told to end. */
const bootSavedFirst = receiving('node', (def, state: Anything, message, ctx) => {
  const outcome = def.receive(state, message, ctx);
  const node = outcome.state as NodeState | undefined;
  if (message.type !== 'hello' || node?.successor?.isBootOnly !== true) return outcome;
  const { bootId } = node.successor;
  const effects = outcome.effects.map((effect: Anything) =>
    effect.type === 'save' && effect.change.type === 'saveNode'
      ? { ...effect, change: { ...effect.change, patch: { ...effect.change.patch, bootId } } }
      : effect,
  );
  return { ...outcome, effects };
});

/** A boot that is named while one without a name is settled is compared, and not noted. */
const bootNotNoted = receiving('node', (def, state: Anything, message, ctx) => {
  if (message.type !== 'hello' || state?.successor?.bootId !== '') return def.receive(state, message, ctx);
  const outcome = def.receive(state, { ...message, hello: { ...message.hello, bootId: '' } } as never, ctx);
  const comparesBoots = message.hello.bootId !== '';
  const effects = outcome.effects.map((effect: Anything) =>
    effect.type === 'reply' ? { ...effect, value: { ...effect.value, comparesBoots } } : effect,
  );
  return { ...outcome, effects };
});

/** Agents take a coordinator of an earlier version for one that compares boots. */
const toldOfBoots = (message: Anything): Anything =>
  message.type === 'welcome' ? { ...message, comparesBoots: true } : message;

export const BOOTS: readonly Mutant[] = [
  { bug: 'the boot of a host is not compared', seams: bootsUncompared, from: 7 },
  { bug: 'the boot is saved in another commit, before what it ends', seams: bootSavedFirst, from: 11 },
  { bug: 'a boot is not noted while one without a name is settled', seams: bootNotNoted, from: 31 },
  {
    bug: 'agents do not sync launches of coordinators that compare no boots',
    seams: { toAgent: toldOfBoots },
    from: 6,
  },
];
