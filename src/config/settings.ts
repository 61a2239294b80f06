/**
 * All settings: name in the environment, meaning, default. Flags have the same names (MILLRACE_DATA_DIR is --data-dir).
 * config.ts reads them; docs/settings.md is generated from them.
 */
import { MONITORING } from './monitoring.ts';
import { RETENTION_SETTINGS } from './retention-settings.ts';
import type { Reader, Setting } from './setting.ts';

const both: readonly Reader[] = ['coordinator', 'agent'];
const coordinator: readonly Reader[] = ['coordinator'];
const agent: readonly Reader[] = ['agent'];

export const SETTINGS = [
  {
    name: 'MILLRACE_HTTP',
    readers: coordinator,
    description:
      'Where HTTP is served, as host:port; port 0 picks a free one. Unless it is an address of this machine ' +
      '(127.0.0.0/8, ::1, localhost), callers must authenticate: see MILLRACE_AUTH.',
    defaultText: '127.0.0.1:8080',
  },
  {
    name: 'MILLRACE_AUTH',
    readers: coordinator,
    description:
      'on: callers need an account. off: everybody may do everything, and is refused unless MILLRACE_HTTP is an ' +
      'address of this machine only. off-beyond-loopback: everybody who reaches MILLRACE_HTTP may do everything, ' +
      'running commands on your machines included.',
    defaultText: 'on beyond this machine, otherwise off',
  },
  {
    name: 'MILLRACE_TRUSTED_PROXIES',
    readers: coordinator,
    description:
      'Addresses of proxies, or ranges like 10.0.0.0/8, separated by commas, whose X-Forwarded-For and ' +
      'X-Forwarded-Proto are trusted.',
    defaultText: 'none',
  },
  {
    name: 'MILLRACE_REQUESTS_PER_SECOND',
    readers: coordinator,
    description:
      'Requests that one account or address may make a second (five times as many at once); 0 for no limit. Not ' +
      'counted on this machine while authentication is off.',
    defaultText: '1000',
  },
  {
    name: 'MILLRACE_STREAMS_PER_ACCOUNT',
    readers: coordinator,
    description:
      'Streams (of changes, and of logs that are followed) that one account or address may have open at a ' +
      'coordinator, 1 to 9000. Not counted on this machine while authentication is off.',
    defaultText: '200',
  },
  {
    name: 'MILLRACE_STREAMS',
    readers: coordinator,
    description: 'Streams that a coordinator has open at most, 1 to 9000.',
    defaultText: '5000',
  },
  {
    name: 'MILLRACE_HTTP_ADVERTISE',
    readers: coordinator,
    description:
      'The host:port under which clients and other coordinators reach MILLRACE_HTTP. Needed where it listens on all ' +
      'addresses.',
    defaultText: 'the address of MILLRACE_HTTP',
  },
  {
    name: 'MILLRACE_HTTP_CERTIFICATE',
    readers: coordinator,
    description: 'PEM file with the certificate for HTTPS, followed by its intermediate certificates.',
    defaultText: 'none: plain HTTP',
  },
  {
    name: 'MILLRACE_HTTP_KEY',
    readers: coordinator,
    description: 'PEM file with the key of MILLRACE_HTTP_CERTIFICATE.',
    defaultText: 'none',
  },
  {
    name: 'MILLRACE_ALLOWED_HOSTS',
    readers: coordinator,
    description: 'Names that a Host header may have in addition to loopback names, separated by commas.',
    defaultText: 'none',
  },
  {
    name: 'MILLRACE_ALLOWED_ORIGINS',
    readers: coordinator,
    description:
      'Origins, as http://name:8080, separated by commas, whose pages may change things besides pages of the address ' +
      'that a request was sent to. Needed behind a proxy that passes Host without its port: then addresses in ' +
      'answers begin with the origin of that name. The name must be among MILLRACE_ALLOWED_HOSTS, too.',
    defaultText: 'none',
  },
  {
    name: 'MILLRACE_UPLOAD_MIB_MAX',
    readers: coordinator,
    description: 'The largest file that clients may send into a workspace, in MiB.',
    defaultText: '102400',
  },
  {
    name: 'MILLRACE_DATA_DIR',
    readers: both,
    description:
      'Folder for the embedded database, keys and the spool of the agent. A folder belongs to one program at a ' +
      'time.',
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
    description:
      'NATS servers, as nats://host:port, separated by commas. While they are down, coordinators use gRPC with ' +
      'each other.',
    defaultText: 'coordinators use gRPC with each other; `millrace up` is the only one',
    isSecret: true,
  },
  {
    name: 'MILLRACE_GRPC',
    readers: coordinator,
    description:
      'The address for agents, as host:port; port 0 picks a free one. Beyond this machine it needs ' +
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
    description: 'The token with which agents authenticate; at least 16 characters, the same on both sides.',
    defaultText: 'none: agents of this machine only',
    isSecret: true,
  },
  {
    name: 'MILLRACE_TLS',
    readers: both,
    description:
      'on: coordinators and agents use TLS, and both sides authenticate with a certificate of the cluster. The ' +
      'same on both sides.',
    defaultText: 'off',
  },
  {
    name: 'MILLRACE_TLS_DIR',
    readers: both,
    description:
      'Folder of certificates. Coordinators: ca.pem with ca.key (as `millrace certificates authority` makes ' +
      'them), or with coordinator.pem and coordinator.key. Agents: nothing, or ca.pem, or also agent.pem and ' +
      'agent.key; they request what is missing from a coordinator.',
    defaultText: 'tls in the data folder',
  },
  {
    name: 'MILLRACE_TLS_CERTIFICATE_S',
    readers: coordinator,
    description:
      'Validity of certificates that coordinators issue, to themselves and to agents, in seconds, 10 to ' +
      '315360000. They are renewed in the last third of it.',
    defaultText: '7776000 (90 days)',
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
    description:
      'The executors of this node: oci, docker, process:<profile>, separated by commas. It offers those that ' +
      'work. Containers run with oci if it is offered.',
    defaultText: 'oci,docker; with `millrace up` oci,docker,process:default',
  },
  {
    name: 'MILLRACE_DOCKER_HOST',
    readers: agent,
    description: 'The container engine, as unix:///path or tcp://host:port.',
    defaultText: 'unix:///var/run/docker.sock',
  },
  {
    name: 'MILLRACE_CONTAINER_NETWORK',
    readers: agent,
    description:
      'The network of containers whose manifest asks for one (resource `network`): host, or one of the ' +
      "engine's. With none such jobs do not come to this node.",
    defaultText: 'none',
  },
  {
    name: 'MILLRACE_CONTAINER_USER',
    readers: agent,
    description: 'The user of containers, as uid:gid, when the agent is root.',
    defaultText: '65534:65534',
  },
  {
    name: 'MILLRACE_REGISTRY_AUTH_FILE',
    readers: agent,
    description: 'File with credentials of private registries, as `docker login` writes it.',
    defaultText: 'none',
  },
  {
    name: 'MILLRACE_IMAGE_CACHE_MIB',
    readers: agent,
    description: "Size of the oci executor's cache of unpacked images, in MiB.",
    defaultText: '20480',
  },
  {
    name: 'MILLRACE_CONTAINER_RUNTIME',
    readers: agent,
    description:
      'What runs the containers of the oci executor: light (a program of the agent, which a compiler has to ' +
      'build at installation) or runc. With auto it is light where a trial container runs with it, else runc.',
    defaultText: 'auto',
  },
  {
    name: 'MILLRACE_WORKSPACES',
    readers: agent,
    description:
      'Workspaces (their uuids, separated by commas) whose directories on this node are theirs even ' +
      'without a marker file; with =/path also where the directory is, instead of a mount by the agent.',
    defaultText: 'none',
  },
  {
    name: 'MILLRACE_SECRET_KEY_FILE',
    readers: coordinator,
    description: 'File with the key that encrypts stored credentials; created if it is missing.',
    defaultText: 'secret.key in the data folder',
  },
  {
    name: 'MILLRACE_ADMIN_PASSWORD',
    readers: coordinator,
    description:
      'Password of the account `admin`, which the first start creates; at least 8 characters. Later starts ' +
      'ignore it.',
    defaultText: 'with authentication on, a random one that is printed once; otherwise there is no account',
    isSecret: true,
  },
  {
    name: 'MILLRACE_OIDC_ISSUER',
    readers: coordinator,
    description: 'OpenID provider for logins, as https://… (its issuer identifier).',
    defaultText: 'none: passwords and tokens only',
  },
  {
    name: 'MILLRACE_OIDC_CLIENT_ID',
    readers: coordinator,
    description:
      "The provider's id for this installation. Register <address>/v6/login/openid/callback/ there.",
    defaultText: 'none',
  },
  {
    name: 'MILLRACE_OIDC_CLIENT_SECRET',
    readers: coordinator,
    description: 'Secret that belongs to MILLRACE_OIDC_CLIENT_ID.',
    defaultText: 'none: a public client, which has PKCE alone',
    isSecret: true,
  },
  {
    name: 'MILLRACE_OIDC_SCOPES',
    readers: coordinator,
    description: 'Requested scopes, separated by spaces.',
    defaultText: 'openid profile email',
  },
  {
    name: 'MILLRACE_OIDC_ALLOW',
    readers: coordinator,
    description: 'Who may log in, as claim=value of the ID token; a list must hold the value.',
    defaultText: 'everybody with an account at the provider',
  },
  {
    name: 'MILLRACE_OIDC_STAFF',
    readers: coordinator,
    description: 'Who is staff, as claim=value, like groups=millrace-staff; applied at every login.',
    defaultText: 'not decided by the provider: staff appoint staff',
  },
  {
    name: 'MILLRACE_S3_ENDPOINT',
    readers: both,
    description: 'Object store of workspaces that name none, as http(s)://host:port.',
    defaultText: 'AWS by region',
  },
  {
    name: 'AWS_ACCESS_KEY_ID',
    readers: agent,
    description: 'Key for object stores whose workspaces have no credentials (role-based access).',
    defaultText: 'the role of the host or container, asked for where AWS offers it',
    isSecret: true,
  },
  {
    name: 'AWS_SECRET_ACCESS_KEY',
    readers: agent,
    description: 'Secret that belongs to AWS_ACCESS_KEY_ID.',
    defaultText: 'none',
    isSecret: true,
  },
  {
    name: 'AWS_SESSION_TOKEN',
    readers: agent,
    description: 'Token that belongs to AWS_ACCESS_KEY_ID, if that is temporary.',
    defaultText: 'none',
    isSecret: true,
  },
  {
    name: 'MILLRACE_NOTIFICATION_TOKEN',
    readers: coordinator,
    description:
      'The token of object stores that send notifications over HTTP, as `Authorization: Bearer`; at least 16 ' +
      'characters.',
    defaultText: 'none: whoever reaches MILLRACE_HTTP',
    isSecret: true,
  },
  ...MONITORING,
  {
    name: 'MILLRACE_DIAGNOSTICS_IMAGE',
    readers: coordinator,
    description:
      'Image for the built-in diagnostics if no node offers process:default; it needs a shell and the usual ' +
      'small tools.',
    defaultText: 'busybox:1.36',
  },
  {
    name: 'MILLRACE_NODE_LOST_MS',
    readers: coordinator,
    description:
      'How long a node may be silent before its executions are given up and tried again elsewhere, in ' +
      'milliseconds.',
    defaultText: '60000',
  },
  {
    name: 'MILLRACE_LEASE_MS',
    readers: coordinator,
    description:
      'How long a silent coordinator keeps its share of the work, in milliseconds, 2000 to 60000. Others take ' +
      'it over after that; a coordinator that cannot reach the database for this time gives it up. ' +
      'All coordinators need the same value.',
    defaultText: '4000',
  },
  ...RETENTION_SETTINGS,
  {
    name: 'MILLRACE_HANDOVER_MS',
    readers: coordinator,
    description:
      'How long a coordinator that was told to end continues to answer while `/v6/ready/` already answers 503, ' +
      'in milliseconds; longer than a load balancer needs to notice.',
    defaultText: '0',
  },
  {
    name: 'MILLRACE_DRAIN_MS',
    readers: both,
    description:
      'How long a first Ctrl-C or SIGTERM waits for calls and downloads in progress, in milliseconds; then all ' +
      'is closed. It does not wait for tasks: they continue, and the next start of the agent finds them again.',
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
