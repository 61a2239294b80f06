/** Seeded bugs in what keeps a request that is repeated under its key from making a second record. */
import type { Change } from '../../../src/domain/changes.ts';
import type { Turn } from '../../../src/kernel/mod.ts';
import type { Seams } from '../coordinator/coordinator.ts';
import type { Mutant } from './seams.ts';

function isAnswer(change: unknown): boolean {
  return (change as Change).type === 'keepAnswers';
}

/** Answers are saved by a commit of their own, after the one that creates. */
const savedApart: Seams = {
  options: (options) => ({
    ...options,
    apply: {
      ...options.apply,
      apply: async (turns) => {
        const part = (isMeant: (change: unknown) => boolean): Turn<unknown>[] =>
          turns.map((turn) => ({ ...turn, changes: turn.changes.filter(isMeant) }));
        const results = await options.apply.apply(part((change) => !isAnswer(change)));
        const answers = part(isAnswer).filter(({ changes }) => changes.length > 0);
        if (answers.length > 0) await options.apply.apply(answers);
        return results;
      },
    },
  }),
};

export const KEYS: readonly Mutant[] = [
  { bug: 'the answer under a key is saved outside of the commit', seams: savedApart, from: 8 },
  {
    bug: 'a key that is taken refuses nothing',
    seams: {
      prepared: (store) => {
        store.keyTaken = () => false;
      },
    },
    from: 6,
  },
];
