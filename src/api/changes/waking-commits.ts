/** A commit port that reports each commit to the actor that assigns positions in the stream of changes. */

import { CHANGES } from '../../actors/change/change.messages.ts';
import type { AnyResult, Change } from '../../domain/changes.ts';
import type { ApplyPort, System } from '../../kernel/mod.ts';

/** The shortest time between two wake-ups by one coordinator. */
const PAUSE_MS = 20;

export function wakingCommits(
  port: ApplyPort<Change, AnyResult>,
  system: () => Pick<System, 'tell'>,
): ApplyPort<Change, AnyResult> {
  let isPausing = false;
  let isDue = false;
  const wake = (): void => {
    if (isPausing) {
      isDue = true;
      return;
    }
    isPausing = true;
    isDue = false;
    system().tell(CHANGES, { type: 'wake' });
    setTimeout(() => {
      isPausing = false;
      if (isDue) wake();
    }, PAUSE_MS).unref();
  };
  return {
    ...port,
    async apply(turns) {
      const results = await port.apply(turns);
      wake();
      return results;
    },
  };
}
