import t from 'tap';
import { countTap } from './tap-counts.ts';

const summary = (output: string) => {
  const { passed, failures, skipped } = countTap(output);
  return { passed, failed: failures.map(({ path }) => path), skipped: skipped.map(({ path }) => path) };
};

t.test('tap counts: assertions count, and summary lines of subtests do not', async (t) => {
  const output = `TAP version 14
# Subtest: outer
    # Subtest: inner
        ok 1 - a
        ok 2 - b
        1..2
    ok 1 - inner
    ok 2 - c
    1..2
ok 1 - outer
ok 2 - d
1..2
`;
  t.same(summary(output), { passed: 4, failed: [], skipped: [] });
});

t.test('tap counts: a failure is counted once, with its path', async (t) => {
  const output = `TAP version 14
# Subtest: outer
    ok 1 - a
    not ok 2 - b
    1..2
not ok 1 - outer
1..1
`;
  t.same(summary(output), { passed: 1, failed: ['outer > b'], skipped: [] });
});

t.test('tap counts: a failed subtest without a failed assertion is a failure', async (t) => {
  const output = `TAP version 14
# Subtest: slow
    ok 1 - a
    1..1
not ok 1 - slow
1..1
`;
  t.same(summary(output), { passed: 1, failed: ['slow'], skipped: [] });
});

t.test('tap counts: buffered subtests are read like others', async (t) => {
  const output = `TAP version 14
not ok 1 - outer {
    ok 1 - a
    not ok 2 - b
    1..2
}
ok 2 - d
1..2
`;
  t.same(summary(output), { passed: 2, failed: ['outer > b'], skipped: [] });
});

t.test('tap counts: skipped and todo tests are neither passed nor failed', async (t) => {
  const output = `TAP version 14
ok 1 - needs docker # SKIP no container engine
not ok 2 - later # todo
ok 3 - a
1..3
`;
  t.same(summary(output), { passed: 1, failed: [], skipped: ['needs docker', 'later'] });
});

for (const [name, output] of [
  ['nothing at all', ''],
  ['a stream cut off before its plan', 'TAP version 14\nok 1 - a\n'],
  ['fewer assertions than planned', 'TAP version 14\n1..2\nok 1 - a\n'],
  ['an empty plan', 'TAP version 14\n1..0\n'],
  ['a bail out', 'TAP version 14\nok 1 - a\nBail out! no\n'],
] as const) {
  t.test(`tap counts: ${name} is a failure`, async (t) => {
    t.equal(countTap(output).failures.length, 1);
  });
}

t.test('tap counts: what tests say is kept, without what tap says', async (t) => {
  const output = `TAP version 14
# Subtest: outer
    # Subtest: inner
        # E2E_SEED=4
        not ok 1 - a
        1..1
        # failed 1 test
    not ok 1 - inner # time=4ms
    # --- a.log
    # {"time":1}
    1..1
    # failed 1 test
not ok 1 - outer
1..1
# failed 1 test
# time=33ms
`;
  t.same(countTap(output).comments, ['E2E_SEED=4', '--- a.log', '{"time":1}']);
});
