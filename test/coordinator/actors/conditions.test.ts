/** Evaluation of conditions: facts of files are read once, filters are evaluated once. */
import t from 'tap';
import { conditionEvaluator } from '../../../src/coordinator/actors/conditions.ts';
import type { FileFacts } from '../../../src/domain/filter/filter-evaluate.ts';
import type { ConditionAsk } from '../../../src/domain/recipe/tree-changes.ts';
import type { FilterTask } from '../../../src/evaluator/evaluate.ts';
import type { Evaluator } from '../../../src/evaluator/evaluator.ts';

const fact = (fileName: string): FileFacts => ({
  fileName,
  mediaType: 'text/plain',
  dataTypes: [],
  metaData: null,
});
const ask = (conditionId: number, files: Record<string, number[]>, json = {}): ConditionAsk => ({
  ...{ conditionId, recipeId: 1, node: 'C', filter: { filters: [], all: true } as never },
  data: { files, json },
});

function evaluatorOf(
  verdict: (task: FilterTask, at: number) => { isAccepted: boolean; reasons: string[] } | undefined,
) {
  const tasks: FilterTask[] = [];
  const evaluator = {
    evaluateFilters: async (asked: readonly FilterTask[]) => {
      tasks.push(...asked);
      return asked.map(verdict);
    },
  } as unknown as Evaluator;
  return { evaluator, tasks };
}

t.test('conditions: answers have the order of the conditions, with reasons for refusals', async (t) => {
  const { evaluator } = evaluatorOf((_, at) => ({
    isAccepted: at === 0,
    reasons: at === 0 ? [] : ['too small', 'too old'],
  }));
  const answers = await conditionEvaluator(evaluator, async () => new Map())([ask(1, {}), ask(2, {})]);
  t.strictSame(answers, [
    { conditionId: 1, isAccepted: true, reason: null },
    { conditionId: 2, isAccepted: false, reason: 'too small; too old' },
  ]);
});

t.test('conditions: the facts of all files are read in one call, each once', async (t) => {
  const { evaluator, tasks } = evaluatorOf(() => ({ isAccepted: true, reasons: [] }));
  const reads: number[][] = [];
  const read = async (ids: readonly number[]) => {
    reads.push([...ids]);
    return new Map(ids.map((id) => [id, fact(`f${id}`)]));
  };
  await conditionEvaluator(evaluator, read)([ask(1, { A: [1, 2] }), ask(2, { B: [2], C: [3] }, { N: 4 })]);
  t.strictSame(reads, [[1, 2, 3]]);
  t.match(tasks[0]?.data, { files: { A: [{ fileName: 'f1' }, { fileName: 'f2' }] } });
  t.match(tasks[1]?.data, { files: { B: [{ fileName: 'f2' }], C: [{ fileName: 'f3' }] }, json: { N: 4 } });
});

t.test('conditions: without files nothing is read', async (t) => {
  const { evaluator } = evaluatorOf(() => ({ isAccepted: true, reasons: [] }));
  const read = () => Promise.reject(new Error('it was read'));
  t.match(await conditionEvaluator(evaluator, read)([ask(1, {})]), [{ isAccepted: true }]);
});

t.test('conditions: a file that is gone is left out', async (t) => {
  const { evaluator, tasks } = evaluatorOf(() => ({ isAccepted: true, reasons: [] }));
  await conditionEvaluator(evaluator, async () => new Map([[1, fact('f1')]]))([ask(1, { A: [1, 2] })]);
  t.equal(tasks[0]?.data.files.A?.length, 1);
});

t.test('conditions: a missing verdict is a refusal, and a failing pool is an error', async (t) => {
  const { evaluator } = evaluatorOf(() => undefined);
  const answers = await conditionEvaluator(evaluator, async () => new Map())([ask(1, {})]);
  t.match(answers, [{ isAccepted: false, reason: /no verdict/ }]);
  const broken = { evaluateFilters: () => Promise.reject(new Error('full')) } as unknown as Evaluator;
  await t.rejects(conditionEvaluator(broken, async () => new Map())([ask(1, {})]), /full/);
});
