/**
 * The services a test needs, as addresses. `npm test` starts them once and passes them in the environment. A file that
 * runs alone starts the ones that it uses, once, and their host ends them when the file's process ends.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { findProgram } from './find-program.ts';
import { CEPH_PACKAGES, S3_INSTALL } from './s3.ts';
import { SERVICE_ENV, type ServiceName } from './service.ts';

const HOST = new URL('./host.ts', import.meta.url).pathname;
const starting = new Map<ServiceName, Promise<void>>();

/**
 * Starts services in a host process; resolves with the variables that name them. `stop` waits for their end.
 */
export async function startServices(names: readonly ServiceName[]) {
  const host = spawn(process.execPath, [HOST, ...names], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const exited = once(host, 'exit');
  const lines = createInterface({ input: host.stdout });
  const first = await Promise.race([once(lines, 'line'), exited.then(() => undefined)]);
  if (first === undefined) throw new Error('the test services did not start');
  const env = JSON.parse(String(first[0])) as Record<string, string>;
  // The host must not keep the test file's process alive, because the host ends when that process does.
  lines.close();
  host.stdout.destroy();
  host.unref();
  (host.stdin as unknown as Socket).unref();
  const stop = async () => {
    host.ref();
    host.stdin.end();
    await exited;
  };
  return { env, stop };
}

/** The address of a service; throws with the reason if it is not available (see `needs`). */
export async function serviceUrl(name: ServiceName): Promise<string> {
  const { url, missing } = SERVICE_ENV[name];
  if (process.env[url] === undefined && process.env[missing] === undefined) {
    let start = starting.get(name);
    if (start === undefined) {
      start = startServices([name]).then(({ env }) => void Object.assign(process.env, env));
      starting.set(name, start);
    }
    await start;
  }
  const found = process.env[url];
  if (found === undefined) throw new Error(process.env[missing] ?? `no ${name}`);
  return found;
}

/**
 * Options for a test that needs services that this machine may not have: `t.test(name, needs('docker'), async (t) =>
 * …)`. A skipped test is named with the command that helps; with CI=true it fails the run.
 */
export function needs(...names: ServiceName[]): { skip?: string } {
  for (const name of names) {
    const reason = whyMissing(name);
    if (reason !== undefined) return { skip: reason };
  }
  return {};
}

function whyMissing(name: ServiceName): string | undefined {
  const { url, missing } = SERVICE_ENV[name];
  if (process.env[url] !== undefined) return undefined;
  if (process.env[missing] !== undefined) return process.env[missing];
  if (name === 'nats' && findProgram('nats-server') === undefined && findProgram('docker') === undefined) {
    return 'no nats-server: apt-get install -y nats-server';
  }
  const hasCeph = CEPH_PACKAGES.every(({ program }) => findProgram(program) !== undefined);
  if (name === 's3' && !hasCeph && findProgram('docker') === undefined) return S3_INSTALL;
  const hasEngine =
    process.env.DOCKER_HOST !== undefined ||
    existsSync('/var/run/docker.sock') ||
    (process.getuid?.() === 0 && findProgram('dockerd') !== undefined);
  return name === 'docker' && !hasEngine ? 'no container engine: apt-get install -y docker.io' : undefined;
}
