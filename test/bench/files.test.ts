/** Tiny runs of the benches that start the whole system for files, or containers. */
import t from 'tap';
import { OF_FILES, testTinyRuns } from './tiny-runs.ts';

testTinyRuns(t, OF_FILES);
