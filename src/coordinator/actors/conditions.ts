/** Evaluates the conditions of recipes: reads facts about files from the store, and runs filters in threads. */
import type { FileFacts, FilterData } from '../../domain/filter/filter-evaluate.ts';
import type { ConditionAsk } from '../../domain/recipe/tree-changes.ts';
import type { ConditionAnswer } from '../../domain/recipe/tree-events.ts';
import type { FilterTask } from '../../evaluator/evaluate.ts';
import type { Evaluator } from '../../evaluator/evaluator.ts';

/** Reads the facts of files by their ids. A file that does not exist is missing in the result. */
export type ReadFileFacts = (fileIds: readonly number[]) => Promise<ReadonlyMap<number, FileFacts>>;

export function conditionEvaluator(evaluator: Evaluator, readFacts: ReadFileFacts) {
  return async (asks: readonly ConditionAsk[]): Promise<readonly ConditionAnswer[]> => {
    const ids = asks.flatMap((ask) => Object.values(ask.data.files).flat());
    const facts = ids.length === 0 ? new Map<number, FileFacts>() : await readFacts([...new Set(ids)]);
    const tasks = asks.map((ask): FilterTask => ({ filter: ask.filter, data: dataOf(ask, facts) }));
    const verdicts = await evaluator.evaluateFilters(tasks);
    return asks.map((ask, index) => {
      const verdict = verdicts[index];
      const isAccepted = verdict?.isAccepted === true;
      const reason = isAccepted ? null : (verdict?.reasons.join('; ') ?? 'the filter gave no verdict');
      return { conditionId: ask.conditionId, isAccepted, reason };
    });
  };
}

function dataOf(ask: ConditionAsk, facts: ReadonlyMap<number, FileFacts>): FilterData {
  const files = Object.entries(ask.data.files).map(([name, ids]) => {
    const known = ids.map((id) => facts.get(id)).filter((one) => one !== undefined);
    return [name, known] as const;
  });
  return { files: Object.fromEntries(files), json: ask.data.json as FilterData['json'] };
}
