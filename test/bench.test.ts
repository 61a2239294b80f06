/** Tiny runs of all benches but those that start much or fill tables (`test/bench/`). */
import t from 'tap';
import { ALL, OF_CLUSTERS, OF_FILES, OF_JOBS, OF_PAGES, OF_READS, testTinyRuns } from './bench/tiny-runs.ts';

const elsewhere = [...OF_CLUSTERS, ...OF_FILES, ...OF_JOBS, ...OF_PAGES, ...OF_READS];

t.test('bench: benches that other tests run exist', async (t) => {
  t.strictSame(
    elsewhere.filter((name) => !ALL.includes(name)),
    [],
  );
});

testTinyRuns(
  t,
  ALL.filter((name) => !elsewhere.includes(name)),
);
