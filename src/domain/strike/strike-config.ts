/**
 * The configuration of a strike: the workspace that it watches, the monitor, the rules, and the recipe that it starts.
 * Nothing is looked up here and no regular expression is compiled: facts and checks are passed in.
 */
import { Fields } from '../document/fields.ts';
import { checkJson } from '../document/json-value.ts';
import { type IngestRecipe, type RecipeTypeFacts, readIngestRecipe } from '../ingest/ingest-recipe.ts';
import { checkWorkspace, type IngestRule, type RuleLookups, readIngestRules } from '../ingest/ingest-rule.ts';
import { parseInstant } from '../times.ts';
import { type Checked, IssueList } from '../validation.ts';
import {
  type Credentials,
  readCredentials,
  withMaskedCredentials,
  withStoredCredentials,
} from '../workspace/credentials.ts';
import type { BrokerType } from '../workspace/workspace-config.ts';

export interface DirWatcherMonitor {
  readonly type: 'dir-watcher';
  readonly transfer_suffix?: string;
  /** Extension: how long a file's size and time must not change before it is complete; see STABLE_MS. */
  readonly stable_ms?: number;
  /** Extension: ISO 8601 with a zone. Files that were there before this time are ignored. */
  readonly since?: string;
}
export interface ObjstoreMonitor {
  readonly type: 'objstore';
  readonly queue_name: string;
  readonly credentials?: Credentials;
  readonly region_name?: string;
  /** Extension: `nats` when absent. */
  readonly queue_type?: 'nats' | 'sqs';
  /** Extension: how often the bucket is listed in addition to notifications; see BUCKET_LIST_MS. */
  readonly list_every_ms?: number;
}
export type Monitor = DirWatcherMonitor | ObjstoreMonitor;

export interface StrikeConfiguration {
  readonly workspace: string;
  readonly monitor: Monitor;
  readonly files_to_ingest: readonly IngestRule[];
  readonly recipe: IngestRecipe;
}

export interface StrikeLookups extends RuleLookups {
  readonly recipeTypes: ReadonlyMap<string, RecipeTypeFacts>;
  /** Whether this installation has a NATS server to read notifications from. */
  readonly hasNats: boolean;
}

const DEFAULT_TRANSFER_SUFFIX = '_tmp';
export const STABLE_MS = 2_000;
/** The pause from the end of one listing of a bucket to the start of the next. */
export const BUCKET_LIST_MS = 300_000;

const SHAPE = 'INVALID_STRIKE_CONFIGURATION';
const MONITOR = 'INVALID_MONITOR_CONFIGURATION';
const MONITORED_BROKERS: Readonly<Record<Monitor['type'], readonly BrokerType[]>> = {
  'dir-watcher': ['host', 'nfs'],
  objstore: ['objstore'],
};

/** Checks a strike configuration against existing workspaces and recipe types; every problem is reported. */
export function validateStrikeConfiguration(
  document: unknown,
  lookups: StrikeLookups,
): Checked<StrikeConfiguration> {
  const issues = new IssueList();
  const value = checkJson(document, issues, SHAPE) ? readStrike(issues, document, lookups) : undefined;
  return issues.finish(() => value as StrikeConfiguration);
}

function readStrike(
  issues: IssueList,
  document: unknown,
  lookups: StrikeLookups,
): StrikeConfiguration | undefined {
  const fields = Fields.open(issues, SHAPE, document, '');
  if (fields === undefined) return undefined;
  fields.acceptVersion();
  const workspace = fields.text('workspace', { required: true, max: 50 });
  const facts = workspace === undefined ? undefined : checkWorkspace(fields, 'workspace', workspace, lookups);
  const monitorFields = fields.object('monitor', { required: true });
  const type = monitorFields?.oneOf('type', ['dir-watcher', 'objstore'], { required: true });
  const monitor =
    monitorFields === undefined || type === undefined
      ? undefined
      : readMonitor(issues, monitorFields, type, lookups);
  if (type !== undefined && facts !== undefined && !MONITORED_BROKERS[type].includes(facts.brokerType)) {
    const text =
      `a monitor of type '${type}' cannot watch a workspace of type '${facts.brokerType}'; ` +
      (type === 'objstore'
        ? "use 'dir-watcher'"
        : "use 'objstore' with the 'queue_name' of its notifications");
    fields.error('monitor', text);
  }
  const rules = readIngestRules(issues, fields, SHAPE, lookups, acceptLegacyRuleKeys(workspace));
  const recipe = readIngestRecipe(issues, fields, { required: true }, lookups);
  acceptLegacyKeys(issues, fields, workspace, monitorFields);
  fields.refuseOthers();
  if (workspace === undefined || monitor === undefined || recipe === undefined) return undefined;
  return { workspace, monitor, files_to_ingest: rules, recipe };
}

/** Accepts the keys of an older form that details of ingests show (`withLegacyKeys`): they may be sent back. */
function acceptLegacyKeys(
  issues: IssueList,
  fields: Fields,
  workspace: string | undefined,
  monitor: Fields | undefined,
): void {
  fields.acceptEcho('transfer_suffix', monitor?.raw('transfer_suffix'), `'monitor.transfer_suffix'`);
  fields.acceptEcho('mount_on', `/workspaces/${workspace}`, `'/workspaces/' and the workspace`);
  if (fields.text('mount', { min: 0, max: 1_000 }) === undefined) return;
  issues.warning('IGNORED_FIELD', 'mount', `'mount' is the place of the workspace, and means nothing here`);
}

function acceptLegacyRuleKeys(workspace: string | undefined): (rule: Fields) => void {
  return (rule) => {
    rule.acceptEcho('workspace_path', rule.raw('new_file_path'), `'new_file_path'`);
    const into = rule.raw('new_workspace') ?? workspace;
    rule.acceptEcho('workspace_name', into, `'new_workspace', or the workspace that is watched`);
  };
}

function readMonitor(
  issues: IssueList,
  fields: Fields,
  type: Monitor['type'],
  lookups: StrikeLookups,
): Monitor | undefined {
  const monitor =
    type === 'dir-watcher' ? readDirWatcher(issues, fields) : readObjstore(issues, fields, lookups);
  fields.refuseOthers(MONITOR);
  return monitor;
}

function readDirWatcher(issues: IssueList, fields: Fields): DirWatcherMonitor {
  if (!fields.has('transfer_suffix')) {
    const text = `files that are still being copied are recognized by the default suffix '${DEFAULT_TRANSFER_SUFFIX}'`;
    issues.warning('missing_transfer_suffix', `${fields.path}.transfer_suffix`, text);
  }
  const suffix = readTransferSuffix(fields, MONITOR);
  const stableMs = fields.integer('stable_ms', { min: 0, max: 3_600_000, problem: MONITOR });
  const since = fields.text('since', { max: 50, problem: MONITOR });
  if (since !== undefined && parseInstant(since) === undefined) {
    const text = `'since' must be an ISO 8601 time with a zone, such as 2026-11-25T12:00:00Z`;
    issues.error(MONITOR, `${fields.path}.since`, text);
  }
  return {
    type: 'dir-watcher',
    ...(suffix === undefined ? {} : { transfer_suffix: suffix }),
    ...(stableMs === undefined ? {} : { stable_ms: stableMs }),
    ...(since === undefined ? {} : { since }),
  };
}

/** In ms; 0: no file is ignored. */
export function sinceMsOf({ since }: DirWatcherMonitor): number {
  return since === undefined ? 0 : Math.max(0, parseInstant(since) ?? 0);
}

/** Reads `transfer_suffix`: the end of a file's name, so without a slash. */
export function readTransferSuffix(fields: Fields, problem: string): string | undefined {
  const form = { pattern: /^[^/]+$/, says: `the end of a file name, without '/'` };
  return fields.text('transfer_suffix', { max: 100, problem, form });
}

function readObjstore(
  issues: IssueList,
  fields: Fields,
  lookups: StrikeLookups,
): ObjstoreMonitor | undefined {
  const needs = { max: 1_000, problem: MONITOR };
  const queueName = fields.text('queue_name', { ...needs, required: true, missing: MONITOR });
  const credentials = readCredentials(fields, MONITOR);
  const regionName = fields.text('region_name', needs);
  const queueType = fields.oneOf('queue_type', ['nats', 'sqs'], { problem: MONITOR });
  const listEveryMs = fields.integer('list_every_ms', { min: 1_000, max: 86_400_000, problem: MONITOR });
  if (queueType === 'sqs') checkSqsQueue(issues, fields, { queueName, credentials, regionName });
  else checkNatsQueue(issues, fields, queueName, lookups);
  if (queueName === undefined) return undefined;
  return {
    type: 'objstore',
    queue_name: queueName,
    ...(credentials === undefined ? {} : { credentials }),
    ...(regionName === undefined ? {} : { region_name: regionName }),
    ...(queueType === undefined ? {} : { queue_type: queueType }),
    ...(listEveryMs === undefined ? {} : { list_every_ms: listEveryMs }),
  };
}

/** With NATS the queue's name is a subject: words between dots, without wildcards. */
function checkNatsQueue(
  issues: IssueList,
  fields: Fields,
  queueName: string | undefined,
  lookups: StrikeLookups,
): void {
  if (queueName !== undefined && !/^[^\s.*>]+(?:\.[^\s.*>]+)*$/.test(queueName)) {
    fields.error(
      'queue_name',
      `'queue_name' must be a NATS subject: words between dots, no blanks or wildcards`,
      MONITOR,
    );
  }
  if (lookups.hasNats) return;
  const text =
    'no NATS server is configured: notifications come over HTTP only, and the workspace is listed every few minutes';
  issues.warning('queue_access', `${fields.path}.queue_name`, text);
}

/** Checks the name of a queue, or its URL; whether it can be read is found out by its reader. */
function checkSqsQueue(
  issues: IssueList,
  fields: Fields,
  given: {
    readonly queueName: string | undefined;
    readonly credentials: Credentials | undefined;
    readonly regionName: string | undefined;
  },
): void {
  const { queueName, credentials, regionName } = given;
  const isName = queueName === undefined || /^[\w-]{1,80}(?:\.fifo)?$/.test(queueName);
  const isUrl = queueName !== undefined && /^https:\/\/[^\s/?#]+\/[^\s?#]+$/.test(queueName);
  if (!isName && !isUrl) {
    const form = 'the name of an SQS queue (letters, digits, hyphens, underscores) or its https URL';
    fields.error('queue_name', `'queue_name' must be ${form}`, MONITOR);
  }
  if (credentials === undefined) {
    const text = 'no credentials are given: each coordinator reads the queue in the role of its host';
    issues.warning('sqs_access', `${fields.path}.credentials`, text);
  }
  if (regionName === undefined) {
    const text = 'no region is given: it is the one that the host of the coordinator is configured for';
    issues.warning('sqs_access', `${fields.path}.region_name`, text);
  }
}

/** The suffix of unfinished transfers in the watched directory. */
export function transferSuffixOf(monitor: DirWatcherMonitor): string {
  return monitor.transfer_suffix ?? DEFAULT_TRANSFER_SUFFIX;
}

/** The configuration as answers show it: without secrets. */
export function maskedStrikeConfiguration(configuration: StrikeConfiguration): StrikeConfiguration {
  return { ...configuration, monitor: withMaskedCredentials(configuration.monitor) };
}

/** The configuration to keep when a caller sent back one whose secrets were masked. */
export function unmaskedStrikeConfiguration(
  sent: StrikeConfiguration,
  stored: StrikeConfiguration | undefined,
): StrikeConfiguration {
  if (sent.monitor.type !== 'objstore' || stored?.monitor.type !== 'objstore') return sent;
  return { ...sent, monitor: withStoredCredentials(sent.monitor, stored.monitor) };
}
