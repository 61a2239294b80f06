/**
 * Every setting there is: its name in the environment, what it means, its default. Flags are the same names
 * (MILLRACE_DATA_DIR is --data-dir). config.ts reads them, docs/settings.md is printed from them.
 */

/** Who reads a setting; `up` reads all. */
export type Reader = 'coordinator' | 'agent';

export interface Setting {
  readonly name: string;
  readonly readers: readonly Reader[];
  readonly description: string;
  /**
   * What happens without it, as documentation; the value itself is config.ts's business when it is computed.
   */
  readonly defaultText: string;
  /** Secrets come from the environment only: the arguments of a process can be read by everyone. */
  readonly isSecret?: boolean;
}

const both: readonly Reader[] = ['coordinator', 'agent'];
const coordinator: readonly Reader[] = ['coordinator'];
const agent: readonly Reader[] = ['agent'];

export const SETTINGS = [
  {
    name: 'MILLRACE_HTTP',
    readers: coordinator,
    description:
      'Where HTTP is served, as host:port; port 0 picks a free one. Only addresses of this machine ' +
      '(127.0.0.0/8, ::1, localhost) are accepted.',
    defaultText: '127.0.0.1:8080',
  },
  {
    name: 'MILLRACE_ALLOWED_HOSTS',
    readers: coordinator,
    description: 'Names besides those of loopback that a Host header may hold, separated by commas.',
    defaultText: 'none',
  },
  {
    name: 'MILLRACE_DATA_DIR',
    readers: both,
    description: 'Folder for the embedded database, keys and the spool of the agent. One program a folder.',
    defaultText: './.millrace',
  },
  {
    name: 'DATABASE_URL',
    readers: coordinator,
    description: 'PostgreSQL, as postgresql://user:password@host:port/database.',
    defaultText: 'an embedded PostgreSQL in the data folder (`millrace up` only)',
    isSecret: true,
  },
  {
    name: 'NATS_URL',
    readers: coordinator,
    description: 'NATS servers, as nats://host:port, separated by commas.',
    defaultText: 'messages stay in the process: one coordinator only',
    isSecret: true,
  },
  {
    name: 'MILLRACE_GRPC',
    readers: coordinator,
    description:
      'Where agents are listened for, as host:port; port 0 picks a free one. Beyond this machine it needs ' +
      'MILLRACE_JOIN_TOKEN.',
    defaultText: '127.0.0.1:8081; a free port for `millrace up`',
  },
  {
    name: 'MILLRACE_GRPC_ADVERTISE',
    readers: coordinator,
    description: 'The host:port under which agents and other coordinators reach MILLRACE_GRPC.',
    defaultText: 'the address of MILLRACE_GRPC',
  },
  {
    name: 'MILLRACE_COORDINATORS',
    readers: agent,
    description: 'Coordinators that a separate agent tries, as host:port, separated by commas.',
    defaultText: '127.0.0.1:8081',
  },
  {
    name: 'MILLRACE_JOIN_TOKEN',
    readers: both,
    description: 'What an agent shows to be let in; at least 16 characters, the same on both sides.',
    defaultText: 'none: agents of this machine only',
    isSecret: true,
  },
  {
    name: 'MILLRACE_NODE_NAME',
    readers: agent,
    description: 'The name of this node: letters, digits, dots, dashes, underscores.',
    defaultText: 'the host name',
  },
  {
    name: 'MILLRACE_LABELS',
    readers: agent,
    description: 'Labels of this node, as key=value, separated by commas.',
    defaultText: 'none',
  },
  {
    name: 'MILLRACE_EXECUTORS',
    readers: agent,
    description: 'What this node runs jobs with: docker, process:<profile>, separated by commas.',
    defaultText: 'docker; with `millrace up` docker,process:default',
  },
  {
    name: 'MILLRACE_DOCKER_HOST',
    readers: agent,
    description: 'The container engine, as unix:///path or tcp://host:port.',
    defaultText: 'unix:///var/run/docker.sock',
  },
  {
    name: 'MILLRACE_WORKSPACES',
    readers: agent,
    description:
      'Workspaces (their uuids, separated by commas) whose directories on this node are theirs even ' +
      'without a marker file.',
    defaultText: 'none',
  },
  {
    name: 'MILLRACE_SECRET_KEY_FILE',
    readers: coordinator,
    description: 'File with the key that encrypts stored credentials; made when it is missing.',
    defaultText: 'secret.key in the data folder',
  },
  {
    name: 'MILLRACE_ADMIN_PASSWORD',
    readers: coordinator,
    description: "Sets the first administrator's password.",
    defaultText: 'none',
    isSecret: true,
  },
  {
    name: 'MILLRACE_S3_ENDPOINT',
    readers: both,
    description: 'Object store of workspaces that name none, as http(s)://host:port.',
    defaultText: 'AWS by region',
  },
  {
    name: 'MILLRACE_DIAGNOSTICS_IMAGE',
    readers: coordinator,
    description:
      'Image of the built-in diagnostics where no node offers process:default: one with a shell and the usual ' +
      'small tools.',
    defaultText: 'busybox:1.36',
  },
  {
    name: 'MILLRACE_NODE_LOST_MS',
    readers: coordinator,
    description:
      'How long a node may be silent before what runs on it is given up and tried again elsewhere, in ' +
      'milliseconds.',
    defaultText: '60000',
  },
  {
    name: 'MILLRACE_DRAIN_MS',
    readers: both,
    description:
      'How long a first Ctrl-C or SIGTERM waits for calls and downloads that were begun, in milliseconds; then all ' +
      'is closed. Tasks are not waited for: they go on alone, and the next start of the agent takes them up.',
    defaultText: '30000',
  },
  {
    name: 'MILLRACE_LOG_LEVEL',
    readers: both,
    description: 'debug, info, warn, error, fatal or silent. Logs are JSON lines on standard error.',
    defaultText: 'info',
  },
] as const satisfies readonly Setting[];

export type SettingName = (typeof SETTINGS)[number]['name'];

/** `--data-dir` for MILLRACE_DATA_DIR, `--database-url` for DATABASE_URL. */
export function flagOf(name: string): string {
  return `--${name
    .replace(/^MILLRACE_/, '')
    .toLowerCase()
    .replaceAll('_', '-')}`;
}
