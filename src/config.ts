/**
 * Environment and flags -> one frozen Config, every problem reported at once. Nothing else reads the
 * environment. Secrets are wrapped, so that a printed Config shows none.
 */
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { LOST_AFTER_MS } from './domain/node/node-state.ts';
import { type Checked, IssueList } from './domain/validation.ts';
import type { LogLevel } from './lib/logger.ts';
import { Secret } from './lib/secret.ts';
import { flagOf, SETTINGS, type Setting, type SettingName } from './settings.ts';

export type Command = 'up' | 'coordinator' | 'agent';

export interface Address {
  readonly host: string;
  /** 0 picks a free one, where something listens. */
  readonly port: number;
}

export interface Config {
  readonly command: Command;
  readonly http: Address;
  /** Lower-case names besides loopback's that a Host header may hold. */
  readonly allowedHosts: readonly string[];
  /** Absolute. */
  readonly dataDir: string;
  /** Absent: the embedded server. */
  readonly databaseUrl?: Secret;
  /** Comma-separated. Absent: messages stay in the process. */
  readonly natsUrl?: Secret;
  readonly grpc: Address;
  /** Absent: the address that `grpc` really got. */
  readonly grpcAdvertise?: Address;
  readonly coordinators: readonly Address[];
  readonly joinToken?: Secret;
  readonly nodeName: string;
  readonly labels: Readonly<Record<string, string>>;
  /** `docker`, `process:<profile>`. */
  readonly executors: readonly string[];
  readonly dockerHost: string;
  /** Uuids of workspaces whose directories need no marker here. */
  readonly declaredWorkspaces: readonly string[];
  /** Absolute. */
  readonly secretKeyFile: string;
  readonly adminPassword?: Secret;
  readonly s3Endpoint?: string;
  /** The image of the built-in diagnostics where no node runs plain processes. */
  readonly diagnosticsImage: string;
  /** How long a node may be silent before what runs on it is given up. */
  readonly nodeLostMs: number;
  readonly drainMs: number;
  readonly logLevel: LogLevel;
}

const LEVELS: readonly string[] = ['debug', 'info', 'warn', 'error', 'fatal', 'silent'];
const JOIN_TOKEN_CHARS_MIN = 16;
const DRAIN_MS_MAX = 3_600_000;
const NODE_LOST_MS_MAX = 86_400_000;

type Values = ReadonlyMap<SettingName, string>;

/** `args` are the flags after the command. A problem's path is the setting's name. */
export function parseConfig(
  command: Command,
  env: Readonly<Record<string, string | undefined>>,
  args: readonly string[],
): Checked<Config> {
  const issues = new IssueList();
  const values = collect(env, args, issues);
  const reader = new Reader(values, issues);
  const config = readAll(command, reader);
  checkTogether(command, config, issues);
  return issues.finish(() => Object.freeze(config));
}

/** Flags win over the environment; an empty value counts as none. */
function collect(
  env: Readonly<Record<string, string | undefined>>,
  args: readonly string[],
  issues: IssueList,
): Values {
  const values = new Map<SettingName, string>();
  for (const { name } of SETTINGS) {
    const value = env[name];
    if (value !== undefined && value !== '') values.set(name, value);
  }
  for (const name of Object.keys(env)) {
    const isOurs = /^MILLRACE_(?!TEST_)/.test(name) && !SETTINGS.some((setting) => setting.name === name);
    if (isOurs) issues.warning('UNKNOWN_SETTING', name, 'no setting has this name');
  }
  readFlags(args, values, issues);
  return values;
}

function readFlags(args: readonly string[], values: Map<SettingName, string>, issues: IssueList): void {
  for (let index = 0; index < args.length; index += 1) {
    const [flag = '', inline] = splitOnce(args[index] ?? '', '=');
    const setting: Setting | undefined = SETTINGS.find(({ name }) => flagOf(name) === flag);
    if (setting === undefined) {
      issues.error('UNKNOWN_FLAG', flag, 'no such flag; `millrace help` lists them');
      if (inline === undefined && args[index + 1]?.startsWith('--') === false) index += 1;
      continue;
    }
    const value = inline ?? args[index + 1];
    if (inline === undefined) index += 1;
    if (value === undefined) issues.error('VALUE_MISSING', setting.name, `${flag} needs a value`);
    else if (setting.isSecret) {
      const reason = 'arguments can be read by every user of the machine: set it in the environment instead';
      issues.error('SECRET_IN_ARGUMENTS', setting.name, reason);
    } else values.set(setting.name as SettingName, value);
  }
}

function readAll(command: Command, read: Reader): Config {
  const dataDir = resolve(read.text('MILLRACE_DATA_DIR') ?? '.millrace');
  const executors = command === 'up' ? ['docker', 'process:default'] : ['docker'];
  return {
    command,
    http: read.address('MILLRACE_HTTP') ?? { host: '127.0.0.1', port: 8080 },
    allowedHosts: read.list('MILLRACE_ALLOWED_HOSTS', /^[a-z0-9.-]+$/i, 'a host name') ?? [],
    dataDir,
    ...optional('databaseUrl', read.secretUrl('DATABASE_URL', /^postgres(ql)?:$/)),
    ...optional('natsUrl', read.secretUrl('NATS_URL', /^(nats|tls|wss?):$/)),
    grpc: read.address('MILLRACE_GRPC') ?? { host: '127.0.0.1', port: command === 'up' ? 0 : 8081 },
    ...optional('grpcAdvertise', read.address('MILLRACE_GRPC_ADVERTISE')),
    coordinators: read.addresses('MILLRACE_COORDINATORS') ?? [{ host: '127.0.0.1', port: 8081 }],
    ...optional('joinToken', read.secret('MILLRACE_JOIN_TOKEN', JOIN_TOKEN_CHARS_MIN)),
    nodeName: read.name('MILLRACE_NODE_NAME') ?? hostname(),
    labels: read.labels('MILLRACE_LABELS') ?? {},
    executors:
      read.list('MILLRACE_EXECUTORS', /^(docker|process:[a-z0-9-]+)$/, 'docker or process:<profile>') ??
      executors,
    dockerHost: read.url('MILLRACE_DOCKER_HOST', /^(unix|tcp|https?):$/) ?? 'unix:///var/run/docker.sock',
    declaredWorkspaces: read.list('MILLRACE_WORKSPACES', /^[0-9a-f-]{36}$/i, 'a uuid') ?? [],
    secretKeyFile: resolve(read.text('MILLRACE_SECRET_KEY_FILE') ?? join(dataDir, 'secret.key')),
    ...optional('adminPassword', read.secret('MILLRACE_ADMIN_PASSWORD', 1)),
    ...optional('s3Endpoint', read.url('MILLRACE_S3_ENDPOINT', /^https?:$/)),
    diagnosticsImage: read.image('MILLRACE_DIAGNOSTICS_IMAGE') ?? 'busybox:1.36',
    nodeLostMs: read.whole('MILLRACE_NODE_LOST_MS', NODE_LOST_MS_MAX) ?? LOST_AFTER_MS,
    drainMs: read.whole('MILLRACE_DRAIN_MS', DRAIN_MS_MAX) ?? 30_000,
    logLevel: read.level('MILLRACE_LOG_LEVEL') ?? 'info',
  };
}

/** What single settings cannot know: who may listen where, and what a command cannot do without. */
function checkTogether(command: Command, config: Config, issues: IssueList): void {
  if (command === 'agent') return;
  if (!isLoopback(config.http.host)) {
    const reason =
      `${config.http.host} would let everyone who reaches this machine run commands on it: Millrace ` +
      'listens on loopback only. Put a proxy that authenticates in front of it';
    issues.error('HTTP_BEYOND_LOOPBACK', 'MILLRACE_HTTP', reason);
  }
  if (!isLoopback(config.grpc.host) && config.joinToken === undefined) {
    const reason = `agents of other machines need a token: set MILLRACE_JOIN_TOKEN, or listen on loopback`;
    issues.error('JOIN_TOKEN_MISSING', 'MILLRACE_GRPC', reason);
  }
  if (command === 'coordinator' && config.databaseUrl === undefined) {
    const reason = 'a coordinator needs a PostgreSQL server; `millrace up` brings its own';
    issues.error('DATABASE_MISSING', 'DATABASE_URL', reason);
  }
}

export function isLoopback(host: string): boolean {
  const bare = host.toLowerCase();
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}

/** `127.0.0.1:80`, `[::1]:80`. Undefined when it is neither. */
export function parseAddress(text: string): Address | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+)):(\d{1,5})$/i.exec(text.trim());
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  if (host === undefined || port > 65_535 || (match?.[1] !== undefined && isIP(host) !== 6)) return undefined;
  return { host, port };
}

/** `host:port` as `parseAddress` takes it, and as URLs and gRPC write it. */
export function addressText({ host, port }: Address): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** An absent property rather than one that holds undefined. */
function optional<Key extends string, T>(key: Key, value: T | undefined): { [K in Key]?: T } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]?: T });
}

/** Reads one value after the other; what is wrong goes to the list and counts as absent. */
class Reader {
  readonly #values: Values;
  readonly #issues: IssueList;

  constructor(values: Values, issues: IssueList) {
    this.#values = values;
    this.#issues = issues;
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

  list(name: SettingName, form: RegExp, what: string): readonly string[] | undefined {
    const parse = (item: string) => (form.test(item) ? item.toLowerCase() : undefined);
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

  image(name: SettingName): string | undefined {
    const parse = (text: string) => (/^[\w][\w./:@-]{0,499}$/.test(text) ? text : undefined);
    return this.#parse(name, parse, 'must be the reference of an image, like busybox:1.36');
  }

  level(name: SettingName): LogLevel | undefined {
    const parse = (text: string) => (LEVELS.includes(text) ? (text as LogLevel) : undefined);
    return this.#parse(name, parse, `must be one of ${LEVELS.join(', ')}`);
  }

  whole(name: SettingName, max: number): number | undefined {
    const parse = (text: string) =>
      /^\d{1,9}$/.test(text) && Number(text) <= max ? Number(text) : undefined;
    return this.#parse(name, parse, `must be a whole number from 0 to ${max}`);
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

  /** The refused value is never repeated: it may be a secret in the wrong place. */
  #parse<T>(name: SettingName, parse: (text: string) => T | undefined, otherwise: string): T | undefined {
    const text = this.#values.get(name);
    if (text === undefined) return undefined;
    const value = parse(text);
    if (value === undefined) this.#issues.error('INVALID_SETTING', name, otherwise);
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
