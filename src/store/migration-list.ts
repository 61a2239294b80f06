/** Every migration, in order. Append-only once released. */
import * as initial from './migrations/0001-initial.ts';
import * as scans from './migrations/0003-scans.ts';
import * as strikeQueues from './migrations/0004-strike-queues.ts';
import * as hourTotals from './migrations/0005-hour-totals.ts';
import * as purge from './migrations/0006-purge.ts';
import * as listIndexes from './migrations/0007-list-indexes.ts';
import * as batches from './migrations/0008-batches.ts';
import * as jobOutcomes from './migrations/0009-job-outcomes.ts';
import * as accounts from './migrations/0010-accounts.ts';
import * as clientSpellings from './migrations/0011-client-spellings.ts';
import * as retryPause from './migrations/0012-retry-pause.ts';
import * as listCounts from './migrations/0013-list-counts.ts';
import * as secretKeys from './migrations/0016-secret-keys.ts';
import * as fileNames from './migrations/0017-file-names.ts';
import * as accountIdentities from './migrations/0018-account-identities.ts';
import * as listingMarks from './migrations/0019-listing-marks.ts';
import * as datasetFileCounts from './migrations/0020-dataset-file-counts.ts';
import * as purgeAsked from './migrations/0021-purge-asked.ts';
import * as youngTables from './migrations/0022-young-tables.ts';
import * as batchListCounts from './migrations/0023-batch-list-counts.ts';
import * as recipeWrites from './migrations/0024-recipe-writes.ts';
import * as scanArrivals from './migrations/0025-scan-arrivals.ts';
import * as idStripes from './migrations/0026-id-stripes.ts';
import * as leaseDurations from './migrations/0027-lease-durations.ts';
import * as busKeys from './migrations/0028-bus-keys.ts';
import * as requestOrder from './migrations/0029-request-order.ts';
import * as idempotencyKeys from './migrations/0030-idempotency-keys.ts';
import * as runOrder from './migrations/0031-run-order.ts';
import * as declaredMediaTypes from './migrations/0032-declared-media-types.ts';
import * as waitingScans from './migrations/0033-waiting-scans.ts';
import * as typeUpdates from './migrations/0034-type-updates.ts';
import * as hosts from './migrations/0035-hosts.ts';
import * as unmetSince from './migrations/0036-unmet-since.ts';
import * as reasons from './migrations/0037-reasons.ts';
import * as coordinatorWarnings from './migrations/0038-coordinator-warnings.ts';
import * as formerConfigurations from './migrations/0039-former-configurations.ts';
import * as liveRecipes from './migrations/0040-live-recipes.ts';
import * as newestRevisions from './migrations/0041-newest-revisions.ts';
import * as askers from './migrations/0042-askers.ts';

/** The table with the names of applied migrations. */
export const MIGRATION_TABLE = 'schema_migration';

interface MigrationFile {
  readonly name: string;
  /** Whether a coordinator of the previous schema must not run beside this one. */
  readonly isBreaking: boolean;
  readonly up: readonly string[];
}

export const MIGRATION_FILES: readonly MigrationFile[] = [
  initial,
  scans,
  strikeQueues,
  hourTotals,
  purge,
  listIndexes,
  batches,
  jobOutcomes,
  accounts,
  clientSpellings,
  retryPause,
  listCounts,
  secretKeys,
  fileNames,
  accountIdentities,
  listingMarks,
  datasetFileCounts,
  purgeAsked,
  youngTables,
  batchListCounts,
  recipeWrites,
  scanArrivals,
  idStripes,
  leaseDurations,
  busKeys,
  requestOrder,
  idempotencyKeys,
  runOrder,
  declaredMediaTypes,
  waitingScans,
  typeUpdates,
  hosts,
  unmetSince,
  reasons,
  coordinatorWarnings,
  formerConfigurations,
  liveRecipes,
  newestRevisions,
  askers,
];
