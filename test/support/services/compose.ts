/** A service of compose.yml beside this file, for machines with a container engine but without the program itself. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { findProgram } from './find-program.ts';

const run = promisify(execFile);
const FILE = new URL('./compose.yml', import.meta.url).pathname;

/**
 * `address` is host:port on this machine, `secret` the password of its user `millrace`. Undefined where there is no
 * `docker compose`, or it fails.
 */
export async function startComposed(service: string, port: number) {
  const docker = findProgram('docker');
  if (docker === undefined) return undefined;
  const secret = randomBytes(18).toString('base64url');
  const env = {
    ...process.env,
    POSTGRES_PASSWORD: secret,
    MINIO_ROOT_USER: 'millrace',
    MINIO_ROOT_PASSWORD: secret,
  };
  const project = ['compose', '-f', FILE, '-p', `millrace-test-${process.pid}`];
  const compose = (...args: string[]) => run(docker, [...project, ...args], { env, timeout: 180_000 });
  const stop = async () => {
    await compose('down', '--volumes').catch(() => undefined); // the engine has ended, and the service with it
  };
  try {
    await compose('up', '--detach', '--wait', service);
    const { stdout } = await compose('port', service, String(port));
    return { address: stdout.trim().replace(/^0\.0\.0\.0/, '127.0.0.1'), secret, stop };
  } catch {
    await stop();
    return undefined;
  }
}
