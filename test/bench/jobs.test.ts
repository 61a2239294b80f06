/** Tiny runs of the benches that start the whole system and queue jobs. */
import t from 'tap';
import { OF_JOBS, testTinyRuns } from './tiny-runs.ts';

testTinyRuns(t, OF_JOBS);
