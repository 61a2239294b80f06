/**
 * Environment and flags -> one frozen Config; reports all problems at once. No other module reads the environment.
 * Secrets are wrapped, so that a printed Config shows none.
 */
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { didYouMean } from '../domain/near-names.ts';
import { type ContainerSettings, readContainers } from '../domain/node/container-settings.ts';
import { LOST_AFTER_MS } from '../domain/node/node-state.ts';
import { PASSWORD_CHARS_MIN } from '../domain/password.ts';
import { type Checked, IssueList } from '../domain/validation.ts';
import { isAddressRange } from '../lib/addresses.ts';
import { type Address, isLoopback, parseAddress } from '../lib/listen-address.ts';
import type { LogLevel } from '../lib/logger.ts';
import { Secret } from '../lib/secret.ts';
import { givenSettings, type SettingValues } from './given.ts';
import { type OpenIdConfig, readOpenId } from './openid.ts';
import { readOrigins } from './origins.ts';
import { type OtlpConfig, readOtlp } from './otlp.ts';
import type { SettingName } from './settings.ts';
import { type HttpTls, readHttpTls, readTls, type TlsConfig } from './tls.ts';

export type Command = 'up' | 'coordinator' | 'agent';

export interface Config {
  readonly command: Command;
  readonly http: Address;
  /** Absent: the address of `http`. */
  readonly httpAdvertise?: Address;
  /** Absent: plain HTTP. */
  readonly httpTls?: HttpTls;
  /** Whether callers of the interface must authenticate. */
  readonly isAuthOn: boolean;
  /** Addresses and ranges of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  /** Limit for one caller or address; 0 = no limit. */
  readonly requestsPerSecond: number;
  /** Limits of answers that stay open. */
  readonly streams: { readonly perCaller: number; readonly all: number };
  /** Lower-case names, in addition to loopback names, that a Host header may have. */
  readonly allowedHosts: readonly string[];
  /** As `new URL(…).origin` has them. */
  readonly allowedOrigins: readonly string[];
  /** Absolute. */
  readonly dataDir: string;
  /** Absent: the embedded server. */
  readonly databaseUrl?: Secret;
  /** Comma-separated. Absent: coordinators use gRPC with each other; `up` is alone. */
  readonly natsUrl?: Secret;
  readonly grpc: Address;
  /** Absent: the actual address of `grpc`. */
  readonly grpcAdvertise?: Address;
  readonly coordinators: readonly Address[];
  readonly joinToken?: Secret;
  readonly tls: TlsConfig;
  readonly nodeName: string;
  readonly labels: Readonly<Record<string, string>>;
  /** `oci`, `docker`, `process:<profile>`. */
  readonly executors: readonly string[];
  readonly dockerHost: string;
  readonly containers: ContainerSettings;
  /** Workspaces whose directories need no marker here: `uuid` or `uuid=/path`. */
  readonly declaredWorkspaces: readonly string[];
  /** Absolute. */
  readonly secretKeyFile: string;
  readonly adminPassword?: Secret;
  readonly s3Endpoint?: string;
  /** The token for notifications over HTTP; absent: none is needed. */
  readonly notificationToken?: Secret;
  /** The token for `/metrics`; absent: an account is needed if authentication is on. */
  readonly metricsToken?: Secret;
  /** For object stores whose workspaces have no credentials. */
  readonly awsKeys?: AwsKeys;
  /** The image of the built-in diagnostics if no node runs plain processes. */
  readonly diagnosticsImage: string;
  /** How long a node may be silent before its executions are given up. */
  readonly nodeLostMs: number;
  /** How long a silent coordinator keeps its share of the work. */
  readonly leaseMs: number;
  /** Days that logs and finished work are kept (0 = for ever), and how much of the stream of changes is. */
  readonly keep: {
    readonly logsDays: number;
    readonly historyDays: number;
    readonly changesHours: number;
    readonly changesMib: number;
  };
  /** The largest file that clients may send. */
  readonly uploadMibMax: number;
  /** How long `/v6/ready/` answers 503 before the coordinator ends. */
  readonly handoverMs: number;
  readonly drainMs: number;
  /** Absent: passwords and tokens only. */
  readonly openId?: OpenIdConfig;
  /** Absent: no tracing. */
  readonly otlp?: OtlpConfig;
  readonly logLevel: LogLevel;
}

const LEVELS = ['debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const satisfies readonly LogLevel[];
const TOKEN_CHARS_MIN = 16;
const OFF_BEYOND_LOOPBACK = 'off-beyond-loopback';
const AUTH_VALUES = ['on', 'off', OFF_BEYOND_LOOPBACK] as const;
type AuthValue = (typeof AUTH_VALUES)[number];
const REQUESTS_PER_SECOND = 1_000;
const REQUESTS_PER_SECOND_MAX = 1_000_000;
const STREAMS = { perCaller: 200, all: 5_000, max: 9_000 } as const;
const DRAIN_MS_MAX = 3_600_000;
const KEEP_DAYS_MAX = 36_500;
const KEEP_LOGS_DAYS = 90;
/** The greatest number of bytes is far below `Number.MAX_SAFE_INTEGER`. */
const UPLOAD_MIB = { usual: 102_400, max: 1_073_741_824 } as const;
const KEEP_CHANGES = { hours: 24, hoursMax: 8_760, mib: 2_048, mibMax: 1_048_576 } as const;
const KEEP_HISTORY_DAYS = 365;
const NODE_LOST_MS_MAX = 86_400_000;
const LEASE_MS = { min: 2_000, usual: 4_000, max: 60_000 } as const;

/** `args` are the flags after the command. The path of a problem is the setting's name. */
export function parseConfig(
  command: Command,
  env: Readonly<Record<string, string | undefined>>,
  args: readonly string[],
): Checked<Config> {
  const issues = new IssueList();
  const values = givenSettings(env, args, issues);
  const reader = new Reader(values, issues);
  const config = readAll(command, reader);
  checkTogether(command, config, issues);
  return issues.finish(() => Object.freeze(config));
}

const IMAGE = /^[\w][\w./:@-]{0,499}$/;
const EXECUTOR = /^(oci|docker|process:[a-z0-9-]+)$/;

function readAll(command: Command, read: Reader): Config {
  const dataDir = resolve(read.text('MILLRACE_DATA_DIR') ?? '.millrace');
  const executors = command === 'up' ? ['oci', 'docker', 'process:default'] : ['oci', 'docker'];
  const http = read.address('MILLRACE_HTTP') ?? { host: '127.0.0.1', port: 8080 };
  return {
    command,
    http,
    isAuthOn: isAuthOn(read.choice('MILLRACE_AUTH', AUTH_VALUES), http, read.issues),
    trustedProxies: read.addressRanges('MILLRACE_TRUSTED_PROXIES') ?? [],
    requestsPerSecond:
      read.whole('MILLRACE_REQUESTS_PER_SECOND', REQUESTS_PER_SECOND_MAX) ?? REQUESTS_PER_SECOND,
    streams: {
      perCaller: read.whole('MILLRACE_STREAMS_PER_ACCOUNT', STREAMS.max, 1) ?? STREAMS.perCaller,
      all: read.whole('MILLRACE_STREAMS', STREAMS.max, 1) ?? STREAMS.all,
    },
    ...optional('httpAdvertise', read.address('MILLRACE_HTTP_ADVERTISE')),
    ...optional('httpTls', readHttpTls(read)),
    allowedHosts: read.list('MILLRACE_ALLOWED_HOSTS', /^[a-z0-9.-]+$/i, 'a host name') ?? [],
    allowedOrigins: readOrigins(read),
    dataDir,
    ...optional('databaseUrl', read.secretUrl('DATABASE_URL', /^postgres(ql)?:$/)),
    ...optional('natsUrl', read.secretUrl('NATS_URL', /^(nats|tls|wss?):$/)),
    grpc: read.address('MILLRACE_GRPC') ?? { host: '127.0.0.1', port: command === 'up' ? 0 : 8081 },
    ...optional('grpcAdvertise', read.address('MILLRACE_GRPC_ADVERTISE')),
    coordinators: read.addresses('MILLRACE_COORDINATORS') ?? [{ host: '127.0.0.1', port: 8081 }],
    ...optional('joinToken', read.secret('MILLRACE_JOIN_TOKEN', TOKEN_CHARS_MIN)),
    tls: readTls(read, dataDir),
    ...optional('openId', readOpenId(read)),
    ...optional('otlp', readOtlp(read)),
    nodeName: read.name('MILLRACE_NODE_NAME') ?? hostname(),
    labels: read.labels('MILLRACE_LABELS') ?? {},
    executors: read.list('MILLRACE_EXECUTORS', EXECUTOR, 'oci, docker or process:<profile>') ?? executors,
    dockerHost: read.url('MILLRACE_DOCKER_HOST', /^(unix|tcp|https?):$/) ?? 'unix:///var/run/docker.sock',
    containers: readContainers(read),
    declaredWorkspaces:
      read.list('MILLRACE_WORKSPACES', /^[0-9a-fA-F-]{36}(=\/.*)?$/, 'a uuid, or uuid=/path', false) ?? [],
    secretKeyFile: resolve(read.text('MILLRACE_SECRET_KEY_FILE') ?? join(dataDir, 'secret.key')),
    ...optional('adminPassword', read.secret('MILLRACE_ADMIN_PASSWORD', PASSWORD_CHARS_MIN)),
    ...optional('s3Endpoint', read.url('MILLRACE_S3_ENDPOINT', /^https?:$/)),
    ...optional('awsKeys', awsKeys(read)),
    ...optional('notificationToken', read.secret('MILLRACE_NOTIFICATION_TOKEN', TOKEN_CHARS_MIN)),
    ...optional('metricsToken', read.secret('MILLRACE_METRICS_TOKEN', TOKEN_CHARS_MIN)),
    diagnosticsImage:
      read.form('MILLRACE_DIAGNOSTICS_IMAGE', IMAGE, 'the reference of an image') ?? 'busybox:1.36',
    nodeLostMs: read.whole('MILLRACE_NODE_LOST_MS', NODE_LOST_MS_MAX) ?? LOST_AFTER_MS,
    leaseMs: read.whole('MILLRACE_LEASE_MS', LEASE_MS.max, LEASE_MS.min) ?? LEASE_MS.usual,
    keep: {
      logsDays: read.whole('MILLRACE_KEEP_LOGS_DAYS', KEEP_DAYS_MAX) ?? KEEP_LOGS_DAYS,
      historyDays: read.whole('MILLRACE_KEEP_HISTORY_DAYS', KEEP_DAYS_MAX) ?? KEEP_HISTORY_DAYS,
      changesHours: read.whole('MILLRACE_KEEP_CHANGES_HOURS', KEEP_CHANGES.hoursMax, 1) ?? KEEP_CHANGES.hours,
      changesMib: read.whole('MILLRACE_KEEP_CHANGES_MIB', KEEP_CHANGES.mibMax, 1) ?? KEEP_CHANGES.mib,
    },
    uploadMibMax: read.whole('MILLRACE_UPLOAD_MIB_MAX', UPLOAD_MIB.max, 1) ?? UPLOAD_MIB.usual,
    handoverMs: read.whole('MILLRACE_HANDOVER_MS', DRAIN_MS_MAX) ?? 0,
    drainMs: read.whole('MILLRACE_DRAIN_MS', DRAIN_MS_MAX) ?? 30_000,
    logLevel: read.choice('MILLRACE_LOG_LEVEL', LEVELS) ?? 'info',
  };
}

export interface AwsKeys {
  readonly accessKeyId: Secret;
  readonly secretAccessKey: Secret;
  readonly sessionToken?: Secret;
}

/** Undefined unless both keys are set: then the role of the host is used. */
function awsKeys(read: Reader): AwsKeys | undefined {
  const accessKeyId = read.secret('AWS_ACCESS_KEY_ID', 1);
  const secretAccessKey = read.secret('AWS_SECRET_ACCESS_KEY', 1);
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return { accessKeyId, secretAccessKey, ...optional('sessionToken', read.secret('AWS_SESSION_TOKEN', 1)) };
}

/**
 * Checks that involve several settings, such as the token for public addresses, or the settings that a command
 * requires.
 */
function checkTogether(command: Command, config: Config, issues: IssueList): void {
  if (command === 'agent') return;
  if (!isLoopback(config.grpc.host) && config.joinToken === undefined) {
    const reason = `agents of other machines need a token: set MILLRACE_JOIN_TOKEN, or listen on loopback`;
    issues.error('JOIN_TOKEN_MISSING', 'MILLRACE_GRPC', reason);
  }
  if (command === 'coordinator' && config.databaseUrl === undefined) {
    const reason = 'a coordinator needs a PostgreSQL server; `millrace up` brings its own';
    issues.error('DATABASE_MISSING', 'DATABASE_URL', reason);
  }
}

/** On if other hosts can reach it, unless the value explicitly accepts the risk; on loopback only if set. */
function isAuthOn(value: AuthValue | undefined, http: Address, issues: IssueList): boolean {
  if (isLoopback(http.host)) return value === 'on';
  if (value === 'off') {
    const reason =
      `${http.host} would let everyone who reaches this machine run commands on it. Leave MILLRACE_AUTH out; if that ` +
      `is what you want, set it to ${OFF_BEYOND_LOOPBACK}`;
    issues.error('AUTH_OFF_BEYOND_LOOPBACK', 'MILLRACE_AUTH', reason);
  }
  return value !== OFF_BEYOND_LOOPBACK;
}

/** Leaves the property out if the value is undefined. */
function optional<Key extends string, T>(key: Key, value: T | undefined): { [K in Key]?: T } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]?: T });
}

/** Reads values one by one; an invalid value is reported in the list and counts as absent. */
class Reader {
  readonly #values: SettingValues;
  readonly issues: IssueList;

  constructor(values: SettingValues, issues: IssueList) {
    this.#values = values;
    this.issues = issues;
  }

  text(name: SettingName): string | undefined {
    return this.#values.get(name);
  }

  address(name: SettingName): Address | undefined {
    return this.#parse(name, parseAddress, 'must be host:port, like 127.0.0.1:8080 or [::1]:8080');
  }

  addresses(name: SettingName): readonly Address[] | undefined {
    return this.#parse(
      name,
      (text) => every(items(text), parseAddress),
      'must be host:port, separated by commas',
    );
  }

  addressRanges(name: SettingName): readonly string[] | undefined {
    const parse = (item: string) => (isAddressRange(item) ? item : undefined);
    const otherwise = 'each must be an address, or a range like 10.0.0.0/8, separated by commas';
    return this.#parse(name, (text) => every(items(text), parse), otherwise);
  }

  list(name: SettingName, form: RegExp, what: string, isLower = true): readonly string[] | undefined {
    const parse = (item: string) => (form.test(item) ? (isLower ? item.toLowerCase() : item) : undefined);
    return this.#parse(
      name,
      (text) => every(items(text), parse),
      `each must be ${what}, separated by commas`,
    );
  }

  labels(name: SettingName): Readonly<Record<string, string>> | undefined {
    const parse = (item: string) => /^([\w./-]+)=([\w./:-]*)$/.exec(item) ?? undefined;
    const toRecord = (text: string) =>
      every(items(text), parse)?.map((match): [string, string] => [match[1] ?? '', match[2] ?? '']);
    const pairs = this.#parse(name, toRecord, 'must be key=value, separated by commas');
    return pairs === undefined ? undefined : Object.fromEntries(pairs);
  }

  name(name: SettingName): string | undefined {
    const parse = (text: string) => (/^[A-Za-z0-9][\w.-]{0,199}$/.test(text) ? text : undefined);
    return this.#parse(name, parse, 'must be letters, digits, dots, dashes and underscores');
  }

  form(name: SettingName, form: RegExp, what: string): string | undefined {
    return this.#parse(name, (text) => (form.test(text) ? text : undefined), `must be ${what}`);
  }

  choice<const V extends string>(name: SettingName, values: readonly V[]): V | undefined {
    const parse = (text: string) => values.find((value) => value === text);
    const near = didYouMean(this.#values.get(name), values);
    return this.#parse(name, parse, `must be one of ${values.join(', ')}${near}`);
  }

  flag(name: SettingName): boolean | undefined {
    const flags: Readonly<Record<string, boolean>> = { on: true, off: false };
    return this.#parse(name, (text) => flags[text.toLowerCase()], 'must be on or off');
  }

  whole(name: SettingName, max: number, min = 0): number | undefined {
    const parse = (text: string) =>
      /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined;
    return this.#parse(name, parse, `must be a whole number from ${min} to ${max}`);
  }

  url(name: SettingName, protocol: RegExp): string | undefined {
    return this.#parse(
      name,
      (text) => (isUrl(text, protocol) ? text : undefined),
      'is not a URL of its kind',
    );
  }

  secret(name: SettingName, charsMin: number): Secret | undefined {
    const parse = (text: string) => (text.length >= charsMin ? new Secret(text) : undefined);
    return this.#parse(name, parse, `must have at least ${charsMin} characters`);
  }

  secretUrl(name: SettingName, protocol: RegExp): Secret | undefined {
    const parse = (text: string) => every(items(text), (item) => (isUrl(item, protocol) ? item : undefined));
    const urls = this.#parse(name, parse, 'is not a URL of its kind');
    return urls === undefined ? undefined : new Secret(urls.join(','));
  }

  /** The message never repeats the invalid value: it may be a secret in the wrong place. */
  #parse<T>(name: SettingName, parse: (text: string) => T | undefined, otherwise: string): T | undefined {
    const text = this.#values.get(name);
    if (text === undefined) return undefined;
    const value = parse(text);
    if (value === undefined) this.issues.error('INVALID_SETTING', name, otherwise);
    return value;
  }
}

function items(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function every<T>(texts: readonly string[], parse: (text: string) => T | undefined): T[] | undefined {
  const values = texts.map(parse).filter((value) => value !== undefined);
  return values.length === texts.length && values.length > 0 ? values : undefined;
}

function isUrl(text: string, protocol: RegExp): boolean {
  return URL.canParse(text) && protocol.test(new URL(text).protocol);
}
