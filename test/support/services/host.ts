/**
 * The process that holds the test services: `node host.ts postgres nats`. Prints one JSON line of environment variables
 * when they are ready, and ends everything that it started when its standard input closes, which happens however its
 * parent ends, even by kill -9.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDocker } from './docker.ts';
import { startNats } from './nats.ts';
import { startPostgres } from './postgres.ts';
import { startS3 } from './s3.ts';
import { SERVICE_ENV, type ServiceName, type Started } from './service.ts';

const STARTERS: Record<ServiceName, (folder: string) => Promise<Started>> = {
  postgres: startPostgres,
  nats: startNats,
  s3: startS3,
  docker: startDocker,
};

const folder = mkdtempSync(join(tmpdir(), 'millrace-test-'));
chmodSync(folder, 0o711); // the database's user must be able to enter it
const stops: (() => Promise<void>)[] = [];

const parentGone = new Promise<void>((resolve) => {
  process.stdin.on('end', resolve).on('error', () => resolve());
  process.stdin.resume();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
});

async function start(name: ServiceName): Promise<Record<string, string>> {
  const started = await STARTERS[name](folder).catch((error: Error) => ({
    missing: `${name}: ${error.message}`,
  }));
  if ('missing' in started) return { [SERVICE_ENV[name].missing]: started.missing };
  stops.push(started.stop);
  return started.env;
}

const names = process.argv.slice(2) as ServiceName[];
const starting = Promise.all(names.map(start));
const envs = await starting;
process.stdout.on('error', () => undefined); // the parent has ended, which closes standard input too
process.stdout.write(`${JSON.stringify(Object.assign({}, ...envs))}\n`);
await parentGone;
await Promise.allSettled(stops.map((stop) => stop()));
rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
process.exit(0);
