/** Tiny runs of the benches that measure pages. */
import t from 'tap';
import { OF_PAGES, testTinyRuns } from './tiny-runs.ts';

testTinyRuns(t, OF_PAGES);
