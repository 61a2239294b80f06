/** One nats-server with JetStream on a random port: the installed program, else one in a container. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChild, stopChild, whenReady } from './child.ts';
import { startComposed } from './compose.ts';
import { findProgram } from './find-program.ts';
import { SERVICE_ENV, type Started } from './service.ts';

export async function startNats(folder: string): Promise<Started> {
  const program = findProgram('nats-server');
  if (program === undefined) {
    const composed = await startComposed('nats', 4222);
    if (composed === undefined) return { missing: 'no nats-server: apt-get install -y nats-server' };
    return { env: { [SERVICE_ENV.nats.url]: `nats://${composed.address}` }, stop: composed.stop };
  }
  const args = [
    '-js',
    '-sd',
    join(folder, 'jetstream'),
    '-a',
    '127.0.0.1',
    '-p',
    '-1',
    '--ports_file_dir',
    folder,
  ];
  const child = startChild(program, args, join(folder, 'nats.log'));
  const url = await whenReady(child, 20_000, () => readPorts(folder));
  if (url === undefined) {
    await stopChild(child, 1_000);
    return {
      missing: `nats-server does not start: ${readFileSync(join(folder, 'nats.log'), 'utf8').slice(-500)}`,
    };
  }
  return { env: { [SERVICE_ENV.nats.url]: url }, stop: () => stopChild(child, 5_000) };
}

function readPorts(folder: string): string | undefined {
  const file = readdirSync(folder).find((name) => /^nats-server_\d+\.ports$/.test(name));
  if (file === undefined) return undefined;
  try {
    return (JSON.parse(readFileSync(join(folder, file), 'utf8')) as { nats: string[] }).nats[0];
  } catch {
    return undefined; // seen while it was being written
  }
}
