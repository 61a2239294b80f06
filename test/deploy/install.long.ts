/**
 * Installs as users do, by the Node and npm that the machine has of its own (20 on Debian 12 with NodeSource), and
 * says what it takes: from a copy of the repository, and from the package that `npm pack` writes. It needs a registry.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';

const ROOT = join(import.meta.dirname, '../..');
const MIB_MAX = 350;
const PACKED = [
  ...['CHANGELOG.md', 'LICENSE', 'README.md', 'bin', 'deploy', 'dist', 'docs', 'package.json', 'scripts'],
];
/** Packages that want a later Node than 20. They run on the one that is installed with them. */
const WANT_LATER_NODE = [
  '@mikro-orm/core',
  '@mikro-orm/migrations',
  '@mikro-orm/postgresql',
  '@mikro-orm/sql',
];
const TRACING = ['core', 'exporter-trace-otlp-proto', 'otlp-exporter-base', 'otlp-transformer'];
const TRACING_SDK = ['resources', 'sdk-logs', 'sdk-metrics', 'sdk-trace'];
const EXPECTED_WARNINGS = [
  ...WANT_LATER_NODE,
  ...[...TRACING, ...TRACING_SDK].map((name) => `@opentelemetry/${name}`),
  ...['commander', 'kysely', 'millrace', 'uws-pack'],
].sort();
/** Those that only benchmarks, tests and generators use. */
const DEVELOPMENT_WARNINGS = [
  ...['codegen-core', 'json-schema-ref-parser', 'openapi-ts', 'shared'].map((name) => `@hey-api/${name}`),
  ...['@bufbuild/protoc-gen-es', '@puppeteer/browsers', 'cookie', 'graphile-worker', 'pg-boss'],
  ...['puppeteer-core', 'vega-lite'],
];

const PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter);
const ENV = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|MILLRACE_)/.test(name))),
  PATH,
};

const run = (cwd: string, program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd, env: ENV, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** The packages whose `engines` exclude this Node, as npm warns of them, and the codes of all its other warnings. */
function install(cwd: string, ...args: string[]): string[] {
  const { status, stderr } = spawnSync('npm', args, { cwd, env: ENV, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${args.join(' ')}: ${stderr}`);
  const warnings = stderr.matchAll(
    /npm warn (?:EBADENGINE\s+package: '(.+)@[^@'\n]+'|(?!EBADENGINE)(E[A-Z]+)\b)/g,
  );
  return [...warnings].map(([, name, code = '']) => name ?? code).sort();
}

const mibOf = (folder: string) => Number.parseInt(run(folder, 'du', '-sm', 'node_modules'), 10);

/** Starts it with an empty folder of data, and ends it once it serves. */
async function startsAndStops(
  t: Test,
  cwd: string,
  program: string,
  whileItServes: (url: string) => Promise<void> = async () => undefined,
): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'millrace-installed-'));
  const child = spawn('node', [program, 'up', '--http', '127.0.0.1:0'], {
    cwd,
    env: { ...ENV, MILLRACE_DATA_DIR: data },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exit = once(child, 'exit');
  try {
    const lines: string[] = [];
    for await (const line of createInterface(child.stdout)) {
      lines.push(line);
      if (!line.startsWith('ready ')) continue;
      await whileItServes(line.slice('ready '.length));
      child.kill('SIGTERM');
    }
    t.match(lines.at(-1), /^ready http/);
    t.strictSame(await exit, [0, null]);
  } finally {
    child.kill('SIGKILL');
    rmSync(data, { recursive: true, force: true });
  }
}

const folder = mkdtempSync(join(tmpdir(), 'millrace-install-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));
const version = run(folder, 'node', '--version').trim();
const [major = 0, minor = 0] = version.slice(1).split('.').map(Number);
const isSupported = major > 22 || (major === 22 && minor >= 18);
const expected = isSupported ? [] : EXPECTED_WARNINGS;
t.comment(`Node ${version}, npm ${run(folder, 'npm', '--version').trim()}`);
const copy = join(folder, 'copy');
for (const path of run(ROOT, 'git', 'ls-files', '-z').split('\0')) {
  if (path === '' || !existsSync(join(ROOT, path))) continue;
  mkdirSync(dirname(join(copy, path)), { recursive: true });
  copyFileSync(join(ROOT, path), join(copy, path));
}

t.test('install: npm ci --omit=dev', async (t) => {
  t.strictSame(install(copy, 'ci', '--omit=dev'), expected, 'packages that npm warns of');
  const mib = mibOf(copy);
  t.comment(`${mib} MiB`);
  t.ok(mib <= MIB_MAX, `${mib} MiB`);
  await startsAndStops(t, copy, 'bin/millrace.js');
});

t.test('install: the package that npm pack writes, for all directories', async (t) => {
  const { scripts, version } = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8')) as {
    scripts: object;
    version: string;
  };
  t.hasOwnProp(scripts, 'prepare', 'builds what is packed');
  const all = isSupported ? [] : [...EXPECTED_WARNINGS, ...DEVELOPMENT_WARNINGS].sort();
  t.strictSame(install(copy, 'ci'), all, 'with development packages, which the console is built from');
  const [packed] = JSON.parse(run(copy, 'npm', 'pack', '--json')) as {
    filename: string;
    files: { path: string }[];
  }[];
  const folders = new Set(packed?.files.map(({ path }) => path.split('/')[0]));
  t.strictSame([...folders].sort(), PACKED, 'neither sources nor tests');
  const user = join(folder, 'user');
  const prefix = join(folder, 'prefix');
  mkdirSync(user);
  mkdirSync(prefix);
  const file = join(copy, packed?.filename ?? '');
  t.strictSame(install(user, 'install', '-g', '--prefix', prefix, file), expected, 'npm warns of');
  const mib = mibOf(join(prefix, 'lib'));
  t.comment(`${mib} MiB`);
  t.ok(mib <= MIB_MAX, `${mib} MiB`);
  const program = join(prefix, 'bin/millrace');
  t.equal(run(user, program, 'version'), `millrace ${version}\n`);
  const begunMs = performance.now();
  const demo = run(user, program, 'demo');
  t.comment(`demo: ${((performance.now() - begunMs) / 1_000).toFixed(1)} s`);
  t.match(demo, /Checked: 300 sources and 600 products/);
  t.match(demo, /millrace up$/m, 'how to continue without a clone');
  t.ok(existsSync(join(user, '.millrace')), 'its data is where it was started');
  await startsAndStops(t, user, program, async (url) => {
    for (const path of [
      '/',
      '/login/',
      '/docs/',
      '/docs/guide/',
      '/docs/guide/operations/',
      '/v6/openapi.json',
    ]) {
      t.equal((await fetch(new URL(path, url))).status, 200, path);
    }
  });
});
