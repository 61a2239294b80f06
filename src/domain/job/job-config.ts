/**
 * The configuration of jobs: mounts, output workspaces, priority, settings. Job types have a complete one; recipes and
 * single jobs have parts. This module reads and merges them; `job-config-check.ts` checks them against a manifest.
 */
import { Fields } from '../document/fields.ts';
import { isAbsent } from '../document/json-value.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { normalisePath } from '../paths.ts';
import type { IssueList } from '../validation.ts';
import { hostPathProblem } from '../workspace/workspace-config.ts';

export interface HostMount {
  readonly type: 'host';
  readonly host_path: string;
}
export interface VolumeMount {
  readonly type: 'volume';
  /** Empty: the default volume driver. */
  readonly driver: string;
  readonly driver_opts: Readonly<Record<string, string>>;
}
export type MountConfiguration = HostMount | VolumeMount;

export interface OutputWorkspaces {
  /** Name of a workspace; empty: none. */
  readonly default: string;
  /** Output name to workspace name. */
  readonly outputs: Readonly<Record<string, string>>;
}

/** A complete configuration, as stored with a job type and used by a job. */
export interface JobConfiguration {
  readonly mounts: Readonly<Record<string, MountConfiguration>>;
  readonly output_workspaces: OutputWorkspaces;
  /** From 1; smaller numbers come first. */
  readonly priority: number;
  readonly settings: Readonly<Record<string, string>>;
  /** MiB of each output stream that are kept; absent: `LOG_LIMIT_DEFAULT`. */
  readonly log_limit?: number;
  /** Absent: `long`. */
  readonly product_path?: ProductPath;
}

/**
 * Where products are stored in their workspace: `long`, in a directory of their execution; `own`, at their paths below
 * the output directory.
 */
export type ProductPath = (typeof PRODUCT_PATHS)[number];
export const PRODUCT_PATHS = ['long', 'own'] as const;
/** A configuration as sent: only the sections that were given. */
export type JobConfigurationPart = Partial<JobConfiguration>;

export const DEFAULT_PRIORITY = 100;
/** MiB of each output stream. */
export const LOG_LIMIT_DEFAULT = 16;
export const LOG_LIMIT_MAX = 256;
const EMPTY_JOB_CONFIGURATION: JobConfiguration = Object.freeze({
  mounts: {},
  output_workspaces: { default: '', outputs: {} },
  priority: DEFAULT_PRIORITY,
  settings: {},
});

const SHAPE = 'INVALID_CONFIGURATION';
const NAME_CHARS_MAX = 250;

/** The values that settings may have: texts, or any scalar, which is stored as text. */
export type SettingValues = 'texts' | 'scalars';

/** Reads the given sections; wrong parts are reported and left out. */
export function readJobConfiguration(
  issues: IssueList,
  document: unknown,
  values: SettingValues = 'texts',
): JobConfigurationPart {
  if (isAbsent(document)) return {};
  const fields = Fields.open(issues, SHAPE, document, '');
  if (fields === undefined) return {};
  fields.acceptVersion('INVALID_VERSION');
  const part: { -readonly [K in keyof JobConfiguration]?: JobConfiguration[K] } = {};
  if (fields.has('mounts')) part.mounts = readMounts(issues, fields);
  if (fields.has('output_workspaces')) part.output_workspaces = readOutputWorkspaces(issues, fields);
  const priority = readPriority(fields);
  if (priority !== undefined) part.priority = priority;
  if (fields.has('settings')) part.settings = readSettings(issues, fields, values);
  const logLimit = readLogLimit(fields);
  if (logLimit !== undefined) part.log_limit = logLimit;
  const productPath = fields.oneOf('product_path', PRODUCT_PATHS);
  if (productPath !== undefined) part.product_path = productPath;
  fields.refuseOthers();
  return part;
}

function readLogLimit(fields: Fields): number | undefined {
  const limit = fields.integer('log_limit');
  if (limit === undefined || (limit >= 1 && limit <= LOG_LIMIT_MAX)) return limit;
  fields.error('log_limit', `'log_limit' must be 1 to ${LOG_LIMIT_MAX} MiB`, SHAPE);
  return undefined;
}

function readPriority(fields: Fields): number | undefined {
  const priority = fields.integer('priority');
  if (priority === undefined || priority >= 1) return priority;
  fields.error('priority', `'priority' must be at least 1`, 'INVALID_PRIORITY');
  return undefined;
}

function readMounts(issues: IssueList, parent: Fields): Record<string, MountConfiguration> {
  const mounts: [string, MountConfiguration][] = [];
  for (const { name, value, path } of parent.map('mounts')) {
    const fields = Fields.open(issues, SHAPE, value, path);
    const mount = fields === undefined ? undefined : readMount(issues, fields);
    if (mount !== undefined) mounts.push([name, mount]);
  }
  return Object.fromEntries(mounts);
}

function readMount(issues: IssueList, fields: Fields): MountConfiguration | undefined {
  const type = fields.oneOf('type', ['host', 'volume'], { required: true });
  if (type === undefined) return undefined;
  const mount = type === 'host' ? readHostMount(fields) : readVolumeMount(issues, fields);
  fields.refuseOthers();
  return mount;
}

function readHostMount(fields: Fields): HostMount | undefined {
  const hostPath = fields.text('host_path', { required: true, max: 1_000 });
  if (hostPath === undefined) return undefined;
  const problem = hostPathProblem(hostPath);
  if (problem === undefined) return { type: 'host', host_path: normalisePath(hostPath) };
  fields.error('host_path', `'host_path' ${problem}`, 'HOST_ABSOLUTE_PATH');
  return undefined;
}

function readVolumeMount(issues: IssueList, fields: Fields): VolumeMount {
  const driver = fields.text('driver', { min: 0, max: NAME_CHARS_MAX }) ?? '';
  return { type: 'volume', driver, driver_opts: readTexts(issues, fields, 'driver_opts', SHAPE) };
}

function readOutputWorkspaces(issues: IssueList, parent: Fields): OutputWorkspaces {
  const fields = parent.object('output_workspaces');
  if (fields === undefined) return EMPTY_JOB_CONFIGURATION.output_workspaces;
  const name = fields.text('default', { min: 0, max: 50 }) ?? '';
  const outputs = readTexts(issues, fields, 'outputs', SHAPE);
  fields.refuseOthers();
  return { default: name, outputs };
}

function readSettings(issues: IssueList, parent: Fields, values: SettingValues): Record<string, string> {
  return values === 'texts'
    ? readTexts(issues, parent, 'settings', 'INVALID_SETTING')
    : readScalars(issues, parent);
}

/** Settings as texts; numbers and booleans as JSON writes them. Others are reported, null included. */
function readScalars(issues: IssueList, parent: Fields): Record<string, string> {
  const settings: [string, string][] = [];
  for (const { name, value, path } of parent.map('settings')) {
    if (typeof value === 'string') settings.push([name, value]);
    else if (typeof value === 'number' || typeof value === 'boolean') settings.push([name, String(value)]);
    else issues.error('INVALID_SETTING', path, `the value of '${name}' must be a text, number or boolean`);
  }
  return Object.fromEntries(settings);
}

/** A map of names to texts. A value that is no text is reported as `problem`, null included. */
function readTexts(issues: IssueList, parent: Fields, key: string, problem: string): Record<string, string> {
  const texts: [string, string][] = [];
  for (const { name, value, path } of parent.map(key)) {
    if (typeof value === 'string') texts.push([name, value]);
    else issues.error(problem, path, `the value of '${name}' must be a text`);
  }
  return Object.fromEntries(texts);
}

/** The complete configuration of a part: missing sections get their defaults. */
export function fullConfiguration(part: JobConfigurationPart): JobConfiguration {
  return { ...EMPTY_JOB_CONFIGURATION, ...part };
}

/** Merges a single job's own configuration: each section in it replaces the job type's whole section. */
export function withJobConfiguration(base: JobConfiguration, own: JobConfigurationPart): JobConfiguration {
  return { ...base, ...own };
}

/**
 * Merges a recipe's configuration into a job type's: entries win by name, the default workspace when it is not empty,
 * priority, limit of logs and paths of products when they are given. Names that the manifest lacks are left out.
 */
export function withRecipeConfiguration(
  base: JobConfiguration,
  recipe: JobConfigurationPart,
  manifest: Manifest,
): JobConfiguration {
  const { mounts, settings, outputs } = manifest.job.interface;
  const names = (items: readonly { readonly name: string }[]): ReadonlySet<string> => {
    return new Set(items.map(({ name }) => name));
  };
  const workspaces = recipe.output_workspaces ?? EMPTY_JOB_CONFIGURATION.output_workspaces;
  const logLimit = recipe.log_limit ?? base.log_limit;
  const productPath = recipe.product_path ?? base.product_path;
  return {
    ...(logLimit === undefined ? {} : { log_limit: logLimit }),
    ...(productPath === undefined ? {} : { product_path: productPath }),
    mounts: overlay(base.mounts, recipe.mounts, names(mounts)),
    output_workspaces: {
      default: workspaces.default === '' ? base.output_workspaces.default : workspaces.default,
      outputs: overlay(base.output_workspaces.outputs, workspaces.outputs, names(outputs.files)),
    },
    priority: recipe.priority ?? base.priority,
    settings: overlay(base.settings, recipe.settings, names(settings)),
  };
}

function overlay<T>(
  base: Readonly<Record<string, T>>,
  over: Readonly<Record<string, T>> | undefined,
  known: ReadonlySet<string>,
): Record<string, T> {
  const kept = Object.entries(over ?? {}).filter(([name]) => known.has(name));
  return Object.fromEntries([...Object.entries(base), ...kept]);
}

/**
 * The priority that a job is queued with: that of an explicit requeue, else of the batch, else of the configuration.
 */
export function queuedPriority(
  configuration: JobConfiguration,
  over: { readonly batch?: number | undefined; readonly requeue?: number | undefined },
): number {
  return over.requeue ?? over.batch ?? configuration.priority;
}

/** The workspace of an output file: its own, else the default; undefined if there is none. */
export function outputWorkspaceOf(configuration: JobConfiguration, output: string): string | undefined {
  const { outputs, default: otherwise } = configuration.output_workspaces;
  const own = Object.hasOwn(outputs, output) ? outputs[output] : undefined;
  return own || otherwise || undefined;
}

/**
 * Splits settings into public ones and secrets. Settings that the manifest declares secret are stored separately and
 * never returned.
 */
export function splitSecrets(
  manifest: Manifest,
  settings: Readonly<Record<string, string>>,
): { readonly settings: Record<string, string>; readonly secrets: Record<string, string> } {
  const secret = new Set(manifest.job.interface.settings.filter((one) => one.secret).map(({ name }) => name));
  const entries = Object.entries(settings);
  return {
    settings: Object.fromEntries(entries.filter(([name]) => !secret.has(name))),
    secrets: Object.fromEntries(entries.filter(([name]) => secret.has(name))),
  };
}

/** Names of the workspaces in which a configuration, or a part of one, stores products. */
export function outputWorkspaceNames(configuration: object | null): readonly string[] {
  const { output_workspaces: stored } = (configuration ?? {}) as JobConfigurationPart;
  if (stored === undefined) return [];
  return [stored.default, ...Object.values(stored.outputs)].filter((name) => name !== '');
}
