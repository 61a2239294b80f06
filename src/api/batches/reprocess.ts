/** Reprocesses recipes for a batch through the owners of their chains, several at a time. */
import type { ReprocessOrder, ReprocessReport } from '../../actors/batch/batch.ports.ts';
import { recipeAddress } from '../../actors/recipe/recipe.messages.ts';
import type { System } from '../../kernel/mod.ts';
import { ASK_DEADLINE_MS } from '../shared/requests.ts';

/** limit: owners that are asked at a time. */
const ASKS_MAX = 32;

export async function reprocessRecipes(
  system: Pick<System, 'ask'>,
  orders: readonly ReprocessOrder[],
): Promise<ReprocessReport> {
  const left = [...orders];
  const refused: number[] = [];
  let failedCount = 0;
  const work = async (): Promise<void> => {
    for (let order = left.pop(); order !== undefined; order = left.pop()) {
      const { chainId, memberId, message } = order;
      try {
        // A repeat is recognized by the id of the new recipe.
        const options = { deadlineMs: ASK_DEADLINE_MS, isRepeatable: true };
        const answer = await system.ask(recipeAddress(chainId), message, options);
        if ('problem' in answer) refused.push(memberId);
      } catch {
        failedCount += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: ASKS_MAX }, work));
  return { refused, failedCount };
}
