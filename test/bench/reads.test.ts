/** Tiny runs of the benches that fill tables and read them. */
import t from 'tap';
import { OF_READS, testTinyRuns } from './tiny-runs.ts';

t.setTimeout(280_000);
testTinyRuns(t, OF_READS);
