/** Lists of problems have a bounded length, and count the problems beyond it. */
import t from 'tap';
import {
  IssueList,
  joinProblems,
  mapProblems,
  PROBLEM_CHARS_MAX,
  PROBLEMS_MAX,
  type Problem,
  problemCount,
  problemSentence,
} from '../../src/domain/validation.ts';

function wrongItems(count: number): IssueList {
  const issues = new IssueList();
  for (let index = 0; index < count; index += 1) issues.error('WRONG', `items[${index}]`, 'is wrong');
  return issues;
}

t.test('problems: up to the limit all are listed', async (t) => {
  const { errors } = wrongItems(PROBLEMS_MAX);
  t.equal(errors.length, PROBLEMS_MAX);
  t.equal(errors.at(-1)?.name, 'WRONG');
});

t.test('problems: those beyond the limit are counted, and the last entry has their number', async (t) => {
  const issues = wrongItems(9_000);
  t.equal(issues.errors.length, PROBLEMS_MAX + 1);
  t.same(issues.errors.at(-1), {
    name: 'TOO_MANY_PROBLEMS',
    description: '8900 further problems are not listed',
    path: '',
    count: 8_900,
  });
  t.equal(issues.errorCount, 9_000);
  t.equal(problemCount(issues.errors), 9_000);
  t.match(problemSentence(issues.errors), /^items\[0\]: is wrong \(and 8999 more\)$/);
  t.notOk(issues.ok);
});

t.test('problems: included and joined lists have one limit and one count', async (t) => {
  const outer = new IssueList();
  outer.include('one', wrongItems(9_000));
  outer.include('other', wrongItems(60));
  t.equal(outer.errors.length, PROBLEMS_MAX + 1);
  t.equal(outer.errorCount, 9_060);
  t.equal(outer.errors[0]?.path, 'one.items[0]');
  t.equal(outer.errors.filter(({ name }) => name === 'TOO_MANY_PROBLEMS').length, 1);
  const joined = joinProblems(outer.errors, wrongItems(9_000).errors);
  t.equal(joined.length, PROBLEMS_MAX + 1);
  t.equal(problemCount(joined), 18_060);
  const renamed = mapProblems(outer.errors, (problem) => ({ ...problem, name: 'INNER' }));
  t.equal(problemCount(renamed), 9_060, 'mapping keeps the count');
});

t.test('problems: warnings have a list and a limit of their own', async (t) => {
  const issues = new IssueList();
  for (let index = 0; index < 500; index += 1) issues.warning('ODD', '', 'is odd');
  t.ok(issues.ok);
  t.match(
    issues.finish(() => 1),
    { ok: true, value: 1, warnings: { length: PROBLEMS_MAX + 1 } },
  );
});

t.test('problems: long texts are cut between characters', async (t) => {
  const issues = new IssueList();
  const long = '😀'.repeat(PROBLEM_CHARS_MAX);
  issues.error('WRONG', `a${long}`, long);
  const [{ path, description }] = issues.errors as [Problem];
  for (const text of [path, description]) {
    t.ok(text.length <= PROBLEM_CHARS_MAX + 1);
    t.ok(text.isWellFormed());
    t.match(text, /…$/);
  }
});
