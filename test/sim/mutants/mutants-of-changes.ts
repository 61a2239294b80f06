/** Seeded bugs in the stream of changes. */
import type { ChangeRows } from '../store/change-rows.ts';
import { effects, type Mutant } from './seams.ts';

const withBug = (bug: ChangeRows['bug']): Mutant['seams'] => ({
  prepared: ({ stream }) => {
    stream.bug = bug;
  },
});

export const CHANGES: readonly Mutant[] = [
  {
    bug: 'positions are given in the order of transaction ids',
    seams: withBug({ seesOpen: true }),
    from: 1,
  },
  {
    bug: 'who gave positions before gives them still',
    seams: withBug({ isUnfenced: true }),
    from: 22,
  },
  {
    bug: 'nobody looks for changes that nobody reported',
    seams: effects('changes', (effect) => (effect.type === 'timer' ? [] : [effect])),
    from: 1,
  },
  {
    bug: 'a write that changes an object does not tell the stream',
    seams: withBug({ leftOut: 'file' }),
    from: 1,
  },
];
