/**
 * Checks configurations of job types, jobs and recipes against manifests and existing workspaces. Errors stop a create
 * or edit; warnings say what will be ignored or missing at run time.
 */
import { checkJson, childPath } from '../document/json-value.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { didYouMean } from '../near-names.ts';
import { type Checked, IssueList } from '../validation.ts';
import type { WorkspaceFacts } from '../workspace/workspace-config.ts';
import {
  fullConfiguration,
  type JobConfiguration,
  type JobConfigurationPart,
  outputWorkspaceOf,
  readJobConfiguration,
  type SettingValues,
  withJobConfiguration,
} from './job-config.ts';

type Workspaces = ReadonlyMap<string, WorkspaceFacts>;

const SHAPE = 'INVALID_CONFIGURATION';

/**
 * Checks the configuration of a job type. `secrets` names settings whose values are already stored, so that they do not
 * count as missing.
 */
export function validateJobTypeConfiguration(
  document: unknown,
  manifest: Manifest,
  workspaces: Workspaces,
  secrets: ReadonlySet<string> = new Set(),
): Checked<JobConfiguration> {
  const issues = new IssueList();
  const part = checkJson(document, issues, SHAPE) ? readJobConfiguration(issues, document) : {};
  const full = fullConfiguration(part);
  checkWorkspaces(issues, full, workspaces);
  checkAgainst(issues, full, manifest, secrets);
  return issues.finish(() => full);
}

/**
 * Checks a single job's own configuration merged with its job type's. The value is the part as sent; warnings concern
 * only the part, errors the merged configuration.
 */
export function validateJobConfiguration(
  document: unknown,
  base: JobConfiguration,
  manifest: Manifest,
  workspaces: Workspaces,
): Checked<JobConfigurationPart> {
  const issues = new IssueList();
  const part = checkJson(document, issues, SHAPE) ? readJobConfiguration(issues, document) : {};
  checkWorkspaces(issues, part, workspaces);
  checkOutputs(issues, withJobConfiguration(base, part), manifest);
  warnOfUnknown(issues, part, [manifest]);
  return issues.finish(() => part);
}

/** Checks everything that does not depend on job types. `values`: which values settings may have. */
export function validateConfigurationForm(
  document: unknown,
  workspaces: Workspaces,
  values: SettingValues,
): Checked<JobConfigurationPart> {
  const issues = new IssueList();
  const part = checkJson(document, issues, SHAPE) ? readJobConfiguration(issues, document, values) : {};
  checkWorkspaces(issues, part, workspaces);
  return issues.finish(() => part);
}

/** Checks a recipe's configuration against every job type of its definition. */
export function validateRecipeConfiguration(
  document: unknown,
  manifests: readonly Manifest[],
  workspaces: Workspaces,
): Checked<JobConfigurationPart> {
  const issues = new IssueList();
  const part = checkJson(document, issues, SHAPE) ? readJobConfiguration(issues, document, 'scalars') : {};
  checkWorkspaces(issues, part, workspaces);
  warnOfUnknown(issues, part, manifests);
  return issues.finish(() => part);
}

function checkWorkspaces(issues: IssueList, part: JobConfigurationPart, workspaces: Workspaces): void {
  const named = part.output_workspaces;
  if (named === undefined) return;
  const check = (name: string, path: string): void => {
    if (name === '') return;
    const facts = workspaces.get(name);
    if (facts === undefined && issues.isFullOfErrors) issues.countErrors(1);
    else if (facts === undefined) {
      const text = `there is no workspace '${name}'${didYouMean(name, workspaces.keys())}`;
      issues.error('INVALID_WORKSPACE', path, text);
    } else if (!facts.isActive) {
      issues.warning('DEPRECATED_WORKSPACE', path, `the workspace '${name}' is not active: jobs will fail`);
    }
  };
  check(named.default, 'output_workspaces.default');
  for (const [output, name] of Object.entries(named.outputs)) {
    check(name, childPath('output_workspaces.outputs', output));
  }
}

function checkAgainst(
  issues: IssueList,
  full: JobConfiguration,
  manifest: Manifest,
  secrets: ReadonlySet<string>,
): void {
  checkOutputs(issues, full, manifest);
  warnOfUnknown(issues, full, [manifest]);
  const { mounts, settings } = manifest.job.interface;
  for (const { name } of mounts) {
    if (Object.hasOwn(full.mounts, name)) continue;
    const text = `the mount '${name}' of the manifest is not configured: jobs will fail`;
    issues.warning('MISSING_MOUNT', childPath('mounts', name), text);
  }
  for (const { name } of settings) {
    if (Object.hasOwn(full.settings, name) || secrets.has(name)) continue;
    const text = `the setting '${name}' of the manifest has no value: its variable will be unset`;
    issues.warning('MISSING_SETTING', childPath('settings', name), text);
  }
}

/** Every output file needs a workspace, optional ones as well, because they may appear. */
function checkOutputs(issues: IssueList, full: JobConfiguration, manifest: Manifest): void {
  for (const { name } of manifest.job.interface.outputs.files) {
    if (outputWorkspaceOf(full, name) !== undefined) continue;
    const text = `the output '${name}' has no workspace, neither of its own nor by default`;
    issues.error('MISSING_WORKSPACE', childPath('output_workspaces.outputs', name), text);
  }
}

function warnOfUnknown(issues: IssueList, part: JobConfigurationPart, manifests: readonly Manifest[]): void {
  const known = (pick: (manifest: Manifest) => readonly { readonly name: string }[]): ReadonlySet<string> => {
    return new Set(manifests.flatMap((manifest) => pick(manifest).map(({ name }) => name)));
  };
  const warn = (
    problem: string,
    path: string,
    given: object | undefined,
    names: ReadonlySet<string>,
  ): void => {
    for (const name of Object.keys(given ?? {})) {
      if (names.has(name)) continue;
      issues.warning(problem, childPath(path, name), `no manifest knows '${name}': it will be ignored`);
    }
  };
  const outputs = part.output_workspaces?.outputs;
  warn(
    'UNKNOWN_MOUNT',
    'mounts',
    part.mounts,
    known((manifest) => manifest.job.interface.mounts),
  );
  warn(
    'UNKNOWN_SETTING',
    'settings',
    part.settings,
    known((manifest) => manifest.job.interface.settings),
  );
  const files = known((manifest) => manifest.job.interface.outputs.files);
  warn('UNKNOWN_OUTPUT', 'output_workspaces.outputs', outputs, files);
}
