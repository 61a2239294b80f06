/** Tiny runs of the benches that start several systems, with many agents or coordinators. */
import t from 'tap';
import { OF_CLUSTERS, testTinyRuns } from './tiny-runs.ts';

testTinyRuns(t, OF_CLUSTERS);
