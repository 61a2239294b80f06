/** Tiny runs of the benches that start the whole system for files, containers, or the stream of changes. */
import t from 'tap';
import { OF_FILES, testTinyRuns } from './tiny-runs.ts';

testTinyRuns(t, OF_FILES);
