/** A coordinator with TLS and its agents, as a user would have them, and a look at what somebody shows. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import * as tls from 'node:tls';
import type { Test } from 'tap';
import { migratedDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import type { Program } from './program.ts';
import { until } from './until.ts';
import { createWorld, type World } from './world.ts';

const BIN = join(import.meta.dirname, '../../../bin/millrace.js');

export interface Secured {
  readonly world: World;
  readonly coordinator: Program;
  readonly grpc: string;
  /** The authority's folder. */
  readonly dir: string;
  /** Resolves when the agent has a session. */
  agent(name: string, env?: Record<string, string>): Promise<Program>;
  /** Does not wait: for an agent that is refused. */
  launchAgent(name: string, env?: Record<string, string>): Program;
}

/** A coordinator with TLS whose authority the program has made, as a user would have it. */
export async function secured(t: Test, env: Record<string, string> = {}): Promise<Secured> {
  const world = await createWorld(t);
  const dir = join(world.folder, 'authority');
  certificates('authority', '--dir', dir);
  const grpc = `127.0.0.1:${await freePort()}`;
  const coordinator = await world.start('coordinator', 'coordinator', {
    DATABASE_URL: await migratedDatabase(t),
    MILLRACE_GRPC: grpc,
    MILLRACE_TLS: 'on',
    MILLRACE_TLS_DIR: dir,
    ...env,
  });
  const launchAgent = (name: string, env: Record<string, string> = {}) =>
    world.launch('agent', name, {
      MILLRACE_COORDINATORS: grpc,
      MILLRACE_TLS: 'on',
      MILLRACE_NODE_NAME: name,
      ...env,
    });
  const agent = async (name: string, env: Record<string, string> = {}) => {
    const launched = launchAgent(name, env);
    await launched.ready();
    return launched;
  };
  return { world, coordinator, grpc, dir, agent, launchAgent };
}

/** The program's own command. */
export function certificates(...args: string[]): string {
  return execFileSync(process.execPath, [BIN, 'certificates', ...args], {
    encoding: 'utf8',
    timeout: 30_000,
  });
}

export const opened = (agent: Program) => until('a session', () => agent.log.includes('session_opened'));
/** What listens there, by its TLS. */
export function handshake(address: string): Promise<{ protocol: string; serial: string }> {
  const [host = '', port = ''] = address.split(':');
  return new Promise((resolve, reject) => {
    const options = { host, port: Number(port), ALPNProtocols: ['h2'], rejectUnauthorized: false };
    const socket = tls.connect(options, () => {
      const { serialNumber: serial } = socket.getPeerCertificate();
      resolve({ protocol: socket.getProtocol() ?? '', serial });
      socket.destroy();
    });
    socket.on('error', reject);
  });
}
