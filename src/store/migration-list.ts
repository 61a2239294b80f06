/** All migrations, in order. They are append-only: a released one is never edited. */
import * as tables from './migrations/0001-tables.ts';
import * as objectChanges from './migrations/0002-object-changes.ts';
import * as loadMinutes from './migrations/0003-load-minutes.ts';
import * as cheaperChanges from './migrations/0004-cheaper-object-changes.ts';
import * as usedResources from './migrations/0005-used-resources.ts';
import * as labels from './migrations/0006-labels.ts';
import * as reservedPaths from './migrations/0007-reserved-paths.ts';
import * as deletion from './migrations/0008-deletion.ts';
import * as deletionsUnderWay from './migrations/0009-deletions-under-way.ts';
import * as loginCodes from './migrations/0010-login-codes.ts';
import * as joinsOfChanges from './migrations/0011-joins-of-changes.ts';
import * as consoleTables from './migrations/0012-console.ts';
import * as eventTraces from './migrations/0013-event-traces.ts';
import * as trials from './migrations/0014-trials.ts';
import * as boots from './migrations/0015-boots.ts';
import * as shorterTexts from './migrations/0016-shorter-texts-of-changes.ts';
import * as previousCounts from './migrations/0017-previous-counts.ts';
import * as purgedProducts from './migrations/0018-purged-products.ts';
import * as searchedNames from './migrations/0019-searched-names.ts';
import * as notesOfFailures from './migrations/0020-notes-of-failures.ts';
import * as workAhead from './migrations/0021-work-ahead.ts';
import * as lighterIngests from './migrations/0022-lighter-ingests.ts';
import * as countsByTime from './migrations/0023-counts-by-time.ts';
import * as firstModified from './migrations/0024-first-modified.ts';
import * as firstModifiedFolded from './migrations/0025-first-modified-folded.ts';
import * as countsByInstants from './migrations/0026-counts-by-instants.ts';

/** The table with the names of the migrations that were run. */
export const MIGRATION_TABLE = 'schema_migration';

/** The first migration of versions before the first release, whose databases cannot be migrated. */
export const UNRELEASED = '0001-initial';

export interface MigrationFile {
  readonly name: string;
  /** Whether a coordinator of the previous schema must not run beside this one. */
  readonly isBreaking: boolean;
  readonly up: readonly string[];
}

export const MIGRATION_FILES: readonly MigrationFile[] = [
  tables,
  objectChanges,
  loadMinutes,
  cheaperChanges,
  usedResources,
  labels,
  reservedPaths,
  deletion,
  deletionsUnderWay,
  loginCodes,
  joinsOfChanges,
  consoleTables,
  eventTraces,
  trials,
  boots,
  shorterTexts,
  previousCounts,
  purgedProducts,
  searchedNames,
  notesOfFailures,
  workAhead,
  lighterIngests,
  countsByTime,
  firstModified,
  firstModifiedFolded,
  countsByInstants,
];
