/** The way from files to checked records, which all commands share. */
import { type CheckedRecord, checkRecords } from './check.ts';
import { type Desired, titleOf } from './documents.ts';
import { type Expanded, expandFiles } from './expand.ts';
import { type Facts, factsOf, knownJobs, mentioned, serverFacts } from './facts.ts';
import { type LoadedFile, type LoadOptions, loadFiles } from './load-files.ts';
import { placeOf } from './origins.ts';
import type { Records } from './server.ts';
import type { Findings } from './source.ts';

/** Records as files describe them, expanded with what a server knows of job types, if there is one. */
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

/** Which job types the files name, before anything of them is known. */
function expandQuietly(files: readonly LoadedFile[]): Expanded {
  const nothing = { error: () => undefined, warning: () => undefined } as unknown as Findings;
  return expandFiles(files, new Map(), nothing);
}

export interface CheckedFiles {
  readonly records: readonly CheckedRecord[];
  /** What the server has; undefined without a server. */
  readonly facts: Facts | undefined;
}

/** Checks the records with all that the files and the server know. */
export async function checkAll(
  { records }: Expanded,
  findings: Findings,
  server: Records | undefined,
): Promise<CheckedFiles> {
  const facts = server === undefined ? undefined : await serverFacts(records, server);
  return { records: checkRecords(records, factsOf(records, facts), findings), facts };
}

/** Warnings of a validation that say nothing new: what a filter means, and defaults that are meant. */
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
 * Asks the server's own validation about records whose references it has. Others are checked here only: the server
 * would miss what the same files create.
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
