/**
 * The configuration of a workspace: the broker that reaches its files, and their place. Agents find out whether the
 * place exists and answers.
 */
import { Fields } from '../document/fields.ts';
import { checkJson, isAbsent } from '../document/json-value.ts';
import { normalisePath } from '../paths.ts';
import { type Checked, IssueList } from '../validation.ts';
import {
  type Credentials,
  readCredentials,
  withMaskedCredentials,
  withStoredCredentials,
} from './credentials.ts';

export const BROKER_TYPES = ['host', 'nfs', 'objstore'] as const;
export type BrokerType = (typeof BROKER_TYPES)[number];

/** The facts about a workspace that other documents need. */
export interface WorkspaceFacts {
  readonly brokerType: BrokerType;
  readonly isActive: boolean;
}

export interface HostBroker {
  readonly type: 'host';
  readonly host_path: string;
}
export interface NfsBroker {
  readonly type: 'nfs';
  readonly nfs_path: string;
}
export interface ObjstoreBroker {
  readonly type: 'objstore';
  readonly bucket_name: string;
  readonly credentials?: Credentials;
  /** The directory where all nodes have the bucket mounted as a file system. */
  readonly host_path?: string;
  readonly region_name?: string;
  /** Extensions: another store than the installation's default, and how it addresses buckets. */
  readonly endpoint?: string;
  readonly path_style?: boolean;
}
export type BrokerConfiguration = HostBroker | NfsBroker | ObjstoreBroker;
/** What `/v6/workspaces/{name}/files/` does beside serving recorded files: serve any file, and take new ones. */
export const HTTP_USES = ['none', 'read', 'write'] as const;
export type HttpUse = (typeof HTTP_USES)[number];

export interface WorkspaceConfiguration {
  readonly broker: BrokerConfiguration;
  /** Absent: `none`. */
  readonly http?: HttpUse;
}

const SHAPE = 'INVALID_CONFIGURATION';
const BROKER = 'INVALID_BROKER';
const BUCKET = {
  pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]$/,
  says: 'a bucket name (3 to 255 letters, digits, dots, underscores and hyphens)',
} as const;
const NFS_PATH = {
  pattern: /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):\/[^\n]*$/,
  says: `of the form 'host:/path'`,
} as const;
const ENDPOINT = {
  pattern: /^https?:\/\/(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::\d{1,5})?\/?$/,
  says: 'an address such as https://store.example:9000',
} as const;

/** Checks a workspace configuration. Problems of the broker's own fields are INVALID_BROKER. */
export function validateWorkspaceConfiguration(document: unknown): Checked<WorkspaceConfiguration> {
  const issues = new IssueList();
  const read = checkJson(document, issues, SHAPE) ? readConfiguration(issues, document) : undefined;
  return issues.finish(() => read as WorkspaceConfiguration);
}

function readConfiguration(
  issues: IssueList,
  document: unknown,
): Partial<WorkspaceConfiguration> | undefined {
  const fields = Fields.open(issues, SHAPE, document, '');
  if (fields === undefined) return undefined;
  fields.acceptVersion('INVALID_VERSION');
  // The contract's table lists a text `workspace` without a meaning: it is accepted and ignored.
  if (fields.text('workspace', { min: 0, max: 50 }) !== undefined) {
    issues.warning('IGNORED_FIELD', 'workspace', `'workspace' means nothing in a workspace configuration`);
  }
  const broker = fields.object('broker', { required: true });
  const read = broker === undefined ? undefined : readBroker(broker);
  const http = fields.oneOf('http', HTTP_USES);
  fields.refuseOthers();
  return { ...(read === undefined ? {} : { broker: read }), ...(http === undefined ? {} : { http }) };
}

function readBroker(fields: Fields): BrokerConfiguration | undefined {
  const type = fields.oneOf('type', BROKER_TYPES, { required: true });
  switch (type) {
    case undefined:
      return undefined;
    case 'host':
      return readHostBroker(fields);
    case 'nfs':
      return readNfsBroker(fields);
    case 'objstore':
      return readObjstoreBroker(fields);
  }
}

function readHostBroker(fields: Fields): HostBroker | undefined {
  const hostPath = readHostPath(fields, true);
  fields.refuseOthers(BROKER);
  return hostPath === undefined ? undefined : { type: 'host', host_path: hostPath };
}

function readNfsBroker(fields: Fields): NfsBroker | undefined {
  const needs = { required: true, max: 1_000, missing: BROKER, problem: BROKER };
  const nfsPath = fields.text('nfs_path', { ...needs, form: NFS_PATH });
  if (nfsPath?.split('/').includes('..')) fields.error('nfs_path', `'nfs_path' must not have '..'`, BROKER);
  fields.refuseOthers(BROKER);
  return nfsPath === undefined ? undefined : { type: 'nfs', nfs_path: nfsPath };
}

function readObjstoreBroker(fields: Fields): ObjstoreBroker | undefined {
  const needs = { max: 255, problem: BROKER };
  const bucketName = fields.text('bucket_name', { ...needs, required: true, missing: BROKER, form: BUCKET });
  const credentials = readCredentials(fields, BROKER);
  const hostPath = readHostPath(fields, false);
  const regionName = fields.text('region_name', needs);
  const endpoint = fields.text('endpoint', { ...needs, form: ENDPOINT });
  const pathStyle = fields.flag('path_style', undefined);
  fields.refuseOthers(BROKER);
  if (bucketName === undefined) return undefined;
  return {
    type: 'objstore',
    bucket_name: bucketName,
    ...(credentials === undefined ? {} : { credentials }),
    ...(hostPath === undefined ? {} : { host_path: hostPath }),
    ...(regionName === undefined ? {} : { region_name: regionName }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(pathStyle === undefined ? {} : { path_style: pathStyle }),
  };
}

function readHostPath(fields: Fields, required: boolean): string | undefined {
  const raw = fields.raw('host_path');
  const isBlank = isAbsent(raw) || (typeof raw === 'string' && raw.trim() === '');
  if (isBlank && !required) return undefined;
  const path = fields.text('host_path', { required, max: 1_000, missing: BROKER, problem: BROKER });
  if (path === undefined) return undefined;
  const problem = hostPathProblem(path);
  if (problem === undefined) return normalisePath(path);
  fields.error('host_path', `'host_path' ${problem}`, BROKER);
  return undefined;
}

/** Why a directory of a host cannot hold a workspace or be mounted (completes "'host_path' …"), or undefined. */
export function hostPathProblem(path: string): string | undefined {
  if (!path.startsWith('/')) return 'must be absolute';
  if (path.split('/').includes('..')) return `must not have a '..' segment`;
  if (normalisePath(path) === '/') return 'must not be the root of the host';
  return undefined;
}

/** The configuration as answers show it: without secrets. */
export function maskedWorkspaceConfiguration(configuration: WorkspaceConfiguration): WorkspaceConfiguration {
  return { ...configuration, broker: withMaskedCredentials(configuration.broker) };
}

/**
 * The configuration to keep when a caller sent one: masked secrets stay, and so does `http` where it is not named,
 * since clients of the public system do not know it.
 */
export function unmaskedWorkspaceConfiguration(
  sent: WorkspaceConfiguration,
  stored: WorkspaceConfiguration | undefined,
): WorkspaceConfiguration {
  const all = stored?.http === undefined ? sent : { http: stored.http, ...sent };
  if (sent.broker.type !== 'objstore' || stored?.broker.type !== 'objstore') return all;
  return { ...all, broker: withStoredCredentials(sent.broker, stored.broker) };
}
