import fc from 'fast-check';
import t from 'tap';
import type { FilterTask } from '../../src/evaluator/evaluate.ts';
import type { Evaluator } from '../../src/evaluator/evaluator.ts';
import { createEvaluator, type EvaluatorOptions } from '../../src/evaluator/pool.ts';
import { checkFilter } from '../support/filters.ts';

function evaluatorFor(
  t: { teardown(end: () => unknown): unknown },
  options: EvaluatorOptions = {},
): Evaluator {
  const evaluator = createEvaluator({ threads: 1, ...options });
  t.teardown(() => evaluator.close());
  return evaluator;
}
const RULES = {
  key: 'native',
  rules: [
    { filename_regex: '.*\\.h5$' },
    { filename_regex: 'in/', match: 'path' as const },
    { filename_regex: 'b' },
  ],
};
const MIXED = { key: 'mixed', rules: [{ filename_regex: '(?i).*\\.H5$' }, ...RULES.rules.slice(1)] };
const PATHS = ['a.h5', 'in/b.txt', 'x/b.txt', 'x/in/c', 'in/d.h5', '', 'é/b😀'];
const EXPECTED = [0, 1, 2, -1, 0, -1, 2];

t.test('evaluator: the first matching rule decides, on the base name or the path', async (t) => {
  const evaluator = evaluatorFor(t);
  t.strictSame([...(await evaluator.matchRules(RULES, PATHS))], EXPECTED);
  t.strictSame([...(await evaluator.matchRules(MIXED, PATHS))], EXPECTED, 'in the pool as well');
  t.strictSame([...(await evaluator.matchRules(MIXED, []))], []);
  t.strictSame([...(await evaluator.matchRules({ key: 'none', rules: [] }, ['a']))], [-1]);
  t.strictSame(
    [
      ...(await evaluator.matchRules(
        { key: 'bad', rules: [{ filename_regex: '(' }, { filename_regex: 'a' }] },
        ['a'],
      )),
    ],
    [1],
  );
});

t.test(
  'evaluator: the results for many paths are in order, from threads and from the calling thread',
  async (t) => {
    const paths = Array.from(
      { length: 25_000 },
      (_, index) => `dir${index % 7}/file${index}.${index % 3 === 0 ? 'h5' : 'txt'}`,
    );
    const expected = paths.map((path) => (path.endsWith('h5') ? 0 : path.startsWith('dir3') ? 1 : -1));
    const rules = [{ filename_regex: '.*h5' }, { filename_regex: 'dir3', match: 'path' as const }];
    for (const inlineBudgetMs of [0, 1, 60_000]) {
      const evaluator = evaluatorFor(t, { threads: 2, inlineBudgetMs });
      t.strictSame(
        [...(await evaluator.matchRules({ key: 'many', rules }, paths))],
        expected,
        `${inlineBudgetMs} ms on the calling thread`,
      );
    }
  },
);

t.test(
  'evaluator: invalid patterns are reported with reasons, also when they are checked again',
  async (t) => {
    const evaluator = evaluatorFor(t);
    const verdicts = await evaluator.checkPatterns(['.*', '*.h5', '(?=a)b', '.*']);
    t.equal(verdicts.size, 3);
    t.equal(verdicts.get('.*'), undefined);
    t.match(verdicts.get('*.h5'), /the expression is invalid/);
    t.match(verdicts.get('(?=a)b'), /linear time/);
    t.strictSame(await evaluator.checkPatterns(['*.h5']), new Map([['*.h5', verdicts.get('*.h5')]]));
  },
);

t.test('evaluator: the verdicts of few and of many filters are in order', async (t) => {
  const checked = checkFilter({ filters: [{ name: 'N', type: 'integer', condition: '<', values: [5] }] });
  if (!checked.ok) throw new Error('the filter of this test is wrong');
  const task = (value: number): FilterTask => ({
    filter: checked.value,
    data: { files: {}, json: { N: value } },
  });
  const evaluator = evaluatorFor(t);
  t.strictSame(
    (await evaluator.evaluateFilters([task(6), task(5)])).map((verdict) => verdict.isAccepted),
    [true, false],
  );
  const many = await evaluator.evaluateFilters(Array.from({ length: 3_000 }, (_, index) => task(index)));
  t.equal(many.filter((verdict) => verdict.isAccepted).length, 2_994);
  t.match(many[0], { isAccepted: false, reasons: [/ is | contains /] });

  const wide = checkFilter({
    filters: [
      { name: 'N', type: 'integer', condition: 'in', values: Array.from({ length: 9_000 }, (_, n) => n) },
    ],
  });
  if (!wide.ok) throw new Error('the filter of this test is wrong');
  const heavy = [8_999, 9_000, 1, -1, 0].map((N) => ({
    filter: wide.value,
    data: { files: {}, json: { N } },
  }));
  t.strictSame(
    (await evaluator.evaluateFilters(heavy)).map((verdict) => verdict.isAccepted),
    [true, false, true, false, true],
    'in the pool',
  );
});

t.test('evaluator: calls beyond the queue are refused as overloaded, and others are answered', async (t) => {
  const evaluator = evaluatorFor(t, { queueMax: 1 });
  const calls = Array.from({ length: 20 }, () => evaluator.matchRules(MIXED, PATHS));
  const results = await Promise.allSettled(calls);
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  t.ok(refused.length > 0 && refused.length < 20, `${refused.length} of 20 were refused`);
  t.ok(refused.every((error) => error.code === 'OVERLOADED' && error.retryable));
  t.strictSame([...(await evaluator.matchRules(MIXED, PATHS))], EXPECTED);
});

t.test(
  'evaluator: the thread of a task past its deadline is ended, and the next task gets a new one',
  async (t) => {
    // Each path costs re2js milliseconds: enough work to exceed the deadline, without a stall.
    const slow = { key: 'slow', rules: [{ filename_regex: '(?i)(?:a?){400}$' }] };
    const paths = new Array<string>(4_000).fill(`${'a'.repeat(250)}!`);
    const evaluator = evaluatorFor(t, { deadlineMs: 1_500 });
    await t.rejects(evaluator.matchRules(slow, paths), { code: 'DEADLINE_EXCEEDED' });

    // On a busy machine the start of the new thread may itself exceed so short a deadline, so it is tried again.
    let answer: Int32Array | undefined;
    for (let attempt = 0; attempt < 20 && answer === undefined; attempt += 1) {
      answer = await evaluator.matchRules(MIXED, PATHS).catch((error) => {
        if (error.code !== 'DEADLINE_EXCEEDED') throw error;
        return undefined;
      });
    }
    t.strictSame([...(answer ?? [])], EXPECTED);
  },
);

t.test('evaluator: after close running calls end and new ones are refused', async (t) => {
  const evaluator = createEvaluator({ threads: 1 });
  const running = evaluator.matchRules(MIXED, PATHS);
  await evaluator.close();
  t.strictSame([...(await running)], EXPECTED, 'what was running has ended');
  await t.rejects(evaluator.matchRules(RULES, PATHS), { code: 'SHUTTING_DOWN' });
  await t.rejects(evaluator.evaluateFilters([]), { code: 'SHUTTING_DOWN' });
  await t.rejects(evaluator.checkPatterns(['a']), { code: 'SHUTTING_DOWN' });
});

t.test('evaluator: threads and the calling thread agree on random names', async (t) => {
  const inline = evaluatorFor(t, { inlineBudgetMs: 60_000 });
  const pooled = evaluatorFor(t, { inlineBudgetMs: 0 });
  const path = fc
    .array(fc.string({ unit: fc.constantFrom('a', 'b', '.', 'h', '5', 'é', '\n', ' '), maxLength: 8 }), {
      minLength: 1,
      maxLength: 3,
    })
    .map((parts) => parts.join('/'));
  await fc.assert(
    fc.asyncProperty(fc.array(path, { maxLength: 50 }), async (paths) => {
      const [one, other] = await Promise.all([
        inline.matchRules(RULES, paths),
        pooled.matchRules(RULES, paths),
      ]);
      return Buffer.compare(Buffer.from(one.buffer), Buffer.from(other.buffer)) === 0;
    }),
    { numRuns: 60 },
  );
});
