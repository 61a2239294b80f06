/**
 * A container engine for the tests: a private dockerd if this is root (without bridge and iptables, with the vfs
 * driver, so that it needs no rights over the network), else the one that is running.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { startChild, stopChild, whenReady } from './child.ts';
import { findProgram } from './find-program.ts';
import { SERVICE_ENV, type Started } from './service.ts';

const INSTALL = 'apt-get install -y docker.io';

export async function startDocker(folder: string): Promise<Started> {
  const given = process.env.DOCKER_HOST;
  if (given !== undefined && given !== '') return running(given);
  const program = process.getuid?.() === 0 ? findProgram('dockerd') : undefined;
  const own = program === undefined ? undefined : await startPrivate(program, folder);
  if (own !== undefined && 'env' in own) return own;
  const socket = '/var/run/docker.sock';
  if (await answers(socket)) return running(`unix://${socket}`);
  return own ?? { missing: `no container engine: ${INSTALL}` };
}

function running(host: string): Started {
  return { env: { [SERVICE_ENV.docker.url]: host }, stop: async () => undefined };
}

async function startPrivate(program: string, folder: string): Promise<Started> {
  const home = join(folder, 'docker');
  mkdirSync(home);
  const socket = join(home, 'docker.sock');
  const log = join(home, 'dockerd.log');
  const args = ['--storage-driver=vfs', '--bridge=none', '--iptables=false', '--ip6tables=false'].concat(
    [
      '--data-root',
      join(home, 'data'),
      '--exec-root',
      join(home, 'exec'),
      '--pidfile',
      join(home, 'docker.pid'),
    ],
    ['--host', `unix://${socket}`],
  );
  const child = startChild(program, args, log);
  const isUp = await whenReady(child, 40_000, async () => ((await answers(socket)) ? true : undefined));
  if (isUp === undefined) {
    await stopChild(child, 5_000);
    return { missing: `dockerd does not start here: ${readFileSync(log, 'utf8').slice(-500)}` };
  }
  const stop = async (): Promise<void> => {
    await stopChild(child, 20_000);
    // Unmounts the mount that the engine leaves behind after containers on the host's network.
    spawnSync('umount', [join(home, 'exec/netns/default')], { stdio: 'ignore' });
  };
  return { env: { [SERVICE_ENV.docker.url]: `unix://${socket}` }, stop };
}

function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const ping = request({ socketPath, path: '/_ping', timeout: 2_000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    ping.on('timeout', () => ping.destroy());
    ping.on('error', () => resolve(false));
    ping.end();
  });
}
