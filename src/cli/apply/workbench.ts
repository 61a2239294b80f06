/** From files to checked records: the steps that all commands share. */
import { type CheckedRecord, checkRecords } from './check.ts';
import { type Desired, titleOf } from './documents.ts';
import { type Expanded, expandFiles } from './expand.ts';
import { type Facts, factsOf, knownJobs, mentioned, serverFacts } from './facts.ts';
import { type LoadedFile, type LoadOptions, loadFiles } from './load-files.ts';
import { placeOf } from './origins.ts';
import type { Records } from './server.ts';
import { Findings } from './source.ts';

/** The records that files describe, expanded with a server's facts about job types if there is a server. */
export async function expandAll(
  options: LoadOptions,
  findings: Findings,
  serverOf: (() => Promise<Records>) | undefined,
): Promise<Expanded> {
  const files = loadFiles(options, findings);
  const expanded = expandQuietly(files);
  if (expanded.externalJobs.length === 0 || serverOf === undefined)
    return expandFiles(files, new Map(), findings);
  const known = await knownJobs(expanded.externalJobs, await serverOf());
  return expandFiles(files, known, findings);
}

/** Expands without facts and findings, to learn which job types the files name. */
function expandQuietly(files: readonly LoadedFile[]): Expanded {
  return expandFiles(files, new Map(), new Findings());
}

export interface CheckedFiles {
  readonly records: readonly CheckedRecord[];
  /** The server's facts; undefined without a server. */
  readonly facts: Facts | undefined;
}

/** Checks the records with the facts of the files and the server. */
export async function checkAll(
  { records }: Expanded,
  findings: Findings,
  server: Records | undefined,
): Promise<CheckedFiles> {
  const facts = server === undefined ? undefined : await serverFacts(records, server);
  return { records: checkRecords(records, factsOf(records, facts), findings), facts };
}

/** Warnings of a validation that are not shown: the meaning of a filter, and defaults that are wanted. */
const SILENT: ReadonlySet<string> = new Set([
  ...[
    'FILTER_MEANING',
    'missing_transfer_suffix',
    'MISSING_SETTING',
    'TOO_MANY_PROBLEMS',
    'UNMATCHED_PARAMETERS',
  ],
  'unknown_workspace',
]);

/**
 * Has the server validate the records whose references it knows. Others are checked here only, because the server does
 * not have the records that the same files create.
 */
export async function validateOnServer(
  records: readonly CheckedRecord[],
  facts: Facts,
  server: Records,
  findings: Findings,
): Promise<void> {
  for (const { desired } of records) {
    if (!isKnownThere(desired, facts)) continue;
    const { is_active: _active, is_paused: _paused, ...form } = desired.body;
    const found = await server.validate(desired.kind, form);
    const where = (path: string) => placeOf(desired.origins, path, desired.at);
    for (const { path, description } of found.errors) {
      findings.error(
        desired.file,
        where(path),
        `the server refuses the ${titleOf(desired)}: ${path}: ${description}`,
      );
    }
    for (const { name, path, description } of found.warnings) {
      if (!SILENT.has(name)) findings.warning(desired.file, where(path), `the server warns: ${description}`);
    }
  }
}

function isKnownThere(desired: Desired, { workspaces, jobTypes, recipeTypes }: Facts): boolean {
  const names = mentioned(desired);
  return (
    names.workspaces.every((name) => workspaces.has(name)) &&
    names.recipeTypes.every(({ name }) => recipeTypes.has(name)) &&
    names.definition.recipeTypes.every((name) => recipeTypes.has(name)) &&
    names.definition.jobTypes.every(({ name, version }) => jobTypes.has(`${name} ${version}`))
  );
}
