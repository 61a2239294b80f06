/** Tiny runs of the benches that fill tables and read them. */
import t from 'tap';
import { OF_READS, testTinyRuns } from './tiny-runs.ts';

testTinyRuns(t, OF_READS);
